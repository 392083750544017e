import * as vscode from 'vscode';
import type { CommandHandler } from './editor/commands';
import type { Elicitation, ElicitationServices } from './editor/elicitation/elicitation';
import type { Interaction, InteractionServices } from './editor/interaction';
import { LANGUAGE_MODEL_TOOLS } from './editor/languageModelTools/names';

type InteractionCommand = keyof Interaction['commands'];

const load = () => require('./editor/interaction') as typeof import('./editor/interaction');

/** The rows of the Resources view: in the same bundle, as nothing needs them before the view is shown. */
export const loadResourcesTree = () => load().ResourcesTree;

/** What asks the person for servers: in the same bundle, loaded with the first question. */
export function elicitationLoader(services: () => ElicitationServices & Pick<InteractionServices, 'context'>) {
  let loaded: Elicitation | undefined;
  return () => {
    if (!loaded) {
      const { context, ...others } = services();
      loaded = new (load().Elicitation)(others);
      context.subscriptions.push(loaded);
    }
    return loaded;
  };
}

/**
 * Registers the chat participant `@mcp`, tools for other participants and what is dropped into text, and returns what carries
 * out the commands of the interaction bundle (esbuild.js), which is loaded when the first of all these is used.
 */
export function registerInteraction(services: InteractionServices): (name: InteractionCommand) => CommandHandler {
  let loaded: Interaction | undefined;
  const interaction = () => {
    if (!loaded) {
      const { Interaction } = load();
      loaded = new Interaction(services);
      services.context.subscriptions.push(loaded);
    }
    return loaded;
  };
  // An editor built without chat has the commands all the same.
  const participant = vscode.chat?.createChatParticipant('mcpHost.mcp', (...request) =>
    interaction().chat.handle(...request),
  );
  if (participant) {
    participant.iconPath = vscode.Uri.joinPath(services.context.extensionUri, 'media', 'icon.png');
    participant.followupProvider = { provideFollowups: result => interaction().chat.followups(result) };
    services.context.subscriptions.push(participant);
  }
  const dropped = vscode.languages.registerDocumentDropEditProvider(
    '*',
    { provideDocumentDropEdits: (...drop) => interaction().drop.provideDocumentDropEdits(...drop) },
    { dropMimeTypes: ['text/uri-list'] },
  );
  services.context.subscriptions.push(dropped);
  for (const name of LANGUAGE_MODEL_TOOLS) {
    const tool = vscode.lm?.registerTool<object>(`mcpHost_${name}`, {
      prepareInvocation: ({ input }) => interaction().languageModelTools.prepare(name, input),
      invoke: ({ input }, token) => interaction().languageModelTools.invoke(name, input, token),
    });
    if (tool) services.context.subscriptions.push(tool);
  }
  return name => (argument, more) => interaction().commands[name](argument, more);
}
