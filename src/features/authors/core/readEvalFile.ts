import * as z from 'zod';
import { phrase } from '../../../base/phrase';
import { checkPart, has } from './checkResult';
import { checkShape, sourceWithProblems } from './readTestFile';
import type { PlacedProblem, TextPlace } from './sourceText';
import { part } from './testSchema';

/** Each is asked twice, and costs. */
const MAX_QUESTIONS = 200;
/** What a file expects where the model should call no tool. */
const NO_TOOL = 'none';
const PATH = 'JSONPath (RFC 9535) into the arguments, for example "$.text".';

const question = z.strictObject({
  question: z.string().min(1).describe('What a person asks.'),
  expect: z
    .string()
    .min(1)
    .describe(`Name of the tool that the model should call, or "${NO_TOOL}" where it should call none.`),
  arguments: z
    .record(z.string(), z.unknown())
    .describe('Members that the arguments of the call have. They may have others too.')
    .optional(),
  // There is a validator of schemas only where servers run.
  matches: z
    .array(part.omit({ schema: true }).extend({ path: part.shape.path.describe(PATH) }))
    .describe('What parts of the arguments are.')
    .optional(),
});
const evalFile = z.strictObject({
  $schema: z.string().optional(),
  questions: z
    .array(question)
    .min(1)
    .max(MAX_QUESTIONS)
    .describe('Each is one request to the model for each version of the descriptions.'),
});

/** The JSON schema of files of questions, for completion, hovers and squiggles. */
export const evalFileJsonSchema = (): object => ({
  ...z.toJSONSchema(evalFile, { io: 'input' }),
  title: 'Questions, and the tools that a model should call for them',
});

/** A question, and what a model should do about it. */
export interface EvalQuestion {
  readonly question: string;
  /** The tool that it should call; undefined: none. */
  readonly tool: string | undefined;
  /** Arguments that the call should have. */
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
  readonly matches?: z.output<typeof question>['matches'] | undefined;
  /** Where the file says which tool. */
  readonly place: TextPlace;
}

interface ReadEvalFile {
  /** None if anything is wrong. */
  readonly questions: readonly EvalQuestion[];
  readonly problems: readonly PlacedProblem[];
}

/** Reads the text of a file of questions. Never throws: whatever is wrong is a problem at its line and column. */
export function readEvalFile(text: string, fileName: string): ReadEvalFile {
  const { source, problems, report } = sourceWithProblems(text, fileName);
  const file = problems.length === 0 ? checkShape(evalFile, source.value, [], report) : undefined;
  const questions = (file?.questions ?? []).map(({ expect, ...rest }, n): EvalQuestion => {
    const tool = expect === NO_TOOL ? undefined : expect;
    for (const key of ['arguments', 'matches'] as const)
      if (tool === undefined && rest[key])
        report(['questions', n, key], phrase('Where no tool is expected, there are no arguments.'), true);
    return { ...rest, tool, place: source.at(['questions', n, 'expect']) };
  });
  return { questions: problems.length > 0 ? [] : questions, problems };
}

/** Whether arguments are what a question expects of them; undefined: it expects nothing. */
export function fits(asked: Pick<EvalQuestion, 'arguments' | 'matches'>, args: unknown): boolean | undefined {
  const { arguments: expected, matches } = asked;
  if (!expected && !matches) return undefined;
  const matching = (matches ?? []).every(one => checkPart(args, one).length === 0);
  return matching && (!expected || has(args, expected));
}
