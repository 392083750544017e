import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Tool } from '@modelcontextprotocol/client';
import type { HostError } from '../../../base/errors';
import { isWithin } from '../../../base/filePlace';
import { type Phrase, phrase, withValues } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { outputProblem, type ServerState } from '../../../host';
import type { ServerDefinition } from '../../../host/definition';
import {
  checkResult,
  comparable,
  compared,
  fitsRequest,
  has,
  type Outcome,
  type StepFailure,
  wantedError,
} from './checkResult';
import { Coverage, type CoverageSummary } from './coverage';
import { checkSnapshot, type InterfaceSnapshot, snapshotOfServer } from './interfaceSnapshot';
import type { PlacedStep, PlacedTest, TestFile } from './readTestFile';
import type { Expectation, TestStep } from './testSchema';
import { DeniedCall, TestClock, type TestDebugger, TestSession, type TestSessionOptions } from './testSession';

/** The most lines shown of a server's output before it failed to start. */
const MAX_LINES = 20;
const MAX_LINE = 300;

type TestStatus = 'passed' | 'failed' | 'skipped';

interface TestStepResult {
  readonly step: PlacedStep;
  /** `skipped`: a step before it failed, or the run was stopped. */
  readonly status: TestStatus;
  readonly failures: readonly StepFailure[];
}

export interface TestResult {
  readonly test: PlacedTest;
  readonly status: TestStatus;
  readonly durationMs: number;
  readonly steps: readonly TestStepResult[];
  readonly failure?: StepFailure;
}

export interface TestFileResult {
  readonly tests: readonly TestResult[];
  readonly coverage: CoverageSummary;
}

interface TestRunOptions extends Pick<TestSessionOptions, 'definition' | 'guard' | 'ports'> {
  readonly path: string;
  /** Stops the run: the test that runs, and those after it, are skipped. */
  readonly signal: AbortSignal;
  /** Those to run. Default: all of the file. */
  readonly tests?: readonly PlacedTest[];
  /** Whether snapshots are written in place of being compared. */
  readonly updatesSnapshots?: boolean;
  /** Starts the server of each test. Default: it is not debugged. */
  readonly debugger?: Pick<TestDebugger, 'debug'>;
  /** Decides on how long something takes. Default: it never stands still. */
  readonly clock?: TestClock;
  readonly onDidStart?: (test: PlacedTest) => void;
  readonly onDidEnd?: (result: TestResult) => void;
}

type ClockedOptions = TestRunOptions & Required<Pick<TestRunOptions, 'clock'>>;
type StepOptions = ClockedOptions & { readonly coverage: Coverage };

/**
 * Runs the tests of a file one after another, each with a server of its own. Never rejects for what a server does: that is the
 * result of a test. When it resolves, no process of a test is left.
 */
export async function runTests(file: TestFile, given: TestRunOptions): Promise<TestFileResult> {
  const { clock = new TestClock() } = given;
  const options = { ...given, clock };
  const coverage = new Coverage();
  const tests: TestResult[] = [];
  for (const test of options.tests ?? file.tests) {
    if (options.signal.aborted) {
      tests.push(skipped(test));
      continue;
    }
    options.onDidStart?.(test);
    const started = clock.now();
    const { steps, failure } = await runTest(test, file, options, coverage);
    const result = {
      test,
      status: failure ? 'failed' : statusOf(steps),
      steps,
      durationMs: clock.now() - started,
      ...(failure && { failure }),
    };
    tests.push(result);
    options.onDidEnd?.(result);
  }
  return { tests, coverage: coverage.summary };
}

function statusOf(steps: readonly TestStepResult[]): TestStatus {
  if (steps.some(({ status }) => status === 'failed')) return 'failed';
  return steps.every(({ status }) => status === 'passed') ? 'passed' : 'skipped';
}

const skippedStep = (step: PlacedStep): TestStepResult => ({ step, status: 'skipped', failures: [] });

const skipped = (test: PlacedTest): TestResult => ({
  test,
  status: 'skipped',
  durationMs: 0,
  steps: test.steps.map(skippedStep),
});

