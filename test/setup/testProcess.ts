// A process with tests. What it prints is shown when a portion of it is done, so that it stands together.
import type { ChildProcess } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { inRepository, remove, sourceOf, temporaryFolder } from './paths';
import { atExit, killGroup, spawnGroup, stopGroup } from './processes';
import { emptyReport, readReport, writeReport } from './report';
import type { Times } from './times';

/** Test files for one process. */
export interface Portion {
  /** So many portions with this name run at once at most. */
  layer: string;
  most: number;
  /** Whether it shows one, of which all layers together may have so many. */
  hasWindow?: boolean;
  /** Program and arguments, under out/test/setup/. It runs the files of `TEST_FILES` and writes the report `TEST_REPORT`. */
  program: [string, ...string[]];
  /**
   * Whether the process gets `{ files, report }` as a message instead, answers when it is done, and then waits for another
   * portion of the layer, with all that it has started.
   */
  isKept?: boolean;
  files: readonly string[];
  report: string;
  timeoutMs: number;
  env?: NodeJS.ProcessEnv;
  /** Takes what the process printed. */
  print: (text: string) => void;
}

/** How long a process that is kept may take to end its browser and its server. */
const endMs = 60_000;

/** It has temporary folders of its own. A bad end that no failed test explains becomes a problem in its last report. */
export class TestProcess {
  readonly layer: string;
  private readonly folder = temporaryFolder();
  private readonly printed = path.join(this.folder, 'printed');
  private readonly output: number;
  private readonly child: ChildProcess;
  private readonly exited: Promise<number | string>;
  private readonly cancelShow = atExit(() => this.showAll());
  /** So much of what it printed has been shown. */
  private shown = 0;
  private isOver = false;
  /** Why it was ended. */
  private ended?: string;

  /** @param portion the first, which is still to be run. */
  constructor(private portion: Portion) {
    const { program, env, isKept, layer } = portion;
    const [script, ...args] = program;
    this.layer = layer;
    const temporary = path.join(this.folder, 't');
    fs.mkdirSync(temporary);
    this.output = fs.openSync(this.printed, 'a');
    this.child = spawnGroup(process.execPath, [inRepository('out/test/setup', script), ...args], {
      env: {
        ...process.env,
        ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }),
        ...env,
        ...(isKept ? {} : { TEST_FILES: JSON.stringify(portion.files), TEST_REPORT: portion.report }),
        ...Object.fromEntries(['TMPDIR', 'TMP', 'TEMP', 'XDG_RUNTIME_DIR'].map(name => [name, temporary])),
      },
      stdio: ['ignore', this.output, this.output, ...(isKept ? (['ipc'] as const) : [])],
    });
    this.exited = new Promise<number | string>(resolve => {
      this.child.once('error', error => resolve(error.message));
      this.child.once('exit', (code, signal) => resolve(code ?? signal ?? 1));
    }).finally(() => {
      this.isOver = true;
    });
  }

  get hasEnded(): boolean {
    return this.isOver;
  }

  /**
   * Runs a portion. A process that is kept can have another one after it, unless it ended or a test failed.
   * @param signal ends it early. @returns how long its files took.
   */
  async run(portion: Portion, signal: AbortSignal): Promise<{ times: Times; isFree: boolean }> {
    this.portion = portion;
    const { isKept, report, timeoutMs } = portion;
    const stop = () => this.end('was stopped');
    signal.addEventListener('abort', stop);
    const timer = setTimeout(() => this.end(`took longer than ${timeoutMs / 60_000} minutes`), timeoutMs);
    await Promise.race([this.exited, ...(isKept ? [this.ask(portion)] : [])]);
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    const state = readReport(report);
    const isFree = isKept === true && !this.isOver && !this.ended && state?.finished === true && state.failures === 0;
    if (isFree) this.show();
    else await this.close();
    return { times: readReport(report)?.problem ? {} : (state?.took ?? {}), isFree };
  }

  /** Lets it end, and adds what is wrong with how it did to the report of its last portion. */
  async close(): Promise<void> {
    if (this.child.connected) this.child.disconnect();
    const timer = setTimeout(() => this.end('did not end'), endMs);
    const code = await this.exited;
    clearTimeout(timer);
    killGroup(this.child); // nothing that the tests started may stay
    fs.closeSync(this.output);
    this.cancelShow();
    this.showAll();

    const { files, report } = this.portion;
    const state = readReport(report);
    if (state?.finished && (code === 0 || (code === 1 && state.failures > 0))) return;
    const why = this.ended ?? (code === 3 ? 'stayed alive after the last test' : `ended with ${code}`);
    const during = state?.running ? ` in "${state.running}"` : '';
    const problem = `the process of ${files.map(sourceOf).join(', ')} ${why}${during}`;
    writeReport(report, { ...(state ?? emptyReport()), finished: true, running: undefined, problem });
  }

  /** Resolves when it says that it is done. */
  private ask({ files, report }: Portion): Promise<void> {
    const done = new Promise<void>(resolve => this.child.once('message', () => resolve()));
    this.child.send({ files, report }, () => undefined); // one that has just died is seen to have ended
    return done;
  }

  private end(reason: string): void {
    this.ended ??= reason;
    void stopGroup(this.child, 10_000); // asked to end, it removes its windows and their folders itself
  }

  private show(): void {
    const text = fs.readFileSync(this.printed);
    this.portion.print(text.subarray(this.shown).toString());
    this.shown = text.length;
  }

  private showAll(): void {
    this.show();
    remove(this.folder);
  }
}
