import { homedir } from 'node:os';
import { HostError, messageOf } from '../../base/errors';
import { type Phrase, phrase } from '../../base/phrase';
import { LinePump, plainText } from '../../base/processes';
import { visible } from '../../base/text';
import type { AdmittedLaunch, LaunchPurpose, RefusedLaunch, ServerPurpose } from '../definition/launchGate';
import { programIn } from '../settings';
import { splitCommandLine } from '../settings/entryTexts';
import { type LauncherPorts, launch } from './launcher';

const MAX_LINE_BYTES = 64 * 1024;
/** How long it may take to end after it was asked to, in milliseconds. */
const PATIENCE_MS = 2_000;
/** How long to wait for output after its end, in milliseconds: its children may hold the pipes. */
const DRAIN_MS = 250;

interface ProgramRun {
  readonly admitted: AdmittedLaunch<Exclude<LaunchPurpose, ServerPurpose>> | RefusedLaunch;
  readonly ports: LauncherPorts;
  /** Words, or a line that is split like in a shell; no shell runs it. Absent: the program of the entry, as it is launched. */
  readonly commandLine?: string | readonly string[];
  /** Where that line runs. */
  readonly cwd?: string;
  /** Added to the environment of a server without an `env`, for that line. */
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** The most that it may print on stdout, in bytes. Default: any amount. */
  readonly maxBytes?: number;
  readonly signal: AbortSignal;
  /** A line of its output, without escape sequences. */
  onLine(line: string, from: 'stdout' | 'stderr'): void;
  /** What a person can do if the program was refused its sandbox, before the reason is returned. */
  onRemedy?(remedy: Phrase | string): void;
}

/**
 * Runs a program for a server to its end, or until `signal` is aborted; what it has started ends with it. Never rejects.
 * @returns why it failed, as it completes "The build failed: ". Undefined: it succeeded, or was cancelled.
 */
export async function runProgram(run: ProgramRun): Promise<Phrase | string | undefined> {
  const { admitted, ports, timeoutMs, maxBytes = Number.POSITIVE_INFINITY, signal, onLine } = run;
  if ('needs' in admitted) return admitted.reason;
  if (signal.aborted) return undefined;
  const other = otherProgram(run);
  let isLate = false;
  let bytes = 0;
  try {
    const launched = await launch(admitted, ports, line => onLine(line, 'stderr'), other);
    const ready = await launched.ready();
    if (signal.aborted) {
      await ready.drop();
      return undefined;
    }
    const program = ready.start();
    const { child } = program;
    child.stdin?.end();
    const ended = Promise.withResolvers<{ code: number | null; by: NodeJS.Signals | null }>();
    child.once('exit', (code, by) => ended.resolve({ code, by }));
    child.once('error', ended.reject);
    const closed = new Promise(resolve => child.once('close', resolve));
    const pumps = (['stdout', 'stderr'] as const).map(
      from =>
        new LinePump(child[from]!, {
          maxBytes: MAX_LINE_BYTES,
          onLine: line => void onLine(plainText(line), from),
          onTooLong: () => onLine('(a very long line was omitted)', from),
        }),
    );
    const end = () => program.end(PATIENCE_MS);
    const limit = setTimeout(() => {
      isLate = true;
      end();
    }, timeoutMs);
    child.stdout?.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) end();
    });
    signal.addEventListener('abort', end);
    try {
      const { code, by } = await ended.promise;
      await program.ended();
      await Promise.race([closed, new Promise(resolve => setTimeout(resolve, DRAIN_MS).unref())]);
      await Promise.all(pumps.map(pump => pump.close()));
      if (signal.aborted) return undefined;
      if (bytes > maxBytes) return phrase('it printed more than {0} KB', maxBytes / 1024);
      if (code === 0) return undefined;
      if (isLate)
        return timeoutMs < 60_000
          ? phrase('it took longer than {0} s', timeoutMs / 1_000)
          : phrase('it took longer than {0} minutes', timeoutMs / 60_000);
      return by ? phrase('it was ended by {0}', by) : phrase('it ended with code {0}', String(code));
    } finally {
      clearTimeout(limit);
      signal.removeEventListener('abort', end);
      for (const stream of [child.stdout, child.stderr]) stream?.destroy();
      await program.release();
    }
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const { command = '' } = other ?? programIn(admitted.entry) ?? {};
    if (isMissing) return phrase('{0} was not found', visible(command, 200));
    if (!(error instanceof HostError)) return messageOf(error, 200);
    const { reason, remedy } = error.phrases;
    if (remedy) run.onRemedy?.(remedy);
    return reason;
  }
}

function otherProgram({ commandLine, cwd = homedir(), env = {} }: ProgramRun) {
  if (commandLine === undefined) return undefined;
  const [command = '', ...args] = typeof commandLine === 'string' ? splitCommandLine(commandLine) : commandLine;
  return { command, args, cwd, env };
}
