import { messageOf } from '../../../base/errors';
import { visible } from '../../../base/text';
import type { EvalQuestion } from '../../authors';
import type { EvalModel, EvalModelError } from './evalModel';
import { type EvalRequest, makeRequests } from './evalRun';
import { scoreOf } from './score';
import type { ToolVersion } from './toolVersion';

/** What a model chose for one question. Names of tools are the server's; null: none. */
interface EvaluatedQuestion {
  readonly question: string;
  readonly expected: string | null;
  readonly isRight: boolean;
  readonly chosen?: string | null;
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** Why there is no answer. */
  readonly error?: string;
}

/** The result of asking a model all questions of a file, with the tools as they are. */
export interface Evaluation {
  readonly model: string;
  readonly server: string;
  /** From 0 to 1. */
  readonly threshold: number;
  /** The share of questions whose tool and arguments were right. A question without an answer is wrong. */
  readonly score: number;
  readonly right: number;
  readonly total: number;
  readonly passed: boolean;
  readonly questions: readonly EvaluatedQuestion[];
}

interface EvaluateOptions {
  readonly server: string;
  readonly threshold: number;
  readonly signal: AbortSignal;
}

const NOT_ASKED = 'It was not asked.';

/** Asks each question once. Never rejects for what the model does. */
export async function evaluate(
  questions: readonly EvalQuestion[],
  version: ToolVersion,
  model: EvalModel,
  { server, threshold, signal }: EvaluateOptions,
): Promise<Evaluation> {
  const requests = questions.map((question): EvalRequest => ({ question, version: 'now' }));
  const answers = await makeRequests(
    requests,
    ({ question: { question } }) => model.choose(question, version, signal),
    { signal, isFinal: error => (error as Partial<EvalModelError>).isFinal === true, done: () => {} },
  );
  const evaluated = requests.map((request): EvaluatedQuestion => {
    const { question, tool = null } = request.question;
    const answer = answers.get(request);
    const asked = { question, expected: tool };
    if (!answer) return { ...asked, isRight: false, error: NOT_ASKED };
    if ('failed' in answer) return { ...asked, isRight: false, error: messageOf(answer.failed, 500) };
    const score = scoreOf(request, answer);
    const isRight = score?.tool === true && score.arguments !== false;
    return { ...asked, isRight, chosen: answer.tool ?? null, ...(answer.arguments && { arguments: answer.arguments }) };
  });
  const right = evaluated.filter(({ isRight }) => isRight).length;
  const total = evaluated.length;
  const score = right / total;
  const passed = score >= threshold && !signal.aborted;
  return { model: model.name, server, threshold, score, right, total, passed, questions: evaluated };
}

/** The result as lines for a person. */
export function evaluationText({ model, server, threshold, score, right, total, questions }: Evaluation): string {
  const lines = questions.map(({ question, expected, isRight, chosen, arguments: given, error }) => {
    const asked = `${isRight ? '✓' : '✗'} ${visible(question, 200)}`;
    if (error !== undefined) return `${asked}\n    ${visible(error, 500)}`;
    if (isRight) return `${asked} → ${named(chosen)}`;
    const call = given && Object.keys(given).length > 0 ? ` ${visible(JSON.stringify(given), 300)}` : '';
    return `${asked}\n    expected ${named(expected)}, chose ${named(chosen)}${call}`;
  });
  const needed = `${percent(threshold)} needed`;
  return `${lines.join('\n')}\n${right} of ${total} right (${percent(score)}, ${needed}): tools of ${server}, chosen by ${model}\n`;
}

const named = (tool: string | null | undefined) => (tool == null ? 'none' : visible(tool, 100));

/** Rounded down, so that what is not reached does not look so. */
const percent = (share: number) => `${Math.floor(share * 1_000 + 1e-9) / 10} %`;
