// Runs test files in processes of their own, those of all layers at the same time: while one waits for its editor, others use the
// processor. What a process prints is shown when it is done with its files, so that it stands together.
import type { ChildProcess } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { inRepository, remove, sourceOf, temporaryFolder } from './paths';
import { atExit, killGroup, spawnGroup, stopGroup } from './processes';
import { type FileReport, nothingRan, type Report, readReport } from './report';

/** Files for one process. */
export interface Job {
  layer: string;
  /** No more jobs of the layer at once. */
  most: number;
  /** Whether it shows a window, of which all layers together may have only so many. */
  hasWindow: boolean;
  /** Program and arguments, below out/test/setup. It runs the files of `TEST_FILES` and writes the report `TEST_REPORT`. */
  program: [string, ...string[]];
  /**
   * The process gets each job as a message instead, and takes further ones of the layer until it has worked this long, or a test
   * has failed.
   */
  keptMs?: number;
  files: readonly string[];
  timeoutMs: number;
  env: NodeJS.ProcessEnv;
  /** Takes what the process printed. */
  print: (text: string) => void;
}

/** What came of a file, and what the process printed that ran it. */
export interface FileResult extends FileReport {
  layer: string;
  source: string;
  output: string;
}

export interface PoolResult {
  files: FileResult[];
  /** How long the processes of each layer took, one after the other, in milliseconds. */
  work: Record<string, number>;
}

/** How many processes there may be, and how many of them with a window. */
export interface Room {
  atOnce: number;
  windows: number;
}

/** How long a process may take to end its browser and its server. */
const endMs = 60_000;

/**
 * Runs jobs in their order, as many at once as there is room for; one whose layer has as many as it may lets others go first.
 * Never rejects for what they do. @param signal ends it early.
 */
export async function runJobs(
  jobs: readonly Job[],
  { atOnce, windows }: Room,
  signal: AbortSignal,
): Promise<PoolResult> {
  const waiting = [...jobs];
  const running = new Map<Promise<void>, Job>();
  const idle: Runner[] = [];
  const files: FileResult[] = [];
  const work: Record<string, number> = {};
  const run = async (job: Job) => {
    const started = performance.now();
    const runner = (await takeIdle(job.layer)) ?? new Runner(job);
    const { report, output, isFree } = await runner.run(job, signal);
    for (const [source, result] of Object.entries(report.files))
      files.push({ ...result, layer: job.layer, source, output });
    // Those that were still to come when the process ended badly.
    const left = job.files.filter(file => !report.files[sourceOf(file)]);
    if (left.length > 0 && left.length < job.files.length && !signal.aborted) waiting.unshift({ ...job, files: left });
    if (isFree && waiting.some(({ layer }) => layer === job.layer)) idle.push(runner);
    else if (isFree) await close(runner);
    work[job.layer] = (work[job.layer] ?? 0) + performance.now() - started;
  };
  /** What is wrong with how it ended is a failure of the file that it ran last. */
  const close = async (runner: Runner) => {
    const failure = await runner.close();
    const last = files.find(({ layer, source }) => layer === runner.layer && source === runner.last);
    if (failure && last) last.failures.push(failure);
  };
  const takeIdle = async (layer: string): Promise<Runner | undefined> => {
    for (;;) {
      const at = idle.findIndex(runner => runner.layer === layer);
      const [runner] = at < 0 ? [] : idle.splice(at, 1);
      if (!runner?.hasEnded) return runner;
      await close(runner);
    }
  };
  const mayRun = ({ layer, most, hasWindow }: Job) => {
    const others = [...running.values()];
    const isFull = hasWindow && others.filter(other => other.hasWindow).length >= windows;
    return !isFull && others.filter(other => other.layer === layer).length < most;
  };
  for (;;) {
    const next = running.size < atOnce && !signal.aborted ? waiting.findIndex(mayRun) : -1;
    const job = waiting[next];
    if (job) {
      waiting.splice(next, 1);
      const ended = run(job).finally(() => running.delete(ended));
      running.set(ended, job);
    } else if (running.size > 0) await Promise.race(running.keys());
    else break;
  }
  await Promise.all(idle.map(close));
  return { files, work };
}

/** A process that runs test files, with temporary folders of its own. */
class Runner {
  readonly layer: string;
  /** Source of the file that it ran last. */
  last: string;
  private readonly folder = temporaryFolder();
  private readonly printed = path.join(this.folder, 'printed');
  private readonly report = path.join(this.folder, 'report.json');
  private readonly output: number;
  private readonly child: ChildProcess;
  private readonly exited: Promise<number | string>;
  private readonly cancelShow = atExit(() => this.show());
  private readonly freeUntil: number;
  private shown = 0;
  /** What it has printed of the job that it runs. */
  private text = '';
  hasEnded = false;
  /** Why it was ended. */
  private ended?: string;

