/** A server's suggestions for an argument (spec: server/utilities/completion). */
export interface Completion {
  values: readonly string[];
  /** How many there are in all, where the server knows. */
  total?: number | undefined;
  hasMore?: boolean | undefined;
}

/** Suggests values for one argument, given the values of the earlier ones. */
export interface Suggest {
  (
    argument: string,
    value: string,
    earlier: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Completion>;
  /** The answer, if it is known without asking: it is shown without a delay. */
  cached?(argument: string, value: string, earlier: Readonly<Record<string, string>>): Completion | undefined;
}

/** The suggestions for the text that is in the input now. */
export interface FeedState {
  readonly typed: string;
  readonly busy: boolean;
  /** The newest answer; while `busy`, of an earlier text. */
  readonly completion?: Completion;
  /** The text that `completion` answers. */
  readonly completed?: string;
  /** Why there is no answer for `typed`. */
  readonly error?: unknown;
}

/** A person types a word in about that many milliseconds per key: less asks for every key, more is felt. */
const DEBOUNCE_MS = 150;

interface Source {
  fetch(value: string, signal: AbortSignal): Promise<Completion>;
  cached?(value: string): Completion | undefined;
}

/**
 * Asks for suggestions while a person types: the first time at once, then when the typing rests. Only the newest request
 * lives; an answer is passed on in the moment it comes.
 */
export class SuggestionFeed {
  #state: FeedState = { typed: '', busy: false };
  #timer: NodeJS.Timeout | undefined;
  #abort: AbortController | undefined;
  #asked = false;
  #disposed = false;

  constructor(
    private readonly source: Source,
    private readonly onDidChange: (state: FeedState) => void,
    private readonly debounceMs = DEBOUNCE_MS,
  ) {}

  get state(): FeedState {
    return this.#state;
  }

  /** The input's text is `value` now. */
  type(value: string): void {
    if (this.#disposed || (this.#asked && value === this.#state.typed)) return;
    this.#cancel();
    const cached = this.source.cached?.(value);
    if (cached) {
      this.#asked = true;
      this.#set({ typed: value, busy: false, completion: cached, completed: value });
      return;
    }
    const { completion, completed } = this.#state;
    this.#set({ typed: value, busy: true, ...(completion && { completion, completed: completed! }) });
    if (this.#asked) this.#timer = setTimeout(() => void this.#ask(value), this.debounceMs);
    else void this.#ask(value);
    this.#asked = true;
  }

  /** Nothing is asked and nothing is reported from here on. */
  dispose(): void {
    this.#disposed = true;
    this.#cancel();
  }

  async #ask(value: string): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    try {
      const completion = await this.source.fetch(value, abort.signal);
      if (!abort.signal.aborted) this.#set({ typed: value, busy: false, completion, completed: value });
    } catch (error) {
      if (!abort.signal.aborted) this.#set({ typed: value, busy: false, error });
    }
  }

  #cancel(): void {
    clearTimeout(this.#timer);
    this.#abort?.abort();
    this.#abort = undefined;
  }

  #set(state: FeedState): void {
    this.#state = state;
    if (!this.#disposed) this.onDidChange(state);
  }
}
