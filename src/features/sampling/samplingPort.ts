import { within } from '../../base/queue';
import { settingValue } from '../../editor/settingValues';
import { type Mementos, type PlainState, ScopedStorage } from '../../editor/storage';
import type { ProgramStore, SamplingPort } from '../../host/definition';
import type { Trust } from '../trust';
import { policyOf } from './core/samplingPolicy';

import vscode = require('vscode');

/** Declares sampling as far as the person allows it; loads the rest when needed (spec: client/sampling). */
export function samplingPort(
  context: Pick<vscode.ExtensionContext, 'globalState' | 'workspaceState'>,
  models: KnownModels,
  trust: Pick<Trust, 'forbids'>,
  load: () => Pick<SamplingPort, 'createMessage'>,
): SamplingPort {
  const store = samplingStore(context);
  return {
    capability: server => {
      if (trust.forbids('sampling')) return undefined;
      // Without `context`: we add nothing from this server or another to its requests.
      return policyOf(store, server, settingValue('sampling.policy')) !== 'deny' && models.any
        ? { tools: {} }
        : undefined;
    },
    createMessage: (...request) => load().createMessage(...request),
  };
}

export const samplingStore = (context: Mementos): ProgramStore => new ScopedStorage(context, 'mcpHost.sampling');

/** Whether there was a language model at the last check; remembered because servers start before models are available. */
const MODELS_KEY = 'mcpHost.hasModels';
/** How long servers wait for an editor that is asked for its models: the very first ones, and those that start as models come. */
const LOOK_MS = 10_000;

/** Whether this editor has language models, which decides whether sampling is declared to a starting server. */
export class KnownModels implements vscode.Disposable {
  readonly #changes = vscode.lm?.onDidChangeChatModels(() => {
    if (this.#looked !== undefined) this.#looked = this.#news = this.#look();
  });
  #looks = 0;
  #looked: Promise<void> | undefined;
  /** The last look that was made because models came or went. */
  #news: Promise<void> | undefined;

  constructor(private readonly state: PlainState) {}

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

  /** Resolves when `any` is as reliable as it will be: at once, except for the first servers ever, and while models come. */
  async ready(): Promise<void> {
    if (this.any) return;
    const look = this.#isKnown ? this.#news : this.resolve();
    if (!look) return;
    await within(look, LOOK_MS, undefined);
    // An editor that does not answer is not waited for in each window.
    if (!this.#isKnown) await this.state.update(MODELS_KEY, false);
  }

  dispose(): void {
    this.#changes?.dispose();
  }

  get #isKnown(): boolean {
    return this.state.get(MODELS_KEY) !== undefined;
  }

  async #look(): Promise<void> {
    const number = ++this.#looks;
    // Having no model is not an error here: chat says so when it is used.
    const models = await vscode.lm?.selectChatModels().then(undefined, () => []);
    // The newest one counts: an earlier one may take longer, as the editor waits for all who have models.
    if (number !== this.#looks) return this.#looked;
    const has = (models ?? []).length > 0;
    if (has !== this.state.get(MODELS_KEY)) await this.state.update(MODELS_KEY, has);
  }
}
