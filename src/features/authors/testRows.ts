import { setImmediate as turn } from 'node:timers/promises';

import vscode = require('vscode');

import { Owner } from '../../base/events';
import { fingerprint } from '../../base/fingerprint';
import { numberText } from '../../base/numberText';
import { Queue } from '../../base/queue';
import { localized } from '../../editor/errorText';
import { t, window } from '../../editor/window';
import { readTestFile, readText, type TestFile, unreadable } from './core/readTestFile';
import type { PlacedProblem } from './core/sourceText';
import { isTestFile, LEFT_OUT, TEST_FILES } from './testFiles';

/** Test files that have a row. */
const MAX_FILES = 10_000;

/** A test file of the workspace; without `file` if there are mistakes in it. */
export interface KnownTestFile {
  readonly uri: vscode.Uri;
  readonly file: TestFile | undefined;
}

/** A test file of the workspace as it was read last. */
export interface ReadFile {
  readonly item: vscode.TestItem;
  readonly file: TestFile | undefined;
  /** SHA-256 of its text. */
  readonly content: string;
}

/**
 * The rows of test files, and below each its tests. A file is read when its tests are to be shown or run, or while it is open in
 * an editor; files are read one after another, and none in an untrusted workspace.
 */
export class TestRows extends Owner {
  readonly #problems = this.own(vscode.languages.createDiagnosticCollection('mcptest'));
  readonly #files = new Map<string, ReadFile>();
  /** The last read counts, and is the current content of the file. */
  readonly #reads = new Queue();
  #isListed = false;
  #hasSaidSo = false;

  /** @param changed called when a read file has changed. @param most how many files have a row. */
  constructor(
    private readonly controller: vscode.TestController,
    changed: (item: vscode.TestItem) => void,
    private readonly most = MAX_FILES,
  ) {
    super();
    const { workspace } = vscode;
    const watcher = this.own(workspace.createFileSystemWatcher(TEST_FILES));
    this.own(watcher.onDidCreate(uri => this.#isListed && isTestFile(uri) && this.#row(uri)));
    this.own(
      watcher.onDidChange(async uri => {
        if (!this.#files.has(uri.toString())) return;
        const { item } = await this.read(uri);
        changed(item);
      }),
    );
    this.own(watcher.onDidDelete(uri => void this.#reads.run(async () => this.#forget(uri))));
    this.own(workspace.onDidOpenTextDocument(({ uri }) => void this.#opened(uri)));
    this.own(workspace.onDidGrantWorkspaceTrust(() => void this.#trusted()));
    for (const { uri } of workspace.textDocuments) void this.#opened(uri);
  }

  /** Makes a row for each test file of the workspace. Those that were read before are read again. */
  async find(): Promise<void> {
    this.#isListed = true;
    // One more than have a row: whether any is left out.
    const uris = await vscode.workspace.findFiles(TEST_FILES, LEFT_OUT, this.most + 1);
    const there = new Set(uris.map(String));
    for (const [id, { uri }] of [...this.controller.items]) if (!there.has(id)) this.#forget(uri!);
    for (const uri of uris.filter(isTestFile)) this.#row(uri);
    for (const { item } of [...this.#files.values()]) await this.read(item.uri!);
  }

  /** Reads the test files that were not read yet, and returns all. */
  async testFiles(): Promise<readonly KnownTestFile[]> {
    await this.find();
    const files: KnownTestFile[] = [];
    for (const [id, { uri }] of [...this.controller.items]) {
      const { file } = this.#files.get(id) ?? (await this.read(uri!));
      files.push({ uri: uri!, file });
    }
    return files;
  }

  /** All files, listed first if that was not done. */
  async all(): Promise<vscode.TestItem[]> {
    if (!this.#isListed) await this.find();
    return [...this.controller.items].map(([, item]) => item);
  }

  /** Reads a file, and shows its tests, or what is wrong in it. */
  read(uri: vscode.Uri): Promise<ReadFile> {
    return this.#reads.run(() => this.#readNow(uri));
  }

  show(uri: vscode.Uri, problems: readonly PlacedProblem[]): void {
    this.#problems.set(
      uri,
      problems.map(({ place, message }) => new vscode.Diagnostic(rangeAt(place), localized(message))),
    );
  }

  async #opened(uri: vscode.Uri): Promise<void> {
    const { isTrusted } = vscode.workspace;
    if (isTrusted && isTestFile(uri) && vscode.workspace.getWorkspaceFolder(uri)) await this.read(uri);
  }

  async #trusted(): Promise<void> {
    if (this.#isListed) await this.find();
    for (const { uri } of vscode.workspace.textDocuments) await this.#opened(uri);
  }

  #forget(uri: vscode.Uri): void {
    this.#files.delete(uri.toString());
    this.controller.items.delete(uri.toString());
    this.#problems.delete(uri);
  }

  #row(uri: vscode.Uri): vscode.TestItem {
    const { items } = this.controller;
    const there = items.get(uri.toString());
    if (there) return there;
    const label = vscode.workspace.asRelativePath(uri, false);
    const item = this.controller.createTestItem(uri.toString(), label, uri);
    item.canResolveChildren = true;
    if (items.size < this.most) items.add(item);
    else this.#sayOnce();
    return item;
  }

  #sayOnce(): void {
    if (this.#hasSaidSo) return;
    this.#hasSaidSo = true;
    void window.showWarningMessage(
      t(
        'Only {0} test files of this workspace are shown. Hide others with "files.exclude", or open a folder of it.',
        numberText(this.most),
      ),
    );
  }

  async #readNow(uri: vscode.Uri): Promise<ReadFile> {
    const item = this.#row(uri);
    if (!vscode.workspace.isTrusted) {
      item.error = t('This workspace is not trusted, so its test files are not read.');
      return { item, file: undefined, content: '' };
    }
    // The editor gets a turn between one file and the next.
    await turn();
    const { file, problems, content } = await parse(uri);
    const tests = (file?.tests ?? []).map(({ name, place }) => {
      const test = this.controller.createTestItem(`${uri}#${name}`, name, uri);
      test.range = rangeAt(place);
      return test;
    });
    item.children.replace(tests);
    const [first] = problems;
    item.error = first && localized(first.message);
    item.range = rangeAt(first?.place ?? { line: 0, column: 0 });
    const read = { item, file, content };
    this.#files.set(uri.toString(), read);
    this.show(uri, problems);
    return read;
  }
}

async function parse(uri: vscode.Uri): Promise<ReturnType<typeof readTestFile> & Pick<ReadFile, 'content'>> {
  try {
    const text = await readText(uri.fsPath);
    return { ...readTestFile(text, uri.fsPath), content: fingerprint(text) };
  } catch (error) {
    return { problems: [unreadable(error)], content: '' };
  }
}

export const rangeAt = ({ line, column }: PlacedProblem['place']): vscode.Range =>
  new vscode.Range(line, column, line, column);
