import { setTimeout as delay } from 'node:timers/promises';

import vscode = require('vscode');

/** Whether there was a language model when last looked: remembered, as servers start before models are there. */
const MODELS_KEY = 'mcpHost.hasModels';
/** The first server of all waits this long for an editor that does not say what models it has. */
const FIRST_LOOK_MS = 1_000;

/** Whether this editor has language models: what a server is told of sampling when it starts. */
export class KnownModels implements vscode.Disposable {
  readonly #changes = vscode.lm?.onDidChangeChatModels(() => {
    if (this.#looked !== undefined) this.#looked = this.#looked.then(() => this.#look());
  });
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
    this.#looked ??= this.#look();
    return this.#looked;
  }

  /** Resolves when `any` can be trusted: at once, but for the first server that is ever started. */
  async ready(): Promise<void> {
    if (this.state.get(MODELS_KEY) !== undefined) return;
    await Promise.race([this.resolve(), delay(FIRST_LOOK_MS, undefined, { ref: false })]);
  }

  dispose(): void {
    this.#changes?.dispose();
  }

  async #look(): Promise<void> {
    // No model is no fault of ours: chat says so when it is used.
    const models = await vscode.lm?.selectChatModels().then(undefined, () => []);
    const has = (models ?? []).length > 0;
    if (has !== this.state.get(MODELS_KEY)) await this.state.update(MODELS_KEY, has);
  }
}
