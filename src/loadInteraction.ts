import * as vscode from 'vscode';
import type { Elicitation, ElicitationServices } from './editor/elicitation/elicitation';
import type { Interaction, InteractionServices } from './editor/interaction';
import { LANGUAGE_MODEL_TOOLS } from './editor/languageModelTools/names';

type InteractionCommands = Interaction['commands'];

/** The commands that the interaction bundle carries out. */
const NAMES = [
  'acceptChange',
  'addResourceToChat',
  'addDemoServer',
  'answerApproval',
  'changeRoots',
  'chooseTools',
  'clearInputs',
  'compareResource',
  'copyResourceLink',
  'copyResourceUri',
  'copyToolCall',
  'enterInputs',
  'exportAuditLog',
  'keepBlocked',
  'loadMoreResources',
  'findResource',
  'manageApprovals',
  'manageConsents',
  'moveToInput',
  'openCallResult',
  'openResource',
  'openTemplate',
  'readResource',
  'refreshResources',
  'rerunTool',
  'reviewChanges',
  'reviewServer',
  'runPrompt',
  'runTool',
  'saveResourceAs',
  'setApproval',
  'showAuditLog',
  'sortResources',
] as const satisfies readonly (keyof InteractionCommands)[];

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
 * Registers the chat participant `@mcp`, tools for other participants and what is dropped into text, and returns the commands on prompts and tools. Their code is a bundle of its own
 * (esbuild.js), loaded when the first of them is used.
 */
export function registerInteraction(services: InteractionServices): InteractionCommands {
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
  const commands = NAMES.map(name => [
    name,
    (argument?: unknown, more?: unknown) => interaction().commands[name](argument, more),
  ]);
  return Object.fromEntries(commands) as InteractionCommands;
}
