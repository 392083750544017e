import vscode = require('vscode');

import type { Lazy } from './base/events';
import { registerCommands } from './editor/commands';
import { settingValue } from './editor/settingValues';
import type { PlainState } from './editor/storage';
import { hasAppInView, IN_VIEW } from './features/apps';
import { answering, tellUnfinished } from './features/chat/unfinished';
import type { LanguageModelToolName } from './features/languageModelTools/languageModelTools';
import { keptTasks } from './features/running/keptTasks';

import type { ServerSet } from './host';
import type { Features } from './startFeatures';
import type { StartedServers } from './startServers';

/** Tools for chat participants of others, as `package.json` has them with `mcpHost_` in front. */
const LANGUAGE_MODEL_TOOLS: readonly LanguageModelToolName[] = ['callTool', 'getPrompt', 'listTools', 'readResource'];

const SETTINGS_FILES = [
  { pattern: '**/settings.json' },
  { pattern: '**/*.code-workspace' },
  { pattern: '**/.mcp.json' },
];
const CODE_LENS = 'mcpHost.codeLens';
const TOLD_WALKTHROUGH = 'walkthrough.serverRan';

interface EnteredWindow {
  readonly context: vscode.ExtensionContext;
  readonly features: Lazy<Features>;
  readonly servers: Pick<ServerSet, 'onDidChange'>;
  /** Loaded with the first configured server. Before that there is nothing to fix and nothing to sign in to. */
  readonly started: StartedServers;
  readonly view: vscode.TreeView<unknown>;
}

/**
 * Registers everything through which a person, the editor or a model reaches the features: commands, the chat participant
 * `@mcp`, tools for other participants, links, drops into text, quick fixes, lenses in settings files, and pages that were
 * open before. The features are loaded when the first of these is used.
 */
export function registerEntryPoints({ context, features, servers, started, view }: EnteredWindow): void {
  const { subscriptions } = context;
  subscriptions.push(
    registerCommands(
      context.extension,
      () => features().commands,
      () => focusedRow(view),
    ),
    vscode.window.registerWebviewPanelSerializer('mcpHost.app', {
      deserializeWebviewPanel: (panel, state) => features().restoreApp(panel, state),
    }),
    vscode.window.registerWebviewViewProvider(
      'mcpHost.appView',
      { resolveWebviewView: view => features().resolveAppView(view) },
      { webviewOptions: { retainContextWhenHidden: true } },
    ),
    vscode.window.registerUriHandler({
      handleUri: uri =>
        uri.path === '/add'
          ? vscode.commands.executeCommand('mcpHost.addServer', { link: uri.query })
          : started.loaded?.auth.redirects.loaded?.handleUri(uri),
    }),
    vscode.languages.registerDocumentDropEditProvider(
      '*',
      { provideDocumentDropEdits: (...drop) => features().drop.provideDocumentDropEdits(...drop) },
      { dropMimeTypes: ['text/uri-list'] },
    ),
    vscode.languages.registerCodeLensProvider(SETTINGS_FILES, {
      onDidChangeCodeLenses: listener =>
        vscode.Disposable.from(
          servers.onDidChange(() => listener()),
          vscode.workspace.onDidChangeConfiguration(event => event.affectsConfiguration(CODE_LENS) && listener()),
        ),
      provideCodeLenses: document =>
        /mcpHost|mcpServers/.test(document.getText()) && settingValue('codeLens') !== false
          ? features().lensesOf(document)
          : undefined,
    }),
    vscode.languages.registerCodeActionsProvider(
      SETTINGS_FILES,
      {
        provideCodeActions: (document, range) => {
          const problems = started.loaded?.diagnostics.problemsIn(document, range) ?? [];
          return problems.length > 0 ? features().fixesOf(document, problems) : undefined;
        },
      },
      { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
    ),
  );
  // The view is there again with the app that it had in an earlier window.
  if (hasAppInView(context.workspaceState)) void vscode.commands.executeCommand('setContext', IN_VIEW, true);
  tellWalkthrough(context, servers);
  subscriptions.push(
    vscode.window.registerWebviewPanelSerializer('mcpHost.tool', {
      deserializeWebviewPanel: async (panel, state) => features().restoreItemPage(panel, state),
    }),
  );
  // In an editor built without chat, everything else works.
  const participant = vscode.chat?.createChatParticipant('mcpHost.mcp', (request, chat, stream, token) =>
    answering(context.workspaceState, request, token, () => features().chat.handle(request, chat, stream, token)),
  );
  if (participant) {
    participant.iconPath = vscode.Uri.joinPath(context.extensionUri, 'media', 'icon.png');
    participant.followupProvider = { provideFollowups: result => features().chat.followups(result) };
    subscriptions.push(participant);
    const tasks = keptTasks(context.workspaceState).get();
    void tellUnfinished(
      context.workspaceState,
      tasks.some(({ inChat }) => inChat),
    );
  }
  for (const name of LANGUAGE_MODEL_TOOLS) {
    const tool = vscode.lm?.registerTool<object>(`mcpHost_${name}`, {
      prepareInvocation: ({ input }) => features().languageModelTools.prepare(name, input),
      invoke: ({ input }, token) => features().languageModelTools.invoke(name, input, token),
    });
    if (tool) subscriptions.push(tool);
  }
}

/**
 * Checks off the first step of the walkthrough when a server first runs. The condition in `package.json` does so only if it
 * comes true after the editor has first shown a walkthrough.
 */
function tellWalkthrough(
  {
    extension,
    globalState: state,
    subscriptions,
  }: Pick<vscode.ExtensionContext, 'extension' | 'subscriptions'> & {
    readonly globalState: PlainState;
  },
  servers: EnteredWindow['servers'],
): void {
  if (state.get(TOLD_WALKTHROUGH)) return;
  const listening = servers.onDidChange(change => {
    if (change?.server.state.kind !== 'ready') return;
    listening.dispose();
    void state.update(TOLD_WALKTHROUGH, true);
    const step = `${extension.id}#mcpHost.start#mcpHost.start.add`;
    // An editor may have no walkthroughs.
    vscode.commands.executeCommand('welcome.markStepComplete', step).then(undefined, () => undefined);
  });
  subscriptions.push(listening);
}

/**
 * The focused row. The editor exposes only the selection, which the arrow keys do not move: so the row is selected, or
 * deselected, for a moment, and found by the difference.
 */
async function focusedRow(view: vscode.TreeView<unknown>): Promise<unknown> {
  const toggle = () => vscode.commands.executeCommand('list.toggleSelection');
  const before = [...view.selection];
  await toggle();
  const after = [...view.selection];
  await toggle();
  return after.find(row => !before.includes(row)) ?? before.find(row => !after.includes(row));
}
