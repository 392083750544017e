import type { ProtocolEra } from '@modelcontextprotocol/client';
import type * as z from 'zod';
import { messageOf } from '../../../base/errors';
import { readBounded } from '../../../base/files';
import { isObject } from '../../../base/json';
import { type Phrase, type PhraseError, phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { didYouMean } from '../../../host/settings';
import { MAX_PROBLEMS, type Path, type PlacedProblem, readSource, type TextPlace } from './sourceText';
import { STEPS, type StepKind, type TestAnswers, type TestStep, testFile } from './testSchema';

/** Larger ones are not read, in bytes: reading one keeps the editor waiting. */
export const MAX_TEST_FILE = 256 * 1024;
const ERAS: readonly ProtocolEra[] = ['legacy', 'modern'];
const DEFAULT_STEP_MS = 30_000;

/** The names of test files: `*.mcptest.json`, `*.mcptest.yaml`, `*.mcptest.yml`. */
export const TEST_FILE = /\.mcptest\.(json|ya?ml)$/i;

/** One step of a test, as it is reported. */
export interface PlacedStep {
  readonly kind: StepKind;
  readonly title: string;
  readonly step: TestStep;
  readonly place: TextPlace;
  /** Where its expectations begin. */
  readonly expectPlace: TextPlace;
}

export interface PlacedTest {
  readonly name: string;
  readonly place: TextPlace;
  readonly steps: readonly PlacedStep[];
  /** Those of the test before those of the file. */
  readonly answers: TestAnswers;
  /** The era that the server has to speak. Undefined: whichever it speaks. */
  readonly era?: ProtocolEra;
}

export interface TestFile {
  /** The name of a server in settings, or an entry as it would stand there. */
  readonly server: string | Readonly<Record<string, unknown>>;
  readonly emptyFolder: boolean;
  readonly roots: readonly string[];
  readonly timeoutMs: number;
  readonly tests: readonly PlacedTest[];
  /** Where a problem of the entry is, by its path in the entry. */
  serverPlace(path: Path, onKey?: boolean): TextPlace;
}

/** A test file that was read: without `file` if something is wrong in it. */
interface ReadTestFile {
  readonly file?: TestFile;
  readonly problems: readonly PlacedProblem[];
}

export const readText = (path: string): Promise<string> => readBounded(path, MAX_TEST_FILE);

/** What a file has in place of tests when it can't be opened. */
export const unreadable = (error: unknown): PlacedProblem => ({
  place: { line: 0, column: 0 },
  message: phrase('The file cannot be read: {0}', (error as Partial<PhraseError>).phrase ?? messageOf(error, 200)),
});

/** Reads the text of a test file. Never throws: whatever is wrong is a problem at its line and column. */
export function readTestFile(text: string, fileName: string): ReadTestFile {
  const { source, problems, report } = sourceWithProblems(text, fileName);
  if (problems.length > 0) return { problems };
  const check = <S extends z.ZodType>(schema: S, value: unknown, path: Path) => checkShape(schema, value, path, report);
  const file = check(testFile, source.value, []);
  const names = new Set<string>();
  const checkStep = (step: unknown, path: Path) => {
    const kind = kindOf(step, message => report(path, message));
    const found = kind && check(STEPS[kind], step, path);
    if (!kind || !found) return undefined;
    if ('complete' in found && (found.complete.prompt === undefined) === (found.complete.resource === undefined))
      report([...path, 'complete'], phrase('This needs either "prompt" or "resource".'));
    return { kind, step: found };
  };
  // What is wrong around steps hides nothing that is wrong in them.
  if (!file) for (const { step, path } of stepsIn(source.value)) checkStep(step, path);
  const tests = (file?.tests ?? []).flatMap(({ name, steps, answers, protocol = file?.protocol }, n): PlacedTest[] => {
    const path = ['tests', n];
    if (names.has(name)) report([...path, 'name'], phrase('There is another test named "{0}".', visible(name, 60)));
    names.add(name);
    const placedSteps = steps.flatMap((step, index) => {
      const stepPath = [...path, 'steps', index];
      const found = checkStep(step, stepPath);
      if (!found) return [];
      const place = source.at(stepPath);
      const expectPlace = found.step.expect ? source.at([...stepPath, 'expect'], true) : place;
      return [{ ...found, title: titleOf(found.kind, found.step), place, expectPlace }];
    });
    const both = {
      sampling: [...(answers?.sampling ?? []), ...(file?.answers?.sampling ?? [])],
      elicitation: [...(answers?.elicitation ?? []), ...(file?.answers?.elicitation ?? [])],
    };
    const placedTest = { name, place: source.at(path), steps: placedSteps, answers: both };
    if (protocol === undefined) return [placedTest];
    if (protocol !== 'both') return [{ ...placedTest, era: protocol }];
    return ERAS.map(era => ({ ...placedTest, name: `${name} (${era})`, era }));
  });
  if (!file || problems.length > 0) return { problems: problems.toSorted(byPlace) };
  const { server, emptyFolder = false, roots = [], timeoutMs = DEFAULT_STEP_MS } = file;
  const serverPlace: TestFile['serverPlace'] = (path, onKey) => source.at(['server', ...path], onKey);
  return { file: { server, emptyFolder, roots, timeoutMs, tests, serverPlace }, problems: [] };
}

export function sourceWithProblems(text: string, fileName: string) {
  const source = readSource(text, /\.json$/i.test(fileName) ? 'json' : 'yaml');
  const problems: PlacedProblem[] = [...source.problems];
  const report: Report = (path, message, onKey = false) => {
    if (problems.length < MAX_PROBLEMS) problems.push({ place: source.at(path, onKey), message });
  };
  return { source, problems, report };
}

const byPlace = ({ place: a }: PlacedProblem, { place: b }: PlacedProblem) => a.line - b.line || a.column - b.column;

function stepsIn(file: unknown): { step: unknown; path: Path }[] {
  const tests = isObject(file) && Array.isArray(file.tests) ? file.tests : [];
  return tests.flatMap((test: unknown, n) => {
    const steps: unknown[] = isObject(test) && Array.isArray(test.steps) ? test.steps : [];
    return steps.map((step, index) => ({ step, path: ['tests', n, 'steps', index] }));
  });
}

const KINDS = Object.keys(STEPS) as StepKind[];

function kindOf(step: unknown, report: (message: Phrase) => void): StepKind | undefined {
  const found = isObject(step) ? KINDS.filter(kind => kind in step) : [];
  const [kind] = found;
  if (kind && found.length === 1) return kind;
  if (kind) report(phrase('A step does one thing, but this one has {0}. Make separate steps.', quotedList(found)));
  else report(phrase('A step needs one of {0}.', quotedList(KINDS)));
  return undefined;
}

function titleOf(kind: StepKind, step: TestStep): string {
  if (step.name !== undefined) return visible(step.name, 100);
  const what =
    'complete' in step ? step.complete.argument : String((step as Partial<Record<StepKind, unknown>>)[kind] ?? '');
  return `${kind} ${visible(what, 80)}`;
}

type Report = (path: Path, message: Phrase, onKey?: boolean) => void;

/** The value as the schema has it; otherwise undefined, and what is wrong is reported. */
export function checkShape<S extends z.ZodType>(
  schema: S,
  value: unknown,
  path: Path,
  report: Report,
): z.output<S> | undefined {
  const { data, error } = schema.safeParse(value, { reportInput: true });
  for (const issue of error?.issues.slice(0, MAX_PROBLEMS) ?? []) reportIssue(issue, path, schema, report);
  return data;
}

function reportIssue(issue: z.core.$ZodIssue, path: Path, schema: z.ZodType, report: Report): void {
  const at = [...path, ...(issue.path as Path)];
  if (issue.code === 'unrecognized_keys') {
    const known = keysOf(schema, issue.path as Path);
    for (const key of issue.keys.slice(0, MAX_PROBLEMS)) {
      const meant = didYouMean(key, known);
      const name = visible(key, 60);
      report(
        [...at, key],
        meant
          ? phrase('"{0}" is unknown here. Did you mean "{1}"?', name, meant)
          : phrase('"{0}" is unknown here.', name),
        true,
      );
    }
    return;
  }
  if (issue.code === 'invalid_union') {
    // The alternative that came nearest says it best.
    const nearest = issue.errors.toSorted((a, b) => depthOf(b) - depthOf(a))[0];
    if (nearest?.[0] && depthOf(nearest) > 0) {
      for (const inner of nearest.slice(0, MAX_PROBLEMS))
        reportIssue({ ...inner, path: [...issue.path, ...inner.path] }, path, schema, report);
      return;
    }
  }
  const name = String(at.at(-1) ?? '');
  if (issue.input === undefined && typeof at.at(-1) === 'string') report(at, phrase('"{0}" is missing.', name));
  else if (issue.code === 'invalid_value')
    report(at, phrase('This must be one of {0}.', quotedList(issue.values.map(String))));
  else if (issue.code === 'too_small') report(at, phrase('This is too small, or empty.'));
  else if (issue.code === 'too_big') report(at, phrase('This is more than {0}.', String(issue.maximum)));
  else if (issue.code === 'invalid_type')
    report(at, phrase('This must be of type {0}.', TYPES.get(issue.expected) ?? issue.expected));
  else if (issue.code === 'invalid_format')
    report(at, phrase('This must be the name of a file that ends in "{0}".', '.snapshot.json'));
  else report(at, phrase('This has the wrong type.'));
}

const TYPES = new Map([
  ['record', 'object'],
  ['int', 'integer'],
]);

/** An alternative that fails further inside, or only by a key too many, was the one that was meant. */
const depthOf = (issues: readonly z.core.$ZodRawIssue[] | readonly z.core.$ZodIssue[]): number =>
  Math.max(0, ...issues.map(({ code, path = [] }) => path.length + (code === 'unrecognized_keys' ? 1 : 0)));

/** The keys that an object of the schema may have at this path, in any of its alternatives. */
function keysOf(schema: unknown, path: Path): string[] {
  let at = schema;
  // A list unwraps to its items, so their numbers say nothing here.
  while (typeof at === 'object' && at !== null && 'unwrap' in at) at = (at as { unwrap(): unknown }).unwrap();
  const { options, shape = {} } = (at ?? {}) as { options?: unknown[]; shape?: Record<string, unknown> };
  if (options) return options.flatMap(option => keysOf(option, path));
  const [key, ...rest] = path.filter(part => typeof part === 'string');
  return key === undefined ? Object.keys(shape) : keysOf(shape[key], rest);
}

const quotedList = (words: readonly string[]): string => words.map(word => `"${word}"`).join(', ');
