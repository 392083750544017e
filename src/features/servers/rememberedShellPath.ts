import type * as vscode from 'vscode';

type LoginShellPath = typeof import('../../host/launch').loginShellPath;

const KEY = 'shellPath';

/**
 * The login shell's PATH without waiting for the shell: the one remembered from the last window is used immediately, and
 * renewed in the background for the next. Only the very first window waits.
 */
export class RememberedShellPath {
  #fresh: Promise<string | undefined> | undefined;

  constructor(
    private readonly memento: vscode.Memento,
    private readonly loadLoginShellPath: () => LoginShellPath,
  ) {}

  async get(): Promise<string | undefined> {
    this.#fresh ??= this.#ask();
    return this.memento.get<string>(KEY) ?? (await this.#fresh);
  }

  async #ask(): Promise<string | undefined> {
    const path = await this.loadLoginShellPath()();
    if (path !== undefined) await this.memento.update(KEY, path);
    return path;
  }
}
