// The layers of the tests: what each has to run, and what came of it. All of them run at the same time (lanes.ts).
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { chooseHost, desktopExecutable } from './host';
import { runInLanes } from './lanes';
import { inRepository, remove, sourceOf, temporaryFolder, testFiles } from './paths';
import { portions } from './portions';
import { readReport } from './report';
import type { Portion } from './testProcess';
import { expectedMs, rememberTimes } from './times';

/** What a layer has for one process. */
type Share = Pick<Portion, 'program' | 'files' | 'timeoutMs' | 'env' | 'isKept'>;

export interface Layer {
  name: string;
  /** Whether it needs the VS Code server and the browser. */
  browser: boolean;
  /** So many of its processes at once. */
  most(atOnce: number): Promise<number>;
  /** @param isNarrowed when a pattern leaves little of each file. */
  shares(files: string[], most: number, isNarrowed: boolean): Promise<Share[]> | Share[];
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
  /** How long its processes took, one after the other. */
  workMs?: number;
}

const minutes = (n: number) => n * 60_000;

/** How many processes run tests at the same time. More than there are processors, as each waits a good part of its time. */
export const processesAtOnce = () => Number(process.env.TEST_PROCESSES) || os.availableParallelism() + 2;

/** A machine with much to do is no reason to fail: what a test waits for may take three times as long before it is missing. */
const slow = { TEST_PATIENCE: '3' };

/** What a window with its server, its browser and the servers of its tests takes at most. */
const windowBytes = 2.5e9;

/** How many of them have a window. One less than there are, as the tests without one wait most; more only slow each other down. */
function windowsAtOnce(): number {
  const memory = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  const most = Math.floor(Math.min(memory, os.totalmem()) / windowBytes);
  return Math.max(1, Math.min(os.availableParallelism() + 1, most));
}

/** A window of the editor layer for each of them; every test that is not in a folder of one of these names is in `editor`. */
function workspaceOf(file: string): string {
  const [folder = ''] = path.relative(inRepository('out/test/editor'), file).split(path.sep);
  return fs.existsSync(inRepository('test/workspaces', folder)) ? folder : 'editor';
}

export const layers: Layer[] = [
  {
    name: 'unit',
    browser: false,
    most: async atOnce => atOnce,
    shares: (files, most, isNarrowed) =>
      portions(files, fileMs(), isNarrowed ? most : undefined).map(share => ({
        program: ['mochaChild.js'],
        files: share,
        timeoutMs: minutes(8),
        env: slow,
      })),
  },
  {
    name: 'editor',
    browser: true,
    // A desktop has one focus, which several windows would take from each other.
    most: async () => ((await chooseHost()) === 'desktop' ? 1 : 2),
    shares: async (files, most, isNarrowed) => {
      const host = await chooseHost();
      console.log(`VS Code: ${host}`);
      if (host === 'desktop') await desktopExecutable(); // downloaded once
      return [...Map.groupBy(files, workspaceOf)].flatMap(([workspace, own]) => {
        // The other workspaces run beside it.
        const count = workspace === 'editor' && !isNarrowed ? Math.min(most, Math.ceil(windowsAtOnce() / 4)) : 1;
        return portions(own, fileMs(), count).map(
          (share): Share => ({
            program: ['editorRun.js', workspace],
            files: share.sort(), // in a window, in the order of their names
            // Each test has a limit of its own; most files share one window, which took 13 minutes on a busy machine.
            timeoutMs: minutes(33),
            env: { ...slow, TEST_TIMEOUT_MS: `${minutes(30)}` },
          }),
        );
      });
    },
  },
  {
    name: 'ui',
    browser: true,
    most: async atOnce => atOnce,
    // A file at a time, so that what a process that dies takes along is one.
    shares: files =>
      files.map(file => ({
        program: ['uiChild.js'],
        isKept: true,
        files: [file],
        timeoutMs: minutes(20),
        env: slow,
      })),
  },
];

function fileMs(): (file: string) => number {
  const msOf = expectedMs();
  return file => msOf(sourceOf(file));
}

/**
 * Runs layers at the same time, what takes longest first. Never rejects for what they do.
 * @param env for the processes, besides. @param signal ends it early.
 */
export async function runLayers(
  wanted: readonly Layer[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<Map<string, LayerResult>> {
  const reports = temporaryFolder();
  const folderOf = ({ name }: Layer) => path.join(reports, name);
  try {
    const atOnce = processesAtOnce();
    const isNarrowed = Boolean(env.MOCHA_GREP ?? process.env.MOCHA_GREP);
    const all: Portion[] = [];
    for (const layer of wanted)
      all.push(...(await portionsOf(layer, { env, atOnce, reports: folderOf(layer), isNarrowed })));
    const msOf = fileMs();
    const weight = ({ files }: Portion) => files.reduce((ms, file) => ms + msOf(file), 0);
    const { times, work } = await runInLanes(
      all.toSorted((a, b) => weight(b) - weight(a)),
      { atOnce, windows: windowsAtOnce() },
      signal,
    );
    if (!isNarrowed) rememberTimes(times);
    const resultOf = (layer: Layer) => ({ ...count(folderOf(layer), isNarrowed), workMs: work[layer.name] ?? 0 });
    return new Map(wanted.map(layer => [layer.name, resultOf(layer)]));
  } finally {
    remove(reports);
  }
}

let shown = '';

async function portionsOf(
  layer: Layer,
  {
    env,
    atOnce,
    reports,
    isNarrowed,
  }: { env: NodeJS.ProcessEnv; atOnce: number; reports: string; isNarrowed: boolean },
): Promise<Portion[]> {
  const { name } = layer;
  const artifacts = inRepository('artifacts', name);
  remove(artifacts);
  for (const folder of [artifacts, reports]) fs.mkdirSync(folder, { recursive: true });
  const files = testFiles(inRepository('out/test', name));
  const most = await layer.most(atOnce);
  const print = (text: string) => {
    if (/^\s*(0 passing \(\w+\)\s*|Exit code:\s+0\s*)*$/.test(text)) return; // `MOCHA_GREP` left nothing of the files
    if (shown !== name) fs.writeSync(1, `\n=== ${name}\n`);
    shown = name;
    fs.writeSync(1, text);
    fs.appendFileSync(path.join(artifacts, 'console.log'), text);
  };
  const shares = files.length > 0 ? await layer.shares(files, most, isNarrowed) : [];
  return shares.map(({ env: own, ...share }, index) => ({
    ...share,
    layer: name,
    most,
    hasWindow: layer.browser,
    report: path.join(reports, `${name}-${index + 1}.json`),
    env: { ...own, ...env, TEST_ARTIFACTS: artifacts },
    print,
  }));
}

export const problem = (why: string): LayerResult => ({ passes: 0, failures: 0, failed: [], problems: [why] });

/** One line for each reason. */
export const leftOutLines = ({ leftOut = {} }: LayerResult): string[] =>
  Object.entries(leftOut).map(([reason, tests]) => `${tests} left out (${reason})`);

/** Adds the reports up. A run that did not reach its end is a problem. */
function count(reports: string, isNarrowed: boolean): LayerResult {
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
  }
  if (result.passes + result.failures + result.problems.length === 0 && !isNarrowed)
    result.problems.push('no test ran');
  return result;
}