async function runTest(
  test: PlacedTest,
  file: TestFile,
  options: ClockedOptions,
  coverage: Coverage,
): Promise<{ steps: readonly TestStepResult[]; failure?: StepFailure }> {
  const { ports, guard, path, signal } = options;
  const folder = file.emptyFolder ? await mkdtemp(join(tmpdir(), 'mcptest-')) : undefined;
  const definition = folder ? inFolder(options.definition, folder) : options.definition;
  const roots = file.roots.map(root => resolve(folder ?? dirname(path), root));
  const session = new TestSession({ definition, answers: test.answers, roots, ports, guard, era: test.era });
  try {
    // Before each test: links lead elsewhere as soon as somebody changes them.
    const others = roots.filter(root => !folder || !isWithin(folder, root));
    const problem = others.map(root => guard.rootProblem(root)).find(found => found !== undefined);
    if (problem) return { steps: test.steps.map(skippedStep), failure: { message: problem } };
    const state = await session.start(signal, options.debugger, test.name);
    const all = test.steps.map(skippedStep);
    if (signal.aborted) return { steps: all };
    if (state.kind !== 'ready' || session.notDebugged) return { steps: all, failure: startFailure(session, state) };
    const { era } = session.server.info ?? {};
    if (test.era !== undefined && era !== test.era)
      return { steps: all, failure: { message: phrase('The server does not speak the {0} era.', test.era) } };
    coverage.listed(session.server.catalog);
    for (const [index, step] of test.steps.entries()) {
      const result = await runStep(step, session, file.timeoutMs, { ...options, coverage });
      all[index] = result;
      if (result.status !== 'passed') break; // those after it build on it
    }
    coverage.listed(session.server.catalog); // it may have changed
    return { steps: all };
  } finally {
    await session.dispose();
    if (folder) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function startFailure({ notDebugged, logs }: TestSession, state: ServerState): StepFailure {
  const error = 'error' in state ? state.error : undefined;
  const message = notDebugged
    ? phrase('The server could not be debugged: {0}', notDebugged)
    : phrase('The server did not start: {0}', error?.phrases.reason ?? error?.reason ?? phrase('it stopped'));
  // Of the last of its processes: it may have been tried in two eras.
  const tail = error?.stderrTail ?? [];
  const written = tail.length > 0 ? tail : logs.map(({ text }) => text);
  // The one that says why is in the reason, too.
  const others = written.filter(line => !error?.message.includes(`: ${line} (`));
  const shown = (others.length > 0 ? others : written).slice(-MAX_LINES).map(line => visible(line, MAX_LINE));
  return { message, ...(shown.length > 0 && { actual: shown.join('\n') }) };
}

/** Keeps the reviewed launch the same, whatever the folder is called this time. */
function inFolder(definition: ServerDefinition, cwd: string): ServerDefinition {
  const { entry } = definition;
  return entry?.type === 'stdio' ? { ...definition, entry: { ...entry, cwd } } : definition;
}

async function runStep(
  step: PlacedStep,
  session: TestSession,
  fileTimeoutMs: number,
  options: StepOptions,
): Promise<TestStepResult> {
  const { signal, clock } = options;
  const timeoutMs = step.step.timeoutMs ?? fileTimeoutMs;
  const time = clock.limit(timeoutMs);
  const limit = AbortSignal.any([signal, time.signal]);
  try {
    const found = await failuresOf(step.step, session, { ...options, timeoutMs, limit });
    const failures = found.map(failure => struckOut(failure, text => session.server.redact(text)));
    if (signal.aborted) return skippedStep(step);
    return { step, status: failures.length > 0 ? 'failed' : 'passed', failures };
  } finally {
    time.end();
  }
}

/** Without the secrets of the server: reports go into the logs of other programs. */
const struckOut = ({ message, expected, actual }: StepFailure, redact: (text: string) => string): StepFailure => ({
  message: withValues(message, redact),
  ...(expected !== undefined && { expected: redact(expected) }),
  ...(actual !== undefined && { actual: redact(actual) }),
});

/** What is wrong with what came of a step; of no importance once the run is stopped. */
async function failuresOf(
  step: TestStep,
  session: TestSession,
  {
    path,
    updatesSnapshots,
    clock,
    coverage,
    timeoutMs,
    limit,
  }: StepOptions & { timeoutMs: number; limit: AbortSignal },
): Promise<StepFailure[]> {
  const { expect = {} } = step;
  const before = { logs: session.logs.length, asked: session.asked.length, message: session.lastMessage };
  const started = clock.now();
  const outcome = await outcomeOf(step, session, limit, coverage);
  const tookMs = clock.now() - started;
  if ('denied' in outcome) return [{ message: outcome.denied }];
  if (limit.aborted && 'error' in outcome) {
    const isExpected = expect.error === true || wantedError(expect.error).code === 'TIMEOUT';
    return isExpected ? [] : [{ message: phrase('There was no answer within {0} ms.', timeoutMs) }];
  }
  const failures = checkResult(outcome, expect);
  if ('call' in step && 'result' in outcome) {
    const tool = toolOf(session, step.call);
    const problem = outputProblem(tool, outcome.result as Parameters<typeof outputProblem>[1]);
    if (problem) failures.push({ message: problem });
  }
  if (expect.maxMs !== undefined && tookMs > expect.maxMs)
    failures.push(compared(phrase('The answer took too long (in milliseconds).'), expect.maxMs, Math.round(tookMs)));
  if ('snapshot' in step && 'result' in outcome) {
    const file = join(dirname(path), step.snapshot);
    failures.push(...(await checkSnapshot(file, outcome.result as InterfaceSnapshot, step.allow, updatesSnapshots)));
  }
  failures.push(...unanswered(session, before.asked));
  return failures.length > 0 ? failures : besides(expect, session, before, limit);
}

/** The tool as listed; what is not listed is called all the same, because the server's answer to that may be what is tested. */
function toolOf({ server }: TestSession, name: string): Tool {
  return server.catalog.tools.find(tool => tool.name === name) ?? { name, inputSchema: { type: 'object' } };
}

async function outcomeOf(
  step: TestStep,
  session: TestSession,
  signal: AbortSignal,
  coverage: Coverage,
): Promise<Outcome | { denied: Phrase }> {
  try {
    return { result: await perform(step, session, signal, coverage) };
  } catch (error) {
    if (error instanceof DeniedCall) return { denied: error.phrase };
    const { code, server, phrases } = error as HostError;
    if (code === 'DENIED' || code === 'CHANGED')
      return { denied: phrase('MCP server "{0}" could not {1}: {2}.', server, phrases.action, phrases.reason) };
    return { error: error as HostError };
  }
}

/** @throws HostError, DeniedCall */
async function perform(
  step: TestStep,
  session: TestSession,
  signal: AbortSignal,
  coverage: Coverage,
): Promise<unknown> {
  const { server, requests } = session;
  if ('call' in step) {
    coverage.used('tools', step.call);
    return session.call(toolOf(session, step.call), step.arguments ?? {}, signal);
  }
  if ('read' in step) {
    coverage.read(step.read);
    return requests.readResource(step.read, signal);
  }
  if ('get' in step) {
    coverage.used('prompts', step.get);
    return requests.getPrompt(step.get, step.arguments ?? {}, signal);
  }
  if ('complete' in step) {
    const { prompt, resource, argument, value = '', arguments: given } = step.complete;
    if (resource !== undefined) coverage.used('resourceTemplates', resource);
    const ref =
      prompt !== undefined
        ? { type: 'ref/prompt' as const, name: prompt }
        : { type: 'ref/resource' as const, uri: resource! };
    const params = { ref, argument: { name: argument, value }, ...(given && { context: { arguments: given } }) };
    return requests.complete(params, signal);
  }
  if ('list' in step) {
    await server.catalog.load(step.list);
    const { status, error, items } = server.catalog.list(step.list);
    if (status === 'failed' && error) throw error;
    coverage.listed(server.catalog);
    return { [step.list]: items };
  }
  if ('snapshot' in step) return snapshotOfServer(server);
  const state = await session.subscribe(step.subscribe, signal);
  return { state };
}

/** Questions that the file has no answer to: the test does not say what is to happen then. */
function unanswered({ asked }: TestSession, from: number): StepFailure[] {
  return asked
    .slice(from)
    .filter(({ isAnswered }) => !isAnswered)
    .map(({ what, params }) =>
      compared(phrase('The server asked for {0}, but the file has no answer for that.', what), {}, params),
    );
}

type ExpectedQuestion = NonNullable<Expectation['asked']>[number];

/** A kind stands for any request of it. */
function isAsked({ what, params }: TestSession['asked'][number], wanted: ExpectedQuestion): boolean {
  if (typeof wanted === 'string') return what === wanted;
  return what in wanted && fitsRequest(params, Object.values(wanted)[0]);
}

/** Waits, within the limit of the step, for what is expected besides the answer. */
async function besides(
  expect: Expectation,
  session: TestSession,
  before: { logs: number; asked: number; message: number },
  limit: AbortSignal,
): Promise<StepFailure[]> {
  const { notifications = [], logs = [], asked = [] } = expect;
  if (notifications.length + logs.length + asked.length === 0) return [];
  const look = (): StepFailure[] => {
    const sent = notifications.length > 0 ? session.notifications(before.message) : [];
    const lines = session.logs.slice(before.logs);
    const requests = session.asked.slice(before.asked);
    return [
      ...notifications
        .filter(
          wanted =>
            !sent.some(({ method, params }) => method === wanted.method && has(params ?? {}, wanted.params ?? {})),
        )
        .map(wanted =>
          compared(phrase('The notification {0} was not received.', visible(wanted.method, 100)), wanted, sent),
        ),
      ...logs
        .filter(
          wanted =>
            !lines.some(({ level, text }) => text.includes(wanted.contains) && (wanted.level ?? level) === level),
        )
        .map(wanted => compared(phrase('No such line was logged.'), wanted, lines)),
      ...asked
        .filter(wanted => !requests.some(request => isAsked(request, wanted)))
        .map(wanted =>
          compared(
            phrase('The server did not ask for this.'),
            wanted,
            requests.map(({ what, params }) => comparable({ [what]: params }, wanted)),
          ),
        ),
    ];
  };
  await session.until(() => session.server.state.kind !== 'ready' || look().length === 0, limit);
  return look();
}
