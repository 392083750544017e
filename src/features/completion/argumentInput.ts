import type * as vscode from 'vscode';
import type { ReadyChoice } from './core/stepRows';
import { type Suggest, SuggestionFeed } from './core/suggestionFeed';
import { plainStep } from './plainStep';
import type { ArgumentQuestion, StepResult } from './step';
import { needsList, suggestingStep } from './suggestingStep';

export type { ReadyChoice } from './core/stepRows';
export type { Completion, Suggest } from './core/suggestionFeed';
export type { ArgumentQuestion } from './step';

interface AskOptions {
  /** The owner of the arguments. */
  title: string;
  questions: readonly ArgumentQuestion[];
  /** Not asked; sent along as context. */
  given?: Readonly<Record<string, string>> | undefined;
  suggest?: Suggest | undefined;
  choices?: (() => readonly ReadyChoice[]) | undefined;
  /** A preview of the result with the values so far, such as the URI of a template. */
  preview?: ((values: Readonly<Record<string, string>>) => string) | undefined;
  token?: vscode.CancellationToken | undefined;
}

/**
 * Asks one step per argument that is not given, with Back. An optional argument that was left empty is not in the result.
 * Undefined when the person gave up (Escape), or `token` was cancelled.
 */
export async function askArguments(options: AskOptions): Promise<Record<string, string> | undefined> {
  const { given = {}, token } = options;
  const questions = options.questions.filter(({ name }) => !Object.hasOwn(given, name));
  const choices = questions.length > 0 ? (options.choices?.() ?? []) : [];
  const answers = new Map<ArgumentQuestion, string>();
  /** The values before a step: later answers may be left over from before the person went back. */
  const before = (index: number): Record<string, string> => {
    const values = questions.slice(0, index).map(question => [question.name, answers.get(question) ?? '']);
    return { ...given, ...Object.fromEntries(values.filter(([, value]) => value !== '')) };
  };
  // Each replaces the one before. All are disposed at the end, because keys may still be on their way from an earlier one.
  const shown: vscode.QuickInput[] = [];
  const show = (input: vscode.QuickInput) => {
    shown.push(input);
    input.show();
  };
  try {
    for (let index = 0; index < questions.length; ) {
      const question = questions[index]!;
      const earlier = before(index);
      const result = await askOne(options, question, earlier, {
        step: index + 1,
        totalSteps: questions.length,
        choices,
        current: answers.get(question) ?? question.initial,
        show,
      });
      if (result.kind === 'cancel' || token?.isCancellationRequested) return undefined;
      if (result.kind === 'value') answers.set(question, result.value);
      index += result.kind === 'back' ? -1 : 1;
    }
    return before(questions.length);
  } finally {
    for (const input of shown) input.dispose();
  }
}

interface Place {
  step: number;
  totalSteps: number;
  choices: readonly ReadyChoice[];
  current: string | undefined;
  show: (input: vscode.QuickInput) => void;
}

/** Asks one step, in the kind of input that suits it, which may change while the person answers. */
async function askOne(
  { title, suggest, preview, token }: AskOptions,
  question: ArgumentQuestion,
  earlier: Record<string, string>,
  place: Place,
): Promise<StepResult> {
  let listener: () => void = () => {};
  const feed =
    suggest &&
    new SuggestionFeed(
      {
        fetch: (value, signal) => suggest(question.name, value, earlier, signal),
        cached: value => suggest.cached?.(question.name, value, earlier),
      },
      () => listener(),
    );
  const context = {
    ...place,
    title,
    question,
    feed,
    token,
    preview: preview && ((value: string) => preview(value ? { ...earlier, [question.name]: value } : earlier)),
    listen: (next: () => void) => {
      listener = next;
    },
  };
  try {
    let result: StepResult = await (feed || needsList(place) ? suggestingStep(context, '') : plainStep(context));
    while (result.kind === 'plain' || result.kind === 'suggesting') {
      const { late } = result;
      result = await (result.kind === 'plain' ? plainStep(context, late) : suggestingStep(context, result.typed, late));
    }
    return result;
  } finally {
    feed?.dispose();
  }
}
