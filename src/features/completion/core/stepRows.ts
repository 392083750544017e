import type { FeedState } from './suggestionFeed';

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
    const meant = (row: StepRow) =>
      row.kind === 'suggestion' && row.value === typed
        ? 0
        : row.kind === 'choice' || matches(textOf(row), typed)
          ? 1
          : 2;
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
