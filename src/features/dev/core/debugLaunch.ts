import { languageOf } from '../../../host/launch';
import type { ServerEntry } from '../../../host/settings';

export type ProgramEntry = Extract<ServerEntry, { type: 'stdio' }>;

/** The debuggers for which a program is started another way; what others need is in the entry itself. */
type Known = 'node' | 'python';

/** How a server is debugged. */
export interface DebugWay {
  /** The launch of its program; undefined: as in its entry. */
  readonly known: Known | undefined;
  /** As VS Code calls the debugger. */
  readonly type: string;
  /** Members of `dev.debug` for the configuration. */
  readonly own: Readonly<Record<string, unknown>>;
}

/** A configuration of VS Code's debugger. */
export interface AttachConfiguration {
  readonly type: string;
  readonly name: string;
  readonly request: 'attach';
  readonly [member: string]: unknown;
}

/** Only this machine may reach a program that runs whatever a debugger sends. */
export const LOOPBACK = '127.0.0.1';
const TYPES: Readonly<Record<Known, string>> = { node: 'node', python: 'debugpy' };
const KNOWN_TYPES: Readonly<Record<string, Known>> = {
  node: 'node',
  'pwa-node': 'node',
  python: 'python',
  debugpy: 'python',
};
const INSPECTOR = /^--inspect(-brk|-wait|-port)?(=|$)/;

/** How this server is debugged, as its entry says or else by its program; undefined: that is not known. */
export function debugWay({ command, dev }: Pick<ProgramEntry, 'command' | 'dev'>): DebugWay | undefined {
  const debug = dev?.debug;
  if (typeof debug === 'object') {
    const { type, ...own } = debug;
    return { known: KNOWN_TYPES[type], type, own };
  }
  const known = debug ?? languageOf(command);
  return known && { known, type: TYPES[known], own: {} };
}

/**
 * The entry as it is launched to wait for a debugger on this port. A program that starts Node by another name, such as npx,
 * passes the flag on in a variable. Undefined when its command line contains no recognizable Python.
 */
export function underDebugger(entry: ProgramEntry, known: Known, port: number): ProgramEntry | undefined {
  const { command, args, env } = entry;
  if (known === 'node') {
    const flag = `--inspect-brk=${LOOPBACK}:${port}`;
    if (languageOf(command) === 'node') return { ...entry, args: [flag, ...withoutInspector(args)] };
    return { ...entry, env: { ...env, NODE_OPTIONS: [env.NODE_OPTIONS, flag].filter(Boolean).join(' ') } };
  }
  const python = [command, ...args].findIndex(word => languageOf(word) === 'python');
  if (python === -1) return undefined;
  const at = afterOptions(args, python);
  const debugpy = ['-m', 'debugpy', '--listen', `${LOOPBACK}:${port}`, '--wait-for-client'];
  return { ...entry, args: [...args.slice(0, at), ...debugpy, ...args.slice(at)] };
}

/** The debug configuration that attaches to it. The entry's own settings apply, except for the target. */
export function attachConfiguration(
  { known, type, own }: DebugWay,
  name: string,
  cwd: string,
  port: number | undefined,
): AttachConfiguration {
  const fixed = { type, name, request: 'attach' } as const;
  if (known === undefined) return { ...own, ...fixed };
  const { websocketAddress: _1, processId: _2, listen: _3, host: _4, port: _5, ...others } = own;
  if (known === 'python') return { ...others, ...fixed, connect: { host: LOOPBACK, port } };
  const skipFiles = ['<node_internals>/**'];
  return { skipFiles, cwd, continueOnAttach: true, ...others, ...fixed, address: LOOPBACK, port };
}

/** Without a port of its own, which would count instead; what comes after the script is the script's. */
function withoutInspector(args: readonly string[]): string[] {
  const script = args.findIndex(argument => !argument.startsWith('-'));
  return args.filter((argument, index) => (script !== -1 && index > script) || !INSPECTOR.test(argument));
}

/** Where the options of Python itself end: before the script, `-m` or `-c`. */
function afterOptions(args: readonly string[], from: number): number {
  let at = from;
  while (at < args.length && /^-[^mc]/.test(args[at]!)) at += /^-[XW]$/.test(args[at]!) ? 2 : 1;
  return Math.min(at, args.length);
}
