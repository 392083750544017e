// The layers of the tests: what each has to run, and what came of it. All of them run at the same time (pool.ts).
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { chromium } from './chromium';
import { chooseHost, desktopExecutable } from './host';
import { vscodeServer } from './installServer';
import { inRepository, remove, sourceOf, temporaryFolder, testFiles } from './paths';
import { type FileResult, type Job, runJobs } from './pool';
import { atExit } from './processes';
import { expectedMs, rememberTimes } from './times';
import { productVsix, shippedFiles } from './vsix';

export interface Layer {
  name: string;
  /** Below out/test, where its files are. */
  folder: string;
  isOf?(source: string): boolean;
  /** Whether a file waits for `npm run test:all`, or until it is asked for. */
  isNightly(source: string): boolean;
  /** Whether its files show windows. */
  hasWindow: boolean;
  /** No more of its processes at once. */
  most(): Promise<number>;
  /** What takes long or may be missing; not counted in its time. @returns what its processes find in their environment. */
  prepare?(): Promise<NodeJS.ProcessEnv>;
  /** How its files are run. @param isNarrowed when a pattern leaves little of each file. */
  jobs(files: string[], isNarrowed: boolean): Pick<Job, 'program' | 'files' | 'timeoutMs' | 'env' | 'keptMs'>[];
}

/** What came of a layer. */
export interface LayerResult {
  files: FileResult[];
  /** What went wrong besides failing tests; each is counted as one failure. */
  problems: string[];
  /** How long its processes took, one after the other. */
  workMs: number;
}

/** A result in figures, and in a line for each failure and each reason to leave something out. */
export function counted({ files, problems }: LayerResult): { passed: number; failed: number; lines: string[] } {
  const failures = files.flatMap(file => file.failures);
  const leftOut = new Map<string, number>();
  for (const title of files.flatMap(file => file.leftOut)) {
    const reason = /\[(since [^\]]+)\]/.exec(title)?.[1] ?? `not here: ${title}`;
    leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
  }
  return {
    passed: files.reduce((sum, { passes }) => sum + passes, 0),
    failed: failures.length + problems.length,
    lines: [
      ...failures.map(({ title, message }) => `${title}: ${message}`),
      ...problems,
      ...[...leftOut].map(([reason, tests]) => `${tests} left out (${reason})`),
    ],
  };
}

const minutes = (n: number) => n * 60_000;

/** How many processes run tests at the same time. More than there are processors, as each waits a good part of its time. */
export const processesAtOnce = () => Number(process.env.TEST_PROCESSES) || os.availableParallelism() + 2;

/** A machine with much to do is no reason to fail: what a test waits for may take three times as long before it is missing. */
const slow = { TEST_PATIENCE: process.env.TEST_PATIENCE ?? '3' };

/** What a window with its server, its browser and the servers of its tests takes at most. */
const windowBytes = 2.5e9;

/** How many processes have a window. One less than there are, as the others wait most; more only slow each other down. */
function windowsAtOnce(): number {
  const memory = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  const most = Math.floor(Math.min(memory, os.totalmem()) / windowBytes);
  return Math.max(1, Math.min(os.availableParallelism() + 1, most));
}

/** The editor layer has a window for each of these folders; what is in none is in `editor`. */
function workspaceOf(file: string): string {
  const [folder = ''] = path.relative(inRepository('out/test/editor'), file).split(path.sep);
  return fs.existsSync(inRepository('test/workspaces', folder)) ? folder : 'editor';
}

/** A file at a time, so that a process that dies takes no other along. */
const one = (keptMs: number, timeoutMs: number): Layer['jobs'] => {
  return files => files.map(file => ({ program: ['child.js'], keptMs, files: [file], timeoutMs, env: slow }));
};

/** Broad rather than deep. */
const isNightly = (source: string) => source.endsWith('.night.test.ts');

const unit: Layer = {
  name: 'unit',
  folder: 'unit',
  isNightly,
  hasWindow: false,
  most: async () => processesAtOnce(),
  // All processes of a run compile each module once.
  async prepare() {
    const compiled = temporaryFolder();
    atExit(() => remove(compiled));
    return { NODE_COMPILE_CACHE: compiled };
  },
  // What files leave behind in a process does not add up. To start one and load what is tested takes a second of a processor.
  jobs: one(60_000, minutes(8)),
};

