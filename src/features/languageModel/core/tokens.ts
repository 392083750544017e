import { getOrInsert } from '../../../base/events';
import { within } from '../../../base/queue';
import type { ModelMessage } from './modelMessage';
import { pictureTokens } from './modelPictures';

/** Counts the tokens of a text, as `LanguageModelChat.countTokens` does. */
export type CountTokens = (text: string) => PromiseLike<number>;

/** Longer texts are not sent to be counted. */
const MAX_COUNTED = 200_000;
const COUNT_TIMEOUT_MS = 3000;
/** The tokens that providers count for the frame of a message. */
const MESSAGE_TOKENS = 5;

/** Bytes of a token, as estimated. No tokenizer makes more than one token of a byte. */
export const BYTES_PER_TOKEN = 3;

/** A cautious estimate: about four bytes of English or code make one token, three of many other scripts. */
export const estimateTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);

/** Counts messages. Once counting failed or took too long, everything is estimated. */
export class TokenCounter {
  constructor(private how?: CountTokens) {}

  async count({ parts }: ModelMessage): Promise<number> {
    let pictures = 0;
    const texts: string[] = [];
    for (const part of parts) {
      if (part.kind === 'text') texts.push(part.text);
      else if (part.kind === 'image') pictures += pictureTokens(part);
      else if (part.kind === 'call') texts.push(part.name, JSON.stringify(part.input));
      else
        for (const inner of part.parts) {
          if (inner.kind === 'text') texts.push(inner.text);
          else pictures += pictureTokens(inner);
        }
    }
    return (await this.countText(texts.join('\n'))) + pictures + MESSAGE_TOKENS;
  }

  async countText(text: string): Promise<number> {
    if (!this.how || text === '' || text.length > MAX_COUNTED) return estimateTokens(text);
    try {
      const tokens = await within(Promise.resolve(this.how(text)), COUNT_TIMEOUT_MS, 0);
      if (Number.isFinite(tokens) && tokens > 0) return tokens;
    } catch {}
    this.how = undefined;
    return estimateTokens(text);
  }
}

export interface CountingModel {
  readonly id: string;
  readonly countTokens: CountTokens;
}

/** How many definitions are counted at once: each is a request to another process. */
const AT_ONCE = 8;

/** How many tokens tools take, as a model counts them, once for each model and tool; an estimate until then. */
export class DefinitionMeter {
  readonly #estimates = new WeakMap<object, number>();
  readonly #counts = new WeakMap<object, Map<string, number>>();

  /** @param model its `id`; without one, or before `count`, the tokens are estimated. */
  tokens(definition: object, model?: string): number {
    const counted = model === undefined ? undefined : this.#counts.get(definition)?.get(model);
    if (counted !== undefined) return counted;
    return getOrInsert(this.#estimates, definition, () => estimateTokens(JSON.stringify(definition)));
  }

  isCounted(definition: object, model: string): boolean {
    return this.#counts.get(definition)?.has(model) === true;
  }

  /** Counts what this model has not counted yet. Never rejects: what can't be counted stays an estimate. */
  async count(definitions: readonly object[], { id, countTokens }: CountingModel): Promise<void> {
    const left = definitions.filter(definition => !this.isCounted(definition, id));
    const counter = new TokenCounter(countTokens);
    const work = async () => {
      for (let next = left.pop(); next; next = left.pop()) {
        const tokens = await counter.countText(JSON.stringify(next));
        const counts = this.#counts.get(next) ?? new Map<string, number>();
        this.#counts.set(next, counts.set(id, tokens));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }
}
