import type { CountTokens } from '../../languageModel/core';

/**
 * Ends an answer where the request says (spec: client/sampling), for models that do not do so themselves: before the first
 * of its stop sequences, and after `maxTokens`. What it lets through is what the server gets.
 */
export class AnswerLimit {
  #text = '';
  #counted = { bytes: 0, tokens: 0 };
  #stopReason: 'stopSequence' | 'maxTokens' | undefined;

  constructor(
    private readonly maxTokens: number,
    private readonly stopSequences: readonly string[],
    private readonly count: CountTokens,
  ) {}

  get text(): string {
    return this.#text;
  }

  /** Why the answer ends here; undefined while it may go on. */
  get stopReason(): 'stopSequence' | 'maxTokens' | undefined {
    return this.#stopReason;
  }

  /** Adds what came. True when no more is wanted. */
  async add(chunk: string): Promise<boolean> {
    if (this.#stopReason) return true;
    const from = this.#text.length;
    this.#text += chunk;
    const stop = this.#firstStop(from);
    if (stop !== undefined) {
      this.#text = this.#text.slice(0, stop);
      this.#stopReason = 'stopSequence';
    }
    // What comes first ends it: the text before a stop sequence may be too long already.
    if (await this.#isTooLong()) {
      this.#text = await this.#cut();
      this.#stopReason = 'maxTokens';
    }
    return this.#stopReason !== undefined;
  }

  /** Where the first stop sequence begins, if one ends in what came after `from`. */
  #firstStop(from: number): number | undefined {
    const places = this.stopSequences
      .map(sequence => this.#text.indexOf(sequence, Math.max(0, from - sequence.length + 1)))
      .filter(place => place >= 0);
    return places.length > 0 ? Math.min(...places) : undefined;
  }

  async #isTooLong(): Promise<boolean> {
    // A token is one byte at least: most of the time there is no need to ask.
    const bytes = Buffer.byteLength(this.#text);
    if (this.#counted.tokens + bytes - this.#counted.bytes <= this.maxTokens) return false;
    this.#counted = { bytes, tokens: await this.#tokens(this.#text) };
    return this.#counted.tokens > this.maxTokens;
  }

  /** The longest beginning that has no more tokens than allowed, and does not end within a character. */
  async #cut(): Promise<string> {
    const characters = [...this.#text];
    let [fits, tooMany] = [0, characters.length];
    while (tooMany - fits > 1) {
      const middle = (fits + tooMany) >> 1;
      if ((await this.#tokens(characters.slice(0, middle).join(''))) <= this.maxTokens) fits = middle;
      else tooMany = middle;
    }
    return characters.slice(0, fits).join('');
  }

  async #tokens(text: string): Promise<number> {
    const counted = await this.count(text);
    return Number.isFinite(counted) && counted >= 0 ? counted : Math.ceil(Buffer.byteLength(text) / 4);
  }
}