/** The core and what runs without an editor, once more from the files that ship. */
const SHIPPED = /^test\/unit\/host\/(connection\/(wire|eras|elicitation|faultsOf\w+)|sdk\/tasks|npmServers)\.test\.ts$/;
/** What shows that they work at all; bundling alone breaks no more of the others. */
const SHIPPED_FIRST = /\/wire\.test\.ts$/;

export const layers: Layer[] = [
  unit,
  {
    ...unit,
    name: 'package',
    isOf: source => SHIPPED.test(source),
    isNightly: source => !SHIPPED_FIRST.test(source),
    prepare: async () => ({ TEST_PRODUCT: await shippedFiles() }),
  },
  {
    name: 'editor',
    isNightly,
    folder: 'editor',
    hasWindow: true,
    // A desktop has one focus, which several windows would take from each other.
    most: async () => ((await chooseHost()) === 'desktop' ? 1 : 2),
    async prepare() {
      const host = await chooseHost();
      console.log(`VS Code: ${host}`);
      if (host === 'desktop')
        await desktopExecutable(); // downloaded once
      else await installed();
      return {};
    },
    jobs: (files, isNarrowed) =>
      [...Map.groupBy(files, workspaceOf)].flatMap(([workspace, own]) => {
        const halves = workspace === 'editor' && !isNarrowed && own.length > 1 ? inHalves(own) : [own];
        return halves.map(share => ({
          program: ['editorRun.js', workspace],
          files: share.sort(), // in a window, in the order of their names
          // Each test has a limit of its own; most files share one window, which took 13 minutes on a busy machine.
          timeoutMs: minutes(33),
          env: { ...slow, TEST_TIMEOUT_MS: `${minutes(30)}` },
        }));
      }),
  },
  {
    name: 'ui',
    isNightly,
    folder: 'ui',
    hasWindow: true,
    most: async () => processesAtOnce(),
    async prepare() {
      await installed();
      return { TEST_VSIX: await productVsix() };
    },
    jobs: one(Number.POSITIVE_INFINITY, minutes(20)),
  },
];

async function installed(): Promise<void> {
  await vscodeServer();
  await chromium();
}

/** Two parts that should take as long as each other. */
function inHalves(files: readonly string[]): string[][] {
  const msOf = fileMs();
  const halves = [0, 1].map(() => ({ ms: 0, files: [] as string[] }));
  for (const file of files.toSorted((a, b) => msOf(b) - msOf(a))) {
    const [first, second] = halves;
    const shorter = first!.ms <= second!.ms ? first! : second!;
    shorter.files.push(file);
    shorter.ms += msOf(file);
  }
  return halves.map(half => half.files);
}

function fileMs(): (file: string) => number {
  const msOf = expectedMs();
  return file => msOf(sourceOf(file));
}

export interface RunOptions {
  /** For the processes, besides. */
  env?: NodeJS.ProcessEnv;
  /** Ends it early. */
  signal: AbortSignal;
  /** The files to run, by source. Default: all of the layer. */
  isWanted?: (source: string, layer: Layer) => boolean;
  /** They failed, and are run once more: their pictures and logs are kept beside the others. */
  isAgain?: boolean;
  /** Takes what processes print. */
  print?: (text: string) => void;
}

/** Runs layers at the same time, what takes longest first. Never rejects for what they do. */
export async function runLayers(
  wanted: readonly Layer[],
  { env = {}, signal, isWanted = () => true, isAgain = false, print = () => {} }: RunOptions,
): Promise<Map<string, LayerResult>> {
  const isNarrowed = Boolean(env.MOCHA_GREP ?? process.env.MOCHA_GREP);
  const jobs: Job[] = [];
  const problems = new Map<string, string[]>();
  for (const layer of wanted) {
    try {
      jobs.push(...(await jobsOf(layer, { env, isWanted, isAgain, isNarrowed, print })));
    } catch (error) {
      problems.set(layer.name, [error instanceof Error ? error.message : String(error)]);
    }
  }
  const msOf = fileMs();
  const weight = ({ files }: Job) => files.reduce((ms, file) => ms + msOf(file), 0);
  const room = { atOnce: processesAtOnce(), windows: windowsAtOnce() };
  const { files, work } = await runJobs(
    jobs.toSorted((a, b) => weight(b) - weight(a)),
    room,
    signal,
  );
  if (!isNarrowed && !isAgain) rememberTimes(Object.fromEntries(files.map(({ source, ms }) => [source, ms])));
  return new Map(
    wanted.map(({ name }) => {
      const own = files.filter(({ layer }) => layer === name);
      return [name, { files: own, problems: problems.get(name) ?? [], workMs: work[name] ?? 0 }];
    }),
  );
}

