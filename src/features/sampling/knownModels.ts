import { setTimeout as delay } from 'node:timers/promises';

import vscode = require('vscode');

import { Queue } from '../../base/queue';

/** Whether there was a language model at the last check; remembered because servers start before models are available. */
const MODELS_KEY = 'mcpHost.hasModels';
/** How long the very first server waits for an editor that does not report its models. */
const FIRST_LOOK_MS = 1_000;

/** Whether this editor has language models, which decides what a starting server is told about sampling. */
export class KnownModels implements vscode.Disposable {
  readonly #changes = vscode.lm?.onDidChangeChatModels(() => {
    if (this.#looked !== undefined) this.#looked = this.#looks.run(() => this.#look());
  });
  readonly #looks = new Queue();
  #looked: Promise<void> | undefined;

  constructor(private readonly state: vscode.Memento) {}

  get any(): boolean {
    return this.state.get(MODELS_KEY) === true;
  }

  /**
   * Makes the editor resolve language models, once. Until something has asked for them, a request to `@mcp` ends in
   * "Language model unavailable" before it arrives here.
   */
  resolve(): Promise<void> {
    this.#looked ??= this.#looks.run(() => this.#look());
    return this.#looked;
  }

  /** Resolves when `any` is reliable: immediately, except for the first server that is ever started. */
  async ready(): Promise<void> {
    if (this.state.get(MODELS_KEY) !== undefined) return;
    await Promise.race([this.resolve(), delay(FIRST_LOOK_MS, undefined, { ref: false })]);
  }

  dispose(): void {
    this.#changes?.dispose();
  }

  async #look(): Promise<void> {
    // Having no model is not an error here: chat says so when it is used.
    const models = await vscode.lm?.selectChatModels().then(undefined, () => []);
    const has = (models ?? []).length > 0;
    if (has !== this.state.get(MODELS_KEY)) await this.state.update(MODELS_KEY, has);
  }
}
