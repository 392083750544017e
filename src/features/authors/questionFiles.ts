import vscode = require('vscode');

import { Owner } from '../../base/events';
import { Coalescer } from '../../base/queue';
import { localized } from '../../editor/errorText';
import { readEvalFile } from './core/readEvalFile';
import { MAX_TEST_FILE } from './core/readTestFile';
import { isQuestionFile } from './testFiles';

const WHILE_TYPING = { quietMs: 200, maxMs: 1_000 };

/** Shows what is wrong in open files of questions, in trusted workspaces; a JSON schema explains them, too. */
export class QuestionFiles extends Owner {
  readonly #problems = this.own(vscode.languages.createDiagnosticCollection('mcpeval'));
  readonly #changed = new Set<vscode.TextDocument>();
  readonly #check = new Coalescer(() => {
    for (const document of this.#changed) this.#show(document);
    this.#changed.clear();
  }, WHILE_TYPING);

  constructor() {
    super();
    const { workspace } = vscode;
    const showAll = () => {
      for (const document of workspace.textDocuments) this.#show(document);
    };
    showAll();
    this.own(workspace.onDidGrantWorkspaceTrust(showAll));
    this.own(workspace.onDidOpenTextDocument(document => this.#show(document)));
    this.own(workspace.onDidCloseTextDocument(({ uri }) => this.#problems.delete(uri)));
    this.own(
      workspace.onDidChangeTextDocument(({ document }) => {
        if (!isQuestionFile(document.uri)) return;
        this.#changed.add(document);
        this.#check.trigger();
      }),
    );
  }

  override dispose(): void {
    this.#check.cancel();
    super.dispose();
  }

  #show(document: vscode.TextDocument): void {
    const { uri, isClosed } = document;
    if (isClosed || !vscode.workspace.isTrusted || !isQuestionFile(uri)) return;
    const text = document.getText();
    // A larger one is refused when it is used.
    const { problems } = text.length > MAX_TEST_FILE ? { problems: [] } : readEvalFile(text, uri.path);
    this.#problems.set(
      uri,
      problems.map(({ place: { line, column }, message }) => {
        const from = new vscode.Position(line, column);
        return new vscode.Diagnostic(new vscode.Range(from, from), localized(message));
      }),
    );
  }
}