let shown = '';

async function jobsOf(
  layer: Layer,
  { env, isWanted, isAgain, isNarrowed, print }: Required<Omit<RunOptions, 'signal'>> & { isNarrowed: boolean },
): Promise<Job[]> {
  const { name, folder, hasWindow, isOf } = layer;
  const artifacts = inRepository('artifacts', name, ...(isAgain ? ['again'] : []));
  remove(artifacts);
  fs.mkdirSync(artifacts, { recursive: true });
  const files = testFiles(inRepository('out/test', folder)).filter(file => {
    const source = sourceOf(file);
    return (isOf?.(source) ?? true) && isWanted(source, layer);
  });
  if (files.length === 0) return [];
  const prepared = { ...(await layer.prepare?.()), ...env, TEST_ARTIFACTS: artifacts };
  const tell = (text: string) => {
    if (/^\s*(0 passing \(\w+\)\s*|Exit code:\s+0\s*)*$/.test(text)) return; // `MOCHA_GREP` left nothing of the files
    if (shown !== name) print(`\n=== ${name}\n`);
    shown = name;
    print(text);
    fs.appendFileSync(path.join(artifacts, 'console.log'), text);
  };
  const most = await layer.most();
  return layer.jobs(files, isNarrowed).map(({ env: own, ...job }) => {
    return { ...job, layer: name, most, hasWindow, env: { ...own, ...prepared }, print: tell };
  });
}

// Files with windows that fail are run once more: what passes then is flaky, which is a bug to find, and no failure of the change.

/** More are no accident. */
const MAX_FLAKY = 3;

/** A file that failed and then passed. */
interface Flaky {
  readonly first: FileResult;
  readonly second: FileResult;
}

/**
 * Runs files with windows that failed once more, one after the other, each in a fresh process with the machine to itself. The
 * results of those that pass then take the place of the first, unless it is strict.
 */
export async function runAgain(
  layers: readonly Layer[],
  results: Map<string, LayerResult>,
  { isStrict, ...options }: Pick<RunOptions, 'signal' | 'print'> & { isStrict: boolean },
): Promise<Flaky[]> {
  const failed = layers
    .filter(({ hasWindow }) => hasWindow)
    .flatMap(layer => results.get(layer.name)!.files.map(first => ({ layer, first })))
    .filter(({ first }) => first.failures.length > 0);
  if (failed.length > MAX_FLAKY || options.signal.aborted) return [];
  const flaky: Flaky[] = [];
  for (const { layer, first } of failed) {
    options.print?.(`\n=== once more, alone: ${first.source}\n`);
    const again = await runLayers([layer], { ...options, isWanted: source => source === first.source, isAgain: true });
    const [second] = again.get(layer.name)!.files;
    if (!second || second.failures.length > 0 || second.passes === 0) continue;
    flaky.push({ first, second });
    const { files } = results.get(layer.name)!;
    if (!isStrict) files.splice(files.indexOf(first), 1, second);
  }
  return flaky;
}

/** A line for each test that failed first. Both outputs are kept in `artifacts/flaky.json`. */
export function tellFlaky(flaky: readonly Flaky[], file = inRepository('artifacts/flaky.json')): string[] {
  fs.rmSync(file, { force: true });
  if (flaky.length === 0) return [];
  const kept = flaky.map(({ first, second }) => ({
    file: first.source,
    first: { failures: first.failures, output: first.output },
    second: { passes: second.passes, output: second.output },
  }));
  fs.writeFileSync(file, `${JSON.stringify(kept, null, 2)}\n`);
  return flaky.flatMap(({ first: { source, failures } }) =>
    failures.map(({ title, message }) => `flaky: ${source}: ${title}: ${message} (passed alone: artifacts/flaky.json)`),
  );
}