  /** @param job the first, which is still to be run. */
  constructor(private job: Job) {
    const { program, env, keptMs, layer, files } = job;
    const [script, ...args] = program;
    this.layer = layer;
    this.last = sourceOf(files[0] ?? '');
    this.freeUntil = performance.now() + (keptMs ?? 0);
    const temporary = path.join(this.folder, 't');
    fs.mkdirSync(temporary);
    this.output = fs.openSync(this.printed, 'a');
    this.child = spawnGroup(process.execPath, [inRepository('out/test/setup', script), ...args], {
      env: {
        ...process.env,
        ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }),
        ...env,
        ...(keptMs === undefined && { TEST_FILES: JSON.stringify(files), TEST_REPORT: this.report }),
        ...Object.fromEntries(['TMPDIR', 'TMP', 'TEMP', 'XDG_RUNTIME_DIR'].map(name => [name, temporary])),
      },
      stdio: ['ignore', this.output, this.output, ...(keptMs === undefined ? [] : (['ipc'] as const))],
    });
    this.exited = new Promise<number | string>(resolve => {
      this.child.once('error', error => resolve(error.message));
      this.child.once('exit', (code, signal) => resolve(code ?? signal ?? 1));
    }).finally(() => {
      this.hasEnded = true;
    });
  }

  /** @param signal ends it early. @returns `isFree`: it may be given another job, or closed. */
  async run(job: Job, signal: AbortSignal): Promise<{ report: Report; output: string; isFree: boolean }> {
    this.job = job;
    this.text = '';
    const { keptMs, timeoutMs, files, hasWindow } = job;
    const stop = () => this.end('was stopped');
    signal.addEventListener('abort', stop);
    const timer = setTimeout(() => this.end(`took longer than ${timeoutMs / 60_000} minutes`), timeoutMs);
    const isDone = Promise.withResolvers<void>();
    if (keptMs !== undefined) {
      fs.rmSync(this.report, { force: true });
      this.child.once('message', () => isDone.resolve());
      // One that has just died is seen to have ended.
      this.child.send({ files, report: this.report, hasWindow }, () => undefined);
    }
    await Promise.race([this.exited, isDone.promise]);
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    let report = readReport(this.report);
    const isGreen = report.finished && Object.values(report.files).every(({ failures }) => failures.length === 0);
    const isFree = isGreen && !this.hasEnded && !this.ended && performance.now() < this.freeUntil;
    this.last = sourceOf(files.at(-1) ?? '');
    const failure = isFree ? void this.show() : await this.close();
    if (failure) {
      const { file, title } = report.running ?? { file: Object.keys(report.files).at(-1) ?? sourceOf(files[0] ?? '') };
      const its = report.files[file] ?? nothingRan();
      const message = title ? `${failure.message} in "${title}"` : failure.message;
      its.failures.push({ ...failure, title: `the process of ${file}`, message });
      report = { ...report, files: { ...report.files, [file]: its } };
    }
    return { report, output: this.text, isFree };
  }

  /** Lets it end. @returns what is wrong with how it did, unless failed tests explain that. */
  async close(): Promise<FileReport['failures'][number] | undefined> {
    if (this.child.connected) this.child.disconnect();
    const timer = setTimeout(() => this.end('did not end'), endMs);
    const code = await this.exited;
    clearTimeout(timer);
    killGroup(this.child); // nothing that the tests started may stay
    fs.closeSync(this.output);
    this.cancelShow();
    const { finished, files } = readReport(this.report);
    const hasFailed = Object.values(files).some(({ failures }) => failures.length > 0);
    this.show();
    remove(this.folder);
    if (finished && (code === 0 || (code === 1 && hasFailed)) && !this.ended) return undefined;
    const message = this.ended ?? (code === 3 ? 'stayed alive after the last test' : `ended with ${code}`);
    return { title: `the process of ${this.last}`, message, details: message };
  }

  private end(reason: string): void {
    this.ended ??= reason;
    void stopGroup(this.child, 10_000); // asked to end, it removes its windows and their folders itself
  }

  /** Shows what it has printed since. */
  private show(): void {
    if (!fs.existsSync(this.printed)) return;
    const all = fs.readFileSync(this.printed);
    const text = all.subarray(this.shown).toString();
    this.shown = all.length;
    this.text += text;
    this.job.print(text);
  }
}
