import vscode = require('vscode');

import { localized } from '../../editor/errorText';
import { type PromptRun, promptDocument } from './core/promptDocument';

/** Scheme of the read-only documents that show what a prompt returned. */
export const PROMPT_SCHEME = 'mcp-prompt';

/** What prompts returned, as read-only documents. Each is kept until its editor is closed. */
export class PromptDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #subscription: vscode.Disposable;
  #opened = 0;

  constructor() {
    this.#subscription = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(PROMPT_SCHEME, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => void this.#texts.delete(uri.toString())),
    );
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return (
      this.#texts.get(uri.toString()) ?? vscode.l10n.t('This result is no longer available. Run the prompt again.')
    );
  }

  async open(run: PromptRun): Promise<void> {
    const fileName = run.prompt.name.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 60) || 'prompt';
    const uri = vscode.Uri.from({ scheme: PROMPT_SCHEME, path: `/${++this.#opened}/${fileName}.md` });
    this.#texts.set(uri.toString(), promptDocument(run, localized));
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: false });
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#texts.clear();
  }
}
