import { messageOf } from '../../base/errors';
import { type Phrase, phrase } from '../../base/phrase';
import { plainText } from '../../base/plainText';
import { visible } from '../../base/text';
import { splitCommandLine } from '../settings/commandLine';
import { launchEnvironment } from '../transport/environment';
import { LinePump } from '../transport/linePump';
import { releaseGroup, signalGroup, spawnGroup } from '../transport/processGroup';

const MAX_LINE_BYTES = 64 * 1024;
/** How long it may take to end when it is asked to. */
const PATIENCE_MS = 2_000;
/** How long its output is waited for after its end: what it started may hold the pipes. */
const DRAIN_MS = 250;

interface ProgramRun {
  /** Split as a shell would; no shell runs it. */
  readonly commandLine: string;
  readonly cwd: string;
  /** PATH of the person's login shell. */
  readonly shellPath: string | undefined;
  /** See `LaunchPlace`. */
  readonly clearOf: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** A line of its output, without escape sequences. */
  onLine(line: string): void;
}

/**
 * Runs a program to its end, or until `signal` is aborted; what it has started ends with it. Its environment is that of a server
 * without an `env`. Never rejects.
 * @returns why it failed, as it completes "The build failed: ". Undefined: it succeeded, or was cancelled.
 */
export async function runProgram(run: ProgramRun): Promise<Phrase | string | undefined> {
  const { cwd, shellPath, clearOf, timeoutMs, signal, onLine } = run;
  if (signal.aborted) return undefined;
  const [command = '', ...args] = splitCommandLine(run.commandLine);
  const env = launchEnvironment({ shellPath, envFile: undefined, own: {}, clearOf });
  let isLate = false;
  try {
    const child = spawnGroup({ command, args, env, cwd, clearOf, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = Promise.withResolvers<{ code: number | null; by: NodeJS.Signals | null }>();
    child.once('exit', (code, by) => ended.resolve({ code, by }));
    child.once('error', ended.reject);
    const closed = new Promise(resolve => child.once('close', resolve));
    const listeners = {
      maxBytes: MAX_LINE_BYTES,
      onLine: (line: string) => {
        onLine(plainText(line));
        return undefined;
      },
      onTooLong: () => onLine('(a very long line was omitted)'),
    };
    const pumps = [child.stdout!, child.stderr!].map(stream => new LinePump(stream, listeners));
    const { pid } = child;
    let killing: NodeJS.Timeout | undefined;
    const end = () => {
      if (pid === undefined || killing) return;
      signalGroup(pid, 'SIGTERM');
      killing = setTimeout(() => signalGroup(pid, 'SIGKILL'), PATIENCE_MS);
    };
    const limit = setTimeout(() => {
      isLate = true;
      end();
    }, timeoutMs);
    signal.addEventListener('abort', end);
    try {
      const { code, by } = await ended.promise;
      await Promise.race([closed, new Promise(resolve => setTimeout(resolve, DRAIN_MS).unref())]);
      await Promise.all(pumps.map(pump => pump.close()));
      if (signal.aborted || code === 0) return undefined;
      if (isLate) return phrase('it took longer than {0} minutes', timeoutMs / 60_000);
      return by ? phrase('it was ended by {0}', by) : phrase('it ended with code {0}', String(code));
    } finally {
      clearTimeout(limit);
      clearTimeout(killing);
      signal.removeEventListener('abort', end);
      if (pid !== undefined) releaseGroup(pid);
      for (const stream of [child.stdout, child.stderr]) stream?.destroy();
    }
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return isMissing ? phrase('{0} was not found', visible(command, 200)) : messageOf(error, 200);
  }
}
