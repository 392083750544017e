// Runs one layer of the tests in a process of its own, bounded in time, and counts what it reports.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { inRepository, remove, temporaryFolder, testFiles } from './paths';
import { spawnGroup, stopGroup } from './processes';
import { readReport } from './report';

export interface Layer {
  name: string;
  /** Program and arguments, under out/setup/. */
  program: [string, ...string[]];
  /** For the whole layer. */
  timeoutMs: number;
  /** Whether it needs the VS Code server and the browser. */
  browser: boolean;
  env?: NodeJS.ProcessEnv;
}

export interface LayerResult {
  passes: number;
  failures: number;
  /** Title and message of each test that failed. */
  failed: string[];
  /** What went wrong besides failing tests; each is counted as one failure. */
  problems: string[];
  /** How many tests were left out, by reason. */
  leftOut?: Record<string, number>;
}

const minutes = (n: number) => n * 60_000;

export const layers: Layer[] = [
  { name: 'unit', program: ['unitRun.js'], timeoutMs: minutes(30), browser: false },
  {
    name: 'editor',
    program: ['editorRun.js'],
    timeoutMs: minutes(40),
    browser: true,
    env: { TEST_TIMEOUT_MS: `${minutes(15)}` },
  },
  { name: 'ui', program: ['uiRun.js'], timeoutMs: minutes(30), browser: true },
];

/** Never rejects for what the layer does. `signal` ends it early. */
export async function runLayer(layer: Layer, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<LayerResult> {
  if (testFiles(inRepository('out', layer.name)).length === 0) return problem('there are no tests');
  const artifacts = inRepository('artifacts', layer.name);
  remove(artifacts);
  fs.mkdirSync(artifacts, { recursive: true });
  const reports = temporaryFolder();
  try {
    const crash = await runProcess(layer, { ...env, TEST_REPORTS: reports, TEST_ARTIFACTS: artifacts }, signal);
    return count(reports, crash);
  } finally {
    remove(reports);
  }
}

export const problem = (why: string): LayerResult => ({ passes: 0, failures: 0, failed: [], problems: [why] });

/** One line for each reason. */
export const leftOutLines = ({ leftOut = {} }: LayerResult): string[] =>
  Object.entries(leftOut).map(([reason, tests]) => `${tests} left out (${reason})`);

/** @returns why the process ended badly, or undefined. */
async function runProcess(layer: Layer, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<string | undefined> {
  const [program, ...args] = layer.program;
  const child = spawnGroup(process.execPath, [inRepository('out/setup', program), ...args], {
    env: { ...process.env, ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }), ...layer.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = fs.createWriteStream(path.join(env.TEST_ARTIFACTS ?? '.', 'console.log'));
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ] as const) {
    from?.pipe(to, { end: false });
    from?.pipe(log, { end: false });
  }
  let reason: string | undefined;
  const end = (why: string) => {
    reason ??= why;
    void stopGroup(child, 10_000);
  };
  const stop = () => end('it was stopped');
  const timer = setTimeout(() => end(`it took longer than ${layer.timeoutMs / 60_000} minutes`), layer.timeoutMs);
  signal.addEventListener('abort', stop, { once: true });
  const code = await new Promise<number | string>(resolve => {
    child.once('error', error => resolve(error.message));
    child.once('exit', (exitCode, exitSignal) => resolve(exitCode ?? exitSignal ?? 1));
  });
  clearTimeout(timer);
  signal.removeEventListener('abort', stop);
  await stopGroup(child); // the leader is gone; nothing of its group may stay
  log.end();
  return reason ?? (code === 0 ? undefined : `its process ended with ${code}`);
}

/** Adds the reports up. A run that did not reach its end, or a bad end that no failed test explains, is a problem. */
function count(reports: string, crash: string | undefined): LayerResult {
  const result: LayerResult = { passes: 0, failures: 0, failed: [], problems: [] };
  for (const name of fs.readdirSync(reports).filter(file => file.endsWith('.json'))) {
    const report = readReport(path.join(reports, name));
    if (!report) continue;
    result.passes += report.passes;
    result.failures += report.failures;
    result.failed.push(...report.failed);
    if (report.problem) result.problems.push(report.problem);
    for (const [reason, tests] of Object.entries(report.leftOut ?? {}))
      result.leftOut = { ...result.leftOut, [reason]: (result.leftOut?.[reason] ?? 0) + tests };
    if (!report.finished)
      result.problems.push(`${path.parse(name).name} ended in "${report.running ?? 'its start'}"; ${crash ?? ''}`);
  }
  if (crash && result.failures + result.problems.length === 0) result.problems.push(crash);
  if (crash?.endsWith('ended with 3')) result.problems.push('its process stayed alive after the last test');
  if (result.passes + result.failures + result.problems.length === 0 && !process.env.MOCHA_GREP)
    result.problems.push('no test ran');
  return result;
}
