import vscode = require('vscode');

import type { Lazy } from './base/lazy';
import { registerCommands } from './editor/commands';
import { LANGUAGE_MODEL_TOOLS } from './features/languageModelTools/core/names';
import type { SettingsDiagnostics } from './features/settings/diagnostics';
import type { Features } from './startFeatures';

/**
 * Registers everything through which a person, the editor or a model reaches the features: commands, the chat participant
 * `@mcp`, tools for other participants, drops into text, and quick fixes. The features are loaded when the first of these is
 * used.
 */
export function registerEntryPoints(
  context: vscode.ExtensionContext,
  features: Lazy<Features>,
  /** Undefined until a server has been configured: until then there is nothing to fix. */
  diagnostics: () => SettingsDiagnostics | undefined,
): void {
  const { subscriptions } = context;
  subscriptions.push(
    registerCommands(context.extension, () => features().commands),
    vscode.window.registerWebviewPanelSerializer('mcpHost.app', {
      deserializeWebviewPanel: (panel, state) => features().restoreApp(panel, state),
    }),
    vscode.languages.registerDocumentDropEditProvider(
      '*',
      { provideDocumentDropEdits: (...drop) => features().drop.provideDocumentDropEdits(...drop) },
      { dropMimeTypes: ['text/uri-list'] },
    ),
    vscode.languages.registerCodeActionsProvider(
      [{ pattern: '**/settings.json' }, { pattern: '**/*.code-workspace' }],
      {
        provideCodeActions: (document, range) => {
          const problems = diagnostics()?.problemsIn(document, range) ?? [];
          return problems.length > 0 ? features().fixesOf(document, problems) : undefined;
        },
      },
      { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
    ),
  );
  // In an editor built without chat, everything else works.
  const participant = vscode.chat?.createChatParticipant('mcpHost.mcp', (...request) =>
    features().chat.handle(...request),
  );
  if (participant) {
    participant.iconPath = vscode.Uri.joinPath(context.extensionUri, 'media', 'icon.png');
    participant.followupProvider = { provideFollowups: result => features().chat.followups(result) };
    subscriptions.push(participant);
  }
  for (const name of LANGUAGE_MODEL_TOOLS) {
    const tool = vscode.lm?.registerTool<object>(`mcpHost_${name}`, {
      prepareInvocation: ({ input }) => features().languageModelTools.prepare(name, input),
      invoke: ({ input }, token) => features().languageModelTools.invoke(name, input, token),
    });
    if (tool) subscriptions.push(tool);
  }
}
