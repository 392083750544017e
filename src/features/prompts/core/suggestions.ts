import type { CompleteRequest } from '@modelcontextprotocol/client';
import type { HostError } from '../../../base/errors';
import { lengthOf } from '../../../base/json';
import type { AllowedRequests, ServerConnection } from '../../../host';

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

/** Asks for suggestions at once, then when the typing rests. Only the newest request lives. */
export class SuggestionFeed {
  #state: FeedState = { typed: '', busy: false };
  #timer: NodeJS.Timeout | undefined;
  #abort: AbortController | undefined;
  #hasRequested = false;
  #disposed = false;

  constructor(
    private readonly source: Source,
    private readonly onDidChange: (state: FeedState) => void,
    private readonly debounceMs = DEBOUNCE_MS,
  ) {}

  get state(): FeedState {
    return this.#state;
  }

  type(value: string): void {
    if (this.#disposed || (this.#hasRequested && value === this.#state.typed)) return;
    this.#cancel();
    const cached = this.source.cached?.(value);
    if (cached) {
      this.#hasRequested = true;
      this.#set({ typed: value, busy: false, completion: cached, completed: value });
      return;
    }
    const { completion, completed } = this.#state;
    this.#set({ typed: value, busy: true, ...(completion && { completion, completed: completed! }) });
    if (this.#hasRequested) this.#timer = setTimeout(() => void this.#complete(value), this.debounceMs);
    else void this.#complete(value);
    this.#hasRequested = true;
  }

  /** Nothing is asked and nothing is reported from here on. */
  dispose(): void {
    this.#disposed = true;
    this.#cancel();
  }

  async #complete(value: string): Promise<void> {
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

/** The owner of an argument: a prompt or a resource template. */
type CompletionRef = CompleteRequest['params']['ref'];

export type CompletionServer = Pick<ServerConnection, 'info'>;

const MAX_ANSWERS = 500;
/** A longer answer is asked for anew, in characters of JSON. The specification allows a hundred values. */
const MAX_LENGTH = 100_000;

/** The answers of one session. `info` is a new object for each session, so that a restart makes them void. */
interface Answers {
  readonly session: unknown;
  /** Insertion order is order of use: the first is dropped first. */
  readonly byKey: Map<string, Completion>;
  /** The owners and names of arguments for which the server has refused to suggest anything. */
  readonly refused: Set<string>;
}

const NO_SUGGESTIONS: Completion = { values: [] };

const answersOf = new WeakMap<CompletionServer, Answers>();

/**
 * Suggestions from the server for the arguments of a prompt or resource template, remembered until the server restarts.
 * Undefined for a server that suggests nothing. An argument for which it refuses has no suggestions until then.
 */
export function completionSource<S extends CompletionServer>(
  server: S,
  requests: (server: S) => Pick<AllowedRequests, 'complete'>,
  ref: CompletionRef,
): Suggest | undefined {
  if (!server.info?.capabilities.completions) return undefined;
  const known = (key: string): Completion | undefined => {
    const { byKey } = answers(server);
    const answer = byKey.get(key);
    if (answer) byKey.delete(key);
    if (answer) byKey.set(key, answer);
    return answer;
  };
  const keyOf = (...parts: Parameters<NonNullable<Suggest['cached']>>) => JSON.stringify([ref, ...parts]);
  const suggest: Suggest = async (argument, value, earlier, signal) => {
    const key = keyOf(argument, value, earlier);
    const cached = known(key);
    if (cached) return cached;
    const { byKey, refused } = answers(server);
    const owner = JSON.stringify([ref, argument]);
    if (refused.has(owner)) return NO_SUGGESTIONS;
    const context = Object.keys(earlier).length > 0 && { context: { arguments: { ...earlier } } };
    const wanted = { ref, argument: { name: argument, value }, ...context };
    const answer = await requests(server)
      .complete(wanted, signal)
      .catch((error: Partial<HostError>) => {
        if (error.rpcError === undefined) throw error;
        refused.add(owner);
        return NO_SUGGESTIONS;
      });
    if (lengthOf(answer) <= MAX_LENGTH) byKey.set(key, answer);
    if (byKey.size > MAX_ANSWERS) byKey.delete(byKey.keys().next().value!);
    return answer;
  };
  suggest.cached = (...parts) => known(keyOf(...parts));
  return suggest;
}

function answers(server: CompletionServer): Answers {
  let found = answersOf.get(server);
  if (!found || found.session !== server.info) {
    found = { session: server.info, byKey: new Map(), refused: new Set() };
    answersOf.set(server, found);
  }
  return found;
}

/** A ready-made value, such as the selection of the editor. */
export interface ReadyChoice {
  label: string;
  description?: string;
  /** Passed on unchanged. */
  value: string;
}

/** One row of a step, in the order of the list. `value` is what taking it gives; `note` gives nothing. */
export type StepRow =
  | { readonly kind: 'typed' | 'empty' | 'current' | 'suggestion'; readonly value: string }
  | { readonly kind: 'choice'; readonly value: string; readonly choice: ReadyChoice }
  | {
      readonly kind: 'note';
      readonly note: 'none' | 'failed' | 'more';
      readonly shown: number;
      readonly total?: number;
    };

export interface Step {
  readonly state: FeedState;
  readonly required: boolean;
  /** From the last time, or from before the person went back. */
  readonly current?: string | undefined;
  readonly choices: readonly ReadyChoice[];
}

/** The specification's limit for one answer; what a server sends beyond it is left out. */
const MAX_SUGGESTIONS = 100;

/**
 * The rows of a step. Enter takes the first one: for typed text the server's suggestion, else the text itself; before typing
 * the previous value, else leaving it out where allowed. Typed text is the last row that can be taken, unless no suggestion
 * contains it: then it was meant literally. Suggestions of the server precede ready choices of the editor. A previous value
 * that the server no longer suggests comes last: another argument has changed.
 */
export function stepRows({ state, required, current, choices }: Step): StepRow[] {
  const { typed } = state;
  const suggested = suggestions(state);
  const offered: StepRow[] = [
    ...suggested.map((value): StepRow => ({ kind: 'suggestion', value })),
    ...choices
      .filter(({ label }) => matches(label, typed))
      .map((choice): StepRow => ({ kind: 'choice', value: choice.value, choice })),
  ];
  const note = noteOf(state, suggested.length);
  const notes = note ? [note] : [];
  if (typed) {
    const own: StepRow[] = suggested.includes(typed) ? [] : [{ kind: 'typed', value: typed }];
    const meant = (row: StepRow) => {
      if (row.kind === 'suggestion' && row.value === typed) return 0;
      return row.kind === 'choice' || matches(textOf(row), typed) ? 1 : 2;
    };
    const sorted = offered.toSorted((a, b) => meant(a) - meant(b));
    const isMeant = sorted[0] !== undefined && meant(sorted[0]) < 2;
    return isMeant ? [...sorted, ...own, ...notes] : [...own, ...sorted, ...notes];
  }
  const before: StepRow[] = current ? [{ kind: 'current', value: current }] : [];
  const empty: StepRow[] = required ? [] : [{ kind: 'empty', value: '' }];
  const others = offered.filter(row => row.kind !== 'suggestion' || row.value !== current);
  const outdated = suggested.length > 0 && !more(state) && !suggested.includes(current ?? '');
  return outdated ? [...empty, ...others, ...before, ...notes] : [...before, ...empty, ...others, ...notes];
}

const textOf = (row: StepRow) => (row.kind === 'note' ? '' : row.value);

/** Those of the newest answer. Until there is one for the text of now, those of them that it is part of. */
function suggestions({ typed, completion, completed }: FeedState): string[] {
  const values = [...new Set(completion?.values)].filter(value => value !== '').slice(0, MAX_SUGGESTIONS);
  return typed === completed ? values : values.filter(value => matches(value, typed));
}

function noteOf(state: FeedState, shown: number): StepRow | undefined {
  const { busy, error, completion } = state;
  if (busy) return undefined;
  if (error !== undefined) return { kind: 'note', note: 'failed', shown };
  if (more(state)) {
    const total = completion?.total;
    return { kind: 'note', note: 'more', shown, ...(total !== undefined && total > shown && { total }) };
  }
  return completion && shown === 0 ? { kind: 'note', note: 'none', shown } : undefined;
}

function more({ completion }: FeedState): boolean {
  if (!completion) return false;
  const { values, hasMore, total = 0 } = completion;
  return hasMore === true || total > values.length || values.length > MAX_SUGGESTIONS;
}

const matches = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase());
