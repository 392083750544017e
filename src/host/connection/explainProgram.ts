import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { attempt, type HostErrorOptions, UNSUPPORTED_PROTOCOL_VERSION } from '../../base/errors';
import { isWithin, realPlace } from '../../base/filePlace';
import { firstBytes } from '../../base/files';
import { parsedJson } from '../../base/json';
import { type Phrase, phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import type { LaunchPlace, ServerDefinition } from '../definition/definition';
import { runsPackage, scriptAt } from '../launch/installedProgram';
import type { SandboxAttempts } from '../sandbox/attempts';
import type { ProgramEntry } from '../settings';

/** Lines that never say what went wrong: frames of a stack, marks under a line of code, versions, links, remarks of runtimes. */
const ASIDE = [
  /^[\s|+]*(at |File "|\.{3} \d+ |-{3,} |\d+: \S+$)/,
  /^[\s^~})\],;|+-]*$/,
  /^(Node\.js|Bun|Deno) v?\d/,
  /^(goroutine \d+ |\[signal |exit status \d|created by |note: |stack backtrace:|\(Use `|Traceback )/,
  /^\(node:\d+\).*\b(Deprecation|Experimental)Warning\b/,
  /^npm (ERR!|error) (code |errno |syscall |path |A complete log|\d*\s*$)/,
  /^\W*((see|docs?|documentation|help|support|more|learn|for|read|visit|report|please (see|visit|report))\b.*)?https?:\/\/\S+$/i,
  /^\W*(see|docs?|for (more|help|further|details)|try)\b/i,
];

/** The head of a crash: an uncaught exception or a panic. */
const CRASH = [
  /^(Uncaught )?[\w$.:]*(Error|Exception|Exit|Interrupt)( \[\w+\])?(: .|$)/,
  // Node.js, Go, Rust, .NET, Java.
  /^(panic|fatal error): ./,
  /^thread '.*' (\(\d+\) )?panicked at /,
  /^(Unhandled exception[.:]|Exception in thread ")/,
];
/** Lines that only introduce other lines. */
const GROUP = /^[\w.]*ExceptionGroup: /;

/** A line at level error, as loggers and programs of a command line write it. */
const AT_LEVEL = [
  /\b(ERROR|FATAL|CRITICAL|SEVERE)\b/,
  /\blevel="?(error|fatal|panic)\b/,
  /^(\S+: )?(error|fatal|fail|crit|Error|Fatal error|fatal error)\b.*:/,
  /^npm (ERR!|error) /,
  /^\s*[×✖✗❌⛔🛑]/u,
];
const BELOW = /\b(TRACE|DEBUG|INFO|NOTICE|level="?(trace|debug|info))\b/;
const WORDS =
  /error|exception|missing|required|must |invalid|unknown|unable|unsupported|denied|refused|failed|failure|can't|cannot|could ?n[o']t|not (found|set|exist|supported|defined|installed)|no such|no module/i;

/** What has its message on the next lines. */
const GOES_ON = /(^usage|[:[{(]|validation errors? for \S+|^(fail|crit): \S+\[\d+\])$/i;
/** Node's error for a failed request says nothing without its cause. */
const FETCH_FAILED = /\bfetch failed$/;
const CAUSE = /^\s*\[cause\]: (.+?)( \{)?$/;
const USAGE = /^\s*usage\b/i;
const MAX_MORE = 5;
const MAX_LINE = 500;

/** The line that says what went wrong. */
interface TellingLine {
  /** Its index. */
  readonly at: number;
  /** It, with the lines that complete it; the message alone if it is JSON of a logger. */
  readonly text: string;
}

/**
 * Finds the line that says why a program ended, in what it wrote last: the head of the last crash, the first of the last lines
 * at level error, or of those that speak of an error, or else its usage text, or the last line that says anything. Undefined: there
 * is none.
 */
export function tellingLine(lines: readonly string[]): TellingLine | undefined {
  // Python draws groups of exceptions with bars.
  const bare = lines.map(line => line.slice(0, MAX_LINE).replace(/^\s*(\| ?)+/, ''));
  const says = bare.map(line => !ASIDE.some(aside => aside.test(line)));
  const isAny = (patterns: readonly RegExp[]) => (line: string, at: number) =>
    says[at]! && patterns.some(pattern => pattern.test(line));
  const crash = bare.findLastIndex((line, at) => isAny(CRASH)(line, at) && !GROUP.test(line));
  const first = (matches: (line: string, at: number) => boolean): number => {
    let at = bare.findLastIndex(matches);
    for (let before = at - 1; before >= 0 && (!says[before] || matches(bare[before]!, before)); before--)
      if (says[before]) at = before;
    return at;
  };
  const messages = lines.map(messageAtLevel);
  const found = [
    () => crash,
    () => first((line, at) => messages[at] !== undefined || isAny(AT_LEVEL)(line, at)),
    () => first((line, at) => isAny([WORDS])(line, at) && !BELOW.test(line)),
    () => bare.findIndex(line => USAGE.test(line)),
    () => says.lastIndexOf(true),
  ];
  for (const find of found) {
    const at = find();
    if (at >= 0) return { at, text: messages[at] ?? completed(bare, says, at) };
  }
  return undefined;
}

function completed(lines: readonly string[], says: readonly boolean[], at: number): string {
  let text = lines[at]!.trim();
  const cause = FETCH_FAILED.test(text) && lines.slice(at).find(line => CAUSE.test(line));
  if (cause) return `${text}: ${CAUSE.exec(cause)![1]}`;
  const isOpen = /[[{]$/.test(text);
  for (let next = at + 1; next <= at + MAX_MORE && (isOpen || GOES_ON.test(text)) && says[next]; next++)
    text += ` ${lines[next]!.trim()}`;
  return text;
}

/** The message of a line of JSON at level error (pino counts from 10 to 60). */
function messageAtLevel(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  const said = Object(parsedJson(line)) as Record<string, unknown>;
  const { level, severity = level, lvl = severity, msg, message = msg } = said;
  const isError = typeof lvl === 'number' ? lvl >= 50 : /^(error|fatal|critical|panic)$/i.test(String(lvl));
  return isError && typeof message === 'string' ? message : undefined;
}

/** What Node prints for a missing module: the name of a package, or the path of a file. */
const LACKS_MODULE = /\bCannot find (?:module|package) ['"]?([^'"\s]+)/;
/** Folders of other package managers: which of their commands installs is for the person to know. */
const OTHER_LOCKS = ['pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb', 'deno.lock'];

const MAX_LENGTH = 2_000;

/** The folder that has the packages of a file named in a line. */
const ABOVE_PACKAGES = /(?:file:\/\/)?((?:[A-Za-z]:)?[\\/][^'"():*?<>|]*?)[\\/]node_modules[\\/]/;

type Explanation = Pick<HostErrorOptions, 'code' | 'reason' | 'packages'> & { readonly remedy: Phrase };

/**
 * Explains that a program ended because a file of its own is missing: a native part of a package, the packages of its folder, or
 * its script. Undefined: that is not why.
 * @param told the line that says what went wrong.
 */
export function explainMissing(
  { entry, place, reviewed }: ServerDefinition,
  output: readonly string[],
  told: string,
): Explanation | undefined {
  if (entry?.type !== 'stdio') return undefined;
  const lines = output.map(line => line.slice(0, MAX_LENGTH));
  const { cwd = '', env } = entry;
  const why = NATIVE.find(({ says }) => lines.some(line => says.test(line)))?.why;
  if (why) {
    const skips = /^(true|1)$/.test(env.npm_config_ignore_scripts ?? '');
    const isOwn = reviewed?.type === 'stdio' && 'npm_config_ignore_scripts' in reviewed.env;
    const folder = packagesOf(entry, place, lines);
    return {
      code: 'NOT_INSTALLED',
      reason: phrase("a native part of its packages is missing or can't be loaded ({0})", visible(told, 300)),
      ...mended(skips ? (isOwn ? SKIPPED_BY_ENTRY : SKIPPED_BY_SETTING) : why, folder),
    };
  }
  const isOfPerson = cwd !== '' && !place.inOwnFolder;
  const missed = lines.map(line => LACKS_MODULE.exec(line)?.[1]).filter(name => name !== undefined);
  if (isOfPerson && missed.some(name => (isAbsolute(name) ? isWithin(cwd, name) : !name.startsWith('.')))) {
    const has = (name: string) => existsSync(join(cwd, name));
    if (has('package.json') && !OTHER_LOCKS.some(has) && !hasPackages(cwd))
      return {
        code: 'NOT_INSTALLED',
        reason: phrase('packages are not installed in {0}', visible(cwd, 300)),
        remedy: phrase('Run {0} in that folder, then start it.', INSTALL),
        packages: { command: INSTALL, folder: cwd },
      };
  }
  const script = scriptsOf(entry).find(arg => !isThere(resolve(cwd, arg)) && lines.some(line => names(line, arg)));
  if (script === undefined) return undefined;
  return { code: 'SCRIPT_NOT_FOUND', ...missingScript(script, cwd, place.inOwnFolder) };
}

function missingScript(script: string, cwd: string, inOwnFolder: boolean): Pick<Explanation, 'reason' | 'remedy'> {
  const at = visible(resolve(cwd, script), 300);
  if (isAbsolute(script))
    return {
      reason: phrase('script not found: {0}', at),
      remedy: phrase('Build it, or correct "args" in its settings entry.'),
    };
  if (inOwnFolder)
    return {
      reason: phrase('script not found: {0}; without "cwd", the server runs in an empty folder', visible(script, 300)),
      remedy: phrase(
        'In user settings, give the full path of the script, or set "cwd" to the folder that its path starts at.',
      ),
    };
  return {
    reason: phrase('script not found: {0}, looked for at {1}', visible(script, 300), at),
    remedy: phrase('Build it, or correct "args" or "cwd" in its settings entry: its path starts at "cwd".'),
  };
}

/** What shells and container engines say of such a program. A shell may also read it as a script. */
const NO_PROGRAM = /\b(exec format error|cannot execute binary file)\b/i;
const READ_AS_SCRIPT = /^(.+?): (?:line )?\d+: Syntax error: /;
/** How programs of Linux, Windows and macOS begin. */
const PROGRAMS = /^(7f454c46|4d5a|feedfac[ef]|c[ef]faedfe|cafebabe)/;

/** Explains that a program was made for another processor or system. Undefined: that is not why it ended. */
export function explainForeign({ entry }: ServerDefinition, output: readonly string[]): Explanation | undefined {
  if (entry?.type !== 'stdio') return undefined;
  const script = output.map(line => READ_AS_SCRIPT.exec(line.slice(0, MAX_LENGTH))?.[1]).find(Boolean);
  if (script !== undefined && PROGRAMS.test(firstBytes(resolve(entry.cwd ?? '', script))))
    return foreignProgram(script);
  return output.some(line => NO_PROGRAM.test(line)) ? foreignProgram(entry.command) : undefined;
}

export const foreignProgram = (program: string): Explanation => ({
  code: 'SPAWN_FAILED',
  reason: phrase('the program is for another processor or system: {0}', visible(program, 300)),
  remedy: phrase('Install the one for this computer ({0}).', `${process.platform} ${process.arch}`),
});

/** Explains that `mcp-remote` ended because it can't reach a server that speaks only 2026-07-28. Undefined: that is not why. */
export function explainBridge({ entry }: ServerDefinition, output: readonly string[]): Explanation | undefined {
  if (entry?.type !== 'stdio' || !entry.args.some(arg => /(^|[\\/])mcp-remote\b/.test(arg))) return undefined;
  const url = entry.args.find(arg => /^https?:\/\//.test(arg));
  if (url === undefined || !output.some(line => line.includes(`"code":${UNSUPPORTED_PROTOCOL_VERSION}`)))
    return undefined;
  return {
    code: 'EXITED',
    reason: phrase("mcp-remote can't reach servers that speak 2026-07-28 only"),
    remedy: phrase('In its settings entry, replace "command" and "args" with "url": "{0}".', visible(url, 300)),
  };
}

const INSTALL = 'npm install';
const REBUILD = 'npm rebuild';

const OTHER_NODE = phrase('It was built for another version of Node.');
const OTHER_PLATFORM = phrase('It was made for another platform.');
const UNKNOWN_WHY = phrase(
  'Its install scripts were skipped, or it was installed by another version of Node or on another platform.',
);
const SKIPPED_BY_SETTING = phrase('The setting "mcpHost.installScripts" skips the scripts that build it.');
const SKIPPED_BY_ENTRY = phrase('"npm_config_ignore_scripts" in its "env" skips the scripts that build it.');

/** Names of packages that hold what was built for one platform. */
const PLATFORM =
  '(?:linux|darwin|win32|freebsd|android)(?:32|64)?-(?:x64|ia32|arm64|arm|x86_64|aarch64|riscv64|ppc64|s390x)';

/** What Node, the loaders of native parts and package managers print when one is missing, and what that means. */
const NATIVE: readonly { readonly says: RegExp; readonly why: Phrase }[] = [
  { says: /was compiled against a different Node\.js version|NODE_MODULE_VERSION/, why: OTHER_NODE },
  {
    says: /invalid ELF header|wrong ELF class|not a valid Win32 application|incompatible architecture|slice is not valid mach-o|Exec format error/i,
    why: OTHER_PLATFORM,
  },
  { says: new RegExp(`Cannot find (module|package) ['"]?@?[\\w./-]*${PLATFORM}`), why: UNKNOWN_WHY },
  { says: new RegExp(`The package "[^"]*${PLATFORM}[^"]*" could not be found`), why: UNKNOWN_WHY },
  { says: /Cannot find module ['"]?[^'"]*\.node\b/, why: UNKNOWN_WHY },
  { says: /Could not locate the bindings file|No native build was found|Cannot find native binding/, why: UNKNOWN_WHY },
  { says: /Could not load the "[\w@/-]+" module using the /, why: UNKNOWN_WHY },
];

function mended(why: Phrase, folder: string | undefined): Pick<Explanation, 'remedy' | 'packages'> {
  if (folder === undefined) return { remedy: phrase('{0} Install its packages again.', why) };
  return {
    remedy: phrase('{0} Run {1} in {2}, then start it.', why, REBUILD, visible(folder, 300)),
    packages: { command: REBUILD, folder },
  };
}

/** The folder of npm with a program's packages: around what its entry runs, or of npx's cache, as it prints. */
function packagesOf(entry: ProgramEntry, { inOwnFolder }: LaunchPlace, lines: readonly string[]): string | undefined {
  const { cwd = '' } = entry;
  const starts = [
    ...(inOwnFolder || cwd === '' ? [] : [cwd]),
    ...scriptsOf(entry).map(arg => dirname(resolve(cwd, arg))),
  ];
  const known = new Set([...starts.flatMap(foldersAbove), ...foldersOfNpx(entry)]);
  for (const line of lines) {
    const path = ABOVE_PACKAGES.exec(line.slice(0, MAX_LENGTH))?.[1];
    const has = (name: string) => existsSync(join(path!, name));
    if (path && known.has(path) && has('package.json') && has('node_modules') && !OTHER_LOCKS.some(has)) return path;
  }
  return undefined;
}

function foldersAbove(folder: string): string[] {
  const real = realPlace(folder) ?? folder;
  return [folder, real].flatMap(start => {
    const above = [start];
    while (dirname(above.at(-1)!) !== above.at(-1)) above.push(dirname(above.at(-1)!));
    // Not the root, in which all others are.
    return above.slice(0, -1);
  });
}

function foldersOfNpx(entry: ProgramEntry): string[] {
  if (!runsPackage({ entry })) return [];
  const own = Object.entries(entry.env).find(([name]) => name.toLowerCase() === 'npm_config_cache')?.[1];
  const cache =
    own ?? (process.platform === 'win32' ? join(process.env.LOCALAPPDATA ?? '', 'npm-cache') : join(homedir(), '.npm'));
  return attempt(() => readdirSync(join(cache, '_npx')).map(name => join(cache, '_npx', name)), []);
}

/** Node looks for packages in the folder, and in all above it. */
function hasPackages(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, 'node_modules'))) return true;
    if (at === dirname(at)) return false;
  }
}

const SCRIPT = /\.([mc]?[jt]s|[jt]sx|py|rb|php|pl|sh|ps1|jar|dll|r|lua|wasm)$/i;

const PATH = /^(\.{0,2}[\\/]|[A-Za-z]:[\\/])/;

/** The arguments that name a file that the program runs. The name of a package may look like one. */
function scriptsOf(entry: ProgramEntry): string[] {
  const { command, args } = entry;
  const at = scriptAt(command, args);
  const looksSo = runsPackage({ entry }) ? PATH : /^(?!-|\w+:\/\/)/;
  // With spaces, it may be a command line.
  const isFile = (arg: string) => looksSo.test(arg) && SCRIPT.test(arg) && (PATH.test(arg) || !/\s/.test(arg));
  return args.filter((arg, index) => index === at || isFile(arg));
}

/** Node adds an extension to a path without one. */
const isThere = (path: string) => existsSync(path) || ['.js', '.json', '.node'].some(end => existsSync(path + end));

/** Whether a line is about the file of an argument: it has been resolved, and perhaps through links. */
const names = (line: string, arg: string) => line.includes(arg.split(/[\\/]/).at(-1)!);

/**
 * Explains the failure of a confined program: the file that it wanted last and its sandbox hides, or else that it is confined,
 * since it may lack a file, a host or a variable.
 * @param explanation of the same failure without a sandbox.
 * @param stderrTail its last words: what it missed earlier, it could do without.
 */
export function explainConfined<E extends Pick<HostErrorOptions, 'reason' | 'remedy'>>(
  explanation: E,
  { blocked }: Pick<SandboxAttempts, 'blocked'>,
  stderrTail: readonly string[] = [],
): E {
  const missed = hiddenFile({ blocked }, stderrTail);
  if (!missed)
    return {
      ...explanation,
      remedy: phrase('It is confined. Its log says what was blocked. You can also run it unconfined once.'),
    };
  return {
    ...explanation,
    reason: hidden(realPlace(missed.what) ?? missed.what),
    remedy: phrase('Allow it to read that place, or run it unconfined once.'),
  };
}

/** The blocked read of a file that its last words name. */
export const hiddenFile = ({ blocked }: Pick<SandboxAttempts, 'blocked'>, stderrTail: readonly string[]) =>
  blocked.findLast(({ kind, what }) => kind === 'read' && stderrTail.some(line => line.includes(what)));

function hidden(path: string): Phrase {
  const shown = visible(path, 300);
  if (isWithin('/tmp', path)) return phrase('it is confined, with a /tmp of its own, and wanted {0}', shown);
  if (isWithin(homedir(), path))
    return phrase('it is confined, your home folder is hidden from it, and it wanted {0}', shown);
  return phrase('it is confined and wanted {0}, which is hidden from it', shown);
}
