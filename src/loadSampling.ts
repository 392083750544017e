import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Sampling, SamplingServices } from './editor/sampling/sampling';
import { SamplingStore } from './editor/sampling/samplingStore';
import type { ServerDefinition } from './host';
import type { SamplingPort } from './host/ports';
import { asPolicy, samplingChoice } from './host/sampling/policy';

/** Whether there was a language model when last looked: remembered, as servers start before models are there. */
const MODELS_KEY = 'mcpHost.hasModels';
/** The first server of all waits this long for an editor that does not say what models it has. */
const FIRST_LOOK_MS = 1_000;

/** Sampling, a bundle of its own (esbuild.js): loaded with the first request of a server, or the first of its commands. */
export class SamplingLoader implements SamplingPort, vscode.Disposable {
  readonly commands: Sampling['commands'] = {
    chooseSamplingModel: uri => this.#load().commands.chooseSamplingModel(uri),
    compareSampling: uri => this.#load().commands.compareSampling(uri),
    confirmSampling: uri => this.#load().commands.confirmSampling(uri),
    denySampling: uri => this.#load().commands.denySampling(uri),
    reviewSampling: () => this.#load().commands.reviewSampling(),
    showSamplingUsage: () => this.#load().commands.showSamplingUsage(),
  };
  readonly #store: SamplingStore;
  readonly #models = vscode.lm?.onDidChangeChatModels(() => {
    if (this.#looked !== undefined) this.#looked = this.#looked.then(() => this.#lookForModels());
  });
  #looked: Promise<void> | undefined;
  #loaded: Sampling | undefined;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly services: () => Omit<SamplingServices, 'context'>,
  ) {
    this.#store = new SamplingStore(context);
  }

  /** What a server is told when it starts; when that changes, it is told at its next start. */
  capability(server: ServerDefinition): ReturnType<SamplingPort['capability']> {
    const byDefault = vscode.workspace.getConfiguration('mcpHost.sampling').get('policy');
    const policy = asPolicy(samplingChoice(this.#store, server).policy ?? byDefault);
    // Not `context`: nothing of this server or another is added to what it asks.
    return policy !== 'deny' && this.context.globalState.get(MODELS_KEY) ? { tools: {} } : undefined;
  }

  createMessage(...request: Parameters<SamplingPort['createMessage']>): ReturnType<SamplingPort['createMessage']> {
    return this.#load().createMessage(...request);
  }

  /**
   * Makes the editor resolve language models, once. Until something has asked for them, a request to `@mcp` ends in
   * "Language model unavailable" before it arrives here.
   */
  resolveModels(): Promise<void> {
    this.#looked ??= this.#lookForModels();
    return this.#looked;
  }

  /** Resolves when `capability` can answer: at once, but for the first server that is ever started. */
  async ready(): Promise<void> {
    if (this.context.globalState.get(MODELS_KEY) !== undefined) return;
    await Promise.race([this.resolveModels(), delay(FIRST_LOOK_MS, undefined, { ref: false })]);
  }

  dispose(): void {
    this.#models?.dispose();
    this.#loaded?.dispose();
  }

  async #lookForModels(): Promise<void> {
    // No model is no fault of ours: chat says so when it is used.
    const models = await vscode.lm?.selectChatModels().then(undefined, () => []);
    const has = (models ?? []).length > 0;
    if (has !== this.context.globalState.get(MODELS_KEY)) await this.context.globalState.update(MODELS_KEY, has);
  }

  #load(): Sampling {
    if (!this.#loaded) {
      const { Sampling } = require('./editor/sampling/sampling') as typeof import('./editor/sampling/sampling');
      this.#loaded = new Sampling({ ...this.services(), context: this.context });
    }
    return this.#loaded;
  }
}
