import { delimiter, dirname, resolve } from 'node:path';
import { isWithin } from '../../../base/filePlace';
import type { ServerDefinition } from '../../../host/definition';
import { knownProgram, languageOf, programName, scriptAt } from '../../../host/launch';
import type { ProgramEntry } from '../../../host/settings';

/** The debuggers for which a program is started another way; what others need is in the entry itself. */
type KnownDebugger = 'node' | 'python';

export interface DebugWay {
  /** The launch of its program; undefined: as in its entry. */
  readonly known: KnownDebugger | undefined;
  /** As VS Code calls the debugger. */
  readonly type: string;
  /** Members of `dev.debug` for the configuration. */
  readonly own: Readonly<Record<string, unknown>>;
}

export interface AttachConfiguration {
  readonly type: string;
  readonly name: string;
  readonly request: 'attach';
  readonly [member: string]: unknown;
}

/** Only this machine may reach a program that runs whatever a debugger sends. */
export const LOOPBACK = '127.0.0.1';
const TYPES: Readonly<Record<KnownDebugger, string>> = { node: 'node', python: 'debugpy' };
const KNOWN_TYPES: Readonly<Record<string, KnownDebugger>> = {
  node: 'node',
  'pwa-node': 'node',
  python: 'python',
  debugpy: 'python',
};
/** Names the port to the `sitecustomize.py` in `media/debugpy`. */
const DEBUGPY_PORT = 'MCP_HOST_DEBUGPY';
const NO_PACKAGES = '!**/node_modules/**';
const INSPECTOR = /^--inspect(-brk|-wait|-port)?(=|$)/;

/** How this server is debugged, as its entry says or else by its program; undefined: that is not known. */
export function debugWay({ command, dev }: Pick<ProgramEntry, 'command' | 'dev'>): DebugWay | undefined {
  const debug = dev?.debug;
  if (typeof debug === 'object') {
    const { type, ...own } = debug;
    return { known: KNOWN_TYPES[type], type, own };
  }
  const known = debug ?? languageOf(command) ?? (isUv(command) ? 'python' : undefined);
  return known && { known, type: TYPES[known], own: {} };
}

/** How a program is made to wait for a debugger. */
interface Waiting {
  readonly port: number;
  readonly debugpyFolder: string;
}

/**
 * The entry as it is launched to wait for a debugger. A program that starts Node by another name, such as npx, passes the flag on
 * in a variable; uv provides debugpy, and a variable makes the Python that it starts wait. Undefined when the command line contains
 * no recognizable Python.
 */
export function underDebugger(
  entry: ProgramEntry,
  known: KnownDebugger,
  { port, debugpyFolder }: Waiting,
): ProgramEntry | undefined {
  const { command, args, env } = entry;
  if (known === 'node') {
    const flag = `--inspect-brk=${LOOPBACK}:${port}`;
    if (languageOf(command) === 'node') return { ...entry, args: [flag, ...withoutInspector(args)] };
    return { ...entry, env: { ...env, NODE_OPTIONS: [env.NODE_OPTIONS, flag].filter(Boolean).join(' ') } };
  }
  const words = [command, ...args];
  const python = words.findIndex(word => languageOf(word) === 'python');
  if (python !== -1) {
    const at = afterOptions(args, python);
    const debugpy = ['-m', 'debugpy', '--listen', `${LOOPBACK}:${port}`, '--wait-for-client'];
    return { ...entry, args: [...args.slice(0, at), ...debugpy, ...args.slice(at)] };
  }
  const uv = words.findIndex(isUv);
  const run = programName(words[uv] ?? '') === 'uv' ? words.indexOf('run', uv) : uv;
  if (run === -1) return undefined;
  const { PYTHONPATH = process.env.PYTHONPATH } = env;
  const path = [debugpyFolder, PYTHONPATH].filter(Boolean).join(delimiter);
  return {
    ...entry,
    args: [...args.slice(0, run), '--with', 'debugpy', ...args.slice(run)],
    env: { ...env, PYTHONPATH: path, [DEBUGPY_PORT]: String(port) },
  };
}

const isUv = (word: string): boolean => ['uv', 'uvx'].includes(knownProgram(programName(word))?.family ?? '');

/**
 * The folders that may hold the source maps of a program: its workspace folder, the `cwd` of its entry, and the folder of its
 * script. The home folder, where a person's servers start by default, is too large to be searched.
 */
export function sourceFolders({ source, place }: ServerDefinition, { command, args, cwd }: ProgramEntry): string[] {
  const script = args[scriptAt(command, args) ?? -1];
  const folders = [
    ...(source.scope === 'workspace' || source.scope === 'workspaceFolder' ? [place.base] : []),
    ...(place.saysCwd && cwd !== undefined ? [cwd] : []),
    ...(script === undefined ? [] : [dirname(resolve(cwd ?? place.base, script))]),
  ];
  return folders.filter((folder, index) => !folders.slice(0, index).some(other => isWithin(other, folder)));
}

/** What an attach configuration says about the program. */
interface Target {
  readonly cwd: string;
  /** See `sourceFolders`. */
  readonly folders: readonly string[];
  readonly port: number | undefined;
}

/** The debug configuration that attaches to it. The entry's own settings apply, except for the target. */
export function attachConfiguration(
  { known, type, own }: DebugWay,
  name: string,
  { cwd, folders, port }: Target,
): AttachConfiguration {
  const fixed = { type, name, request: 'attach' } as const;
  if (known === undefined) return { ...own, ...fixed };
  const { websocketAddress: _1, processId: _2, listen: _3, host: _4, port: _5, ...others } = own;
  if (known === 'python') return { ...others, ...fixed, connect: { host: LOOPBACK, port } };
  const within = (pattern: string) => folders.map(folder => `${folder.replaceAll('\\', '/')}/${pattern}`);
  const maps = folders.length > 0 && {
    outFiles: [...within('**/*.(m|c|)js'), NO_PACKAGES],
    resolveSourceMapLocations: [...within('**'), NO_PACKAGES],
  };
  const skipFiles = ['<node_internals>/**'];
  return { skipFiles, cwd, continueOnAttach: true, ...maps, ...others, ...fixed, address: LOOPBACK, port };
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
