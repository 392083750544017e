import { messageOf } from '../../base/errors';
import { type Phrase, phrase } from '../../base/phrase';
import { plainText } from '../../base/terminalText';
import { visible } from '../../base/text';
import type { ServerDefinition } from '../definition/definition';
import type { HostPorts } from '../definition/ports';
import { LinePump } from '../launch/linePump';
import { type Launch, releaseGroup, signalGroup, spawnGroup } from '../launch/processGroup';
import { splitCommandLine } from '../settings/commandLine';
import { environmentIn, inSandbox, sandboxOf } from './inSandbox';
import type { Sandbox } from './sandbox';
import type { ConfinedLaunch } from './sandboxEngine';

const MAX_LINE_BYTES = 64 * 1024;
/** How long it may take to end after it was asked to, in milliseconds. */
const PATIENCE_MS = 2_000;
/** How long to wait for output after its end, in milliseconds: its children may hold the pipes. */
const DRAIN_MS = 250;

type Ports = Pick<HostPorts, 'sandbox' | 'roots' | 'shellPath'>;
type SandboxFor = (run: ProgramRun, command: string, args: string[]) => Promise<Sandbox | undefined>;

/** The purposes of programs other than servers, and how each is confined. */
const PURPOSES = {
  /**
   * A build runs files that the server may have written, so it is confined like the server, by rules of its own, by default
   * with its folder writable.
   */
  build: async ({ definition, ports, cwd, onLine }, command, args) => {
    const { entry } = definition;
    if (entry?.type !== 'stdio') return undefined;
    const own = entry.dev?.sandbox;
    const built = { ...entry, command, args, sandbox: own ?? entry.sandbox };
    const sandbox = await sandboxOf({ ...definition, entry: built }, ports, line => onLine(line, 'stderr'));
    if (!sandbox || own) return sandbox;
    const { rules } = sandbox;
    return { ...sandbox, rules: { ...rules, write: [...(rules.write ?? []), cwd] } };
  },
  /** The official suite is not a program of the server; it sends requests to it. */
  conformance: async () => undefined,
  /** The person's own package manager or container engine, asked for a version: nothing of the package runs. */
  lookup: async () => undefined,
} satisfies Record<string, SandboxFor>;

interface ProgramRun {
  readonly purpose: keyof typeof PURPOSES;
  /** The definition of its server, with the admitted entry. */
  readonly definition: ServerDefinition;
  readonly ports: Ports;
  /** Words, or a line that is split like in a shell. No shell runs it. */
  readonly commandLine: string | readonly string[];
  readonly cwd: string;
  /** Added to the environment of a server without an `env`. */
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** A line of its output, without escape sequences. */
  onLine(line: string, from: 'stdout' | 'stderr'): void;
}

/**
 * Runs a program for a server to its end, or until `signal` is aborted; what it has started ends with it. Never rejects.
 * @returns why it failed, as it completes "The build failed: ". Undefined: it succeeded, or was cancelled.
 */
export async function runProgram(run: ProgramRun): Promise<Phrase | string | undefined> {
  const { cwd, timeoutMs, signal, onLine, definition, ports, commandLine, env: own = {} } = run;
  const { clearOf } = definition.place;
  if (signal.aborted) return undefined;
  const [command = '', ...args] = typeof commandLine === 'string' ? splitCommandLine(commandLine) : commandLine;
  let isLate = false;
  let confined: ConfinedLaunch | undefined;
  try {
    const sandbox = await PURPOSES[run.purpose](run, command, args);
    const shellPath = await ports.shellPath();
    const env = environmentIn(sandbox, { shellPath, envFile: undefined, own, clearOf });
    const launch: Launch = { command, args, env, cwd, clearOf };
    confined = sandbox && (await inSandbox(launch, sandbox));
    if (signal.aborted) return undefined;
    const child = spawnGroup(confined ?? launch);
    confined?.attach?.(child);
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
    const { pid } = child;
    let killing: NodeJS.Timeout | undefined;
    const end = () => {
      if (pid === undefined || killing) return;
      if (confined) confined.askToEnd(pid);
      else signalGroup(pid, 'SIGTERM');
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
  } finally {
    confined?.end();
  }
}
