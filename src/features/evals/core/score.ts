import { type EvalQuestion, fits } from '../../authors';
import { type EvalAnswers, type EvalRequest, VERSIONS, type VersionName } from './evalRun';

/** The score of one answer. */
export interface Score {
  /** Whether it is the expected tool, or none where none is. */
  readonly tool: boolean;
  /** Whether the arguments are as expected; undefined: nothing is expected of them. */
  readonly arguments?: boolean | undefined;
}

/** The scores of one version. */
export interface Total {
  /** Questions that were answered. */
  readonly answered: number;
  readonly tools: number;
  /** Answers whose arguments something is expected of, and how many of them were right. */
  readonly withArguments: number;
  readonly arguments: number;
}

/** The score of an answer; undefined without an answer. */
export function scoreOf({ question }: EvalRequest, answer: ReturnType<EvalAnswers['get']>): Score | undefined {
  if (!answer || 'failed' in answer) return undefined;
  const tool = answer.tool === question.tool;
  // Arguments of another tool are not right, even where they look so.
  const fitting = fits(question, answer.arguments ?? {});
  return { tool, arguments: fitting === undefined ? undefined : tool && fitting };
}

export function totalsOf(answers: EvalAnswers): Readonly<Record<VersionName, Total>> {
  const totals = VERSIONS.map(version => {
    const scores = [...answers]
      .filter(([request]) => request.version === version)
      .map(([request, answer]) => scoreOf(request, answer))
      .filter(score => score !== undefined);
    const withArguments = scores.filter(score => score.arguments !== undefined);
    return [
      version,
      {
        answered: scores.length,
        tools: scores.filter(({ tool }) => tool).length,
        withArguments: withArguments.length,
        arguments: withArguments.filter(score => score.arguments).length,
      },
    ] as const;
  });
  return Object.fromEntries(totals) as Record<VersionName, Total>;
}

/** Tools that are expected and that no version has. */
export const unknownTools = (questions: readonly EvalQuestion[], names: readonly string[]): EvalQuestion[] =>
  questions.filter(({ tool }) => tool !== undefined && !names.includes(tool));
