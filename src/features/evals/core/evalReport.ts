import { type Phrase, phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { type EvalQuestion, fits } from '../../authors/core';
import {
  type EvalAnswers,
  type EvalPlan,
  type EvalRequest,
  VERSIONS,
  type VersionName,
  type Versions,
} from './evalRun';

const MAX_CELL = 300;

interface EvalResult {
  readonly server: string;
  readonly model: string;
  readonly plan: EvalPlan;
  readonly versions: Versions;
  readonly answers: EvalAnswers;
}

interface Wording {
  /** A phrase in the person's language. */
  word(phrase: Phrase): string;
  number(count: number): string;
  errorText(error: unknown): string;
}

/** The result of a comparison, as Markdown. */
export function evalReport({ server, model, plan, versions, answers }: EvalResult, wording: Wording): string {
  const { word, number, errorText } = wording;
  const totals = totalsOf(answers);
  const of = (version: VersionName) => totals[version];
  const [before, now] = [of('before'), of('now')];
  const cellOf = (request: EvalRequest): readonly [string, string] => {
    const answer = answers.get(request);
    if (!answer) return ['–', '–'];
    if ('failed' in answer) return [cell(errorText(answer.failed)), '–'];
    const score = scoreOf(request, answer);
    const chosen = `${mark(score?.tool)} ${toolText(answer.tool, word)}`;
    return [chosen, score?.arguments === undefined ? '–' : mark(score.arguments)];
  };
  const rows = byQuestion(plan.requests).map(([question, requests]) => {
    const [old, changed] = VERSIONS.map(version => cellOf(requests[version]));
    return [cell(question.question), toolText(question.tool, word), old![0], changed![0], old![1], changed![1]];
  });
  const heads = [
    phrase('Question'),
    phrase('Expected'),
    phrase('Before'),
    phrase('Now'),
    phrase('Arguments before'),
    phrase('Arguments now'),
  ];
  const wrong = plan.requests.flatMap(request => {
    const answer = answers.get(request);
    if (!answer || 'failed' in answer || scoreOf(request, answer)?.arguments !== false) return [];
    const when = word(request.version === 'before' ? phrase('before') : phrase('now'));
    const given = code(JSON.stringify(answer.arguments ?? {}));
    return [`- ${cell(request.question.question)} (${when}): ${toolText(answer.tool, word)} ${given}`];
  });
  const leftOut = [...new Set(VERSIONS.flatMap(version => versions[version].leftOut))];
  const missing = plan.requests.length - before.answered - now.answered;
  const lines = [
    phrase('Right tool: {0} of {1} → {2} of {3}', before.tools, before.answered, now.tools, now.answered),
    before.withArguments + now.withArguments > 0 &&
      phrase(
        'Right arguments: {0} of {1} → {2} of {3}',
        before.arguments,
        before.withArguments,
        now.arguments,
        now.withArguments,
      ),
    phrase(
      'Tokens of the definitions in each request: {0} → {1}',
      number(plan.definitions.before),
      number(plan.definitions.now),
    ),
    missing > 0 && phrase('{0} of {1} requests have no answer.', missing, plan.requests.length),
    leftOut.length > 0 && phrase('Tools not offered to models: {0}', leftOut.map(code).join(', ')),
  ].filter(line => line !== false);
  const title = word(phrase('Tools of {0} that {1} chooses', cell(server), cell(model)));
  return [
    `# ${title}`,
    '',
    ...lines.map(line => `- ${word(line)}`),
    '',
    row(heads.map(word)),
    row(heads.map(() => '---')),
    ...rows.map(row),
    ...(wrong.length > 0 ? ['', `## ${word(phrase('Arguments that were not as expected'))}`, '', ...wrong] : []),
    '',
  ].join('\n');
}

function byQuestion(requests: readonly EvalRequest[]): [EvalQuestion, Record<VersionName, EvalRequest>][] {
  const found = new Map<EvalQuestion, Record<VersionName, EvalRequest>>();
  for (const request of requests) {
    const { question, version } = request;
    found.set(question, { ...found.get(question), [version]: request } as Record<VersionName, EvalRequest>);
  }
  return [...found];
}

const mark = (isRight: boolean | undefined) => (isRight ? '✓' : '✗');

const toolText = (tool: string | undefined, word: Wording['word']) =>
  tool === undefined ? word(phrase('none')) : code(tool);

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

/** Text of others in one line of a table, without markup. */
const cell = (text: string) => visible(text, MAX_CELL).replace(/[\\`*_[\]<>|&#!]/g, '\\$&');

/** Text of others as code in a line of a table: a backslash escapes nothing there, and a bar would end the cell. */
const code = (text: string) => `\`${visible(text, MAX_CELL).replaceAll('`', "'").replaceAll('|', '\\|')}\``;

interface Score {
  /** Whether it is the expected tool, or none where none is. */
  readonly tool: boolean;
  /** Whether the arguments are as expected; undefined: nothing is expected of them. */
  readonly arguments?: boolean | undefined;
}

/** The scores of one version. */
interface Total {
  readonly answered: number;
  readonly tools: number;
  /** Answers whose arguments something is expected of, and how many of them were right. */
  readonly withArguments: number;
  readonly arguments: number;
}

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
