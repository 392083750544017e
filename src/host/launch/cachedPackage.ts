import { realpath, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { readBounded } from '../../base/files';
import { fingerprint } from '../../base/fingerprint';
import type { MemoryPort } from '../definition/ports';
import { findProgram } from './environment';
import { type PackageLine, packageLine } from './packageLine';
import type { Launch } from './processGroup';
import { askRunner, OF_QUESTION, type RunnerAnswer } from './runnerQuestion';

/** Variables of the question itself, which a program that npx starts does not have: the last one is a shell's. */
const NOT_OF_RUNNER = new Set(['npm_config_yes', ...OF_QUESTION, '_']);

/** What starting packages from the cache of their runner takes. */
export interface PackagePorts {
  /** Keeps what runners have told. */
  readonly memory: MemoryPort;
  /** Called when a newer version than the one that runs has been published: its runner fetches it at the next start. */
  newer(version: string): void;
  /** How long to wait before a runner is asked, in milliseconds. Default: 3,000. */
  readonly pauseMs?: number;
}

/** The program that a runner starts for a launch, as it has told it itself. */
interface KnownStart {
  readonly program: string;
  readonly version: string;
  /** The variables that the runner sets. */
  readonly set: Readonly<Record<string, string>>;
  readonly unset: readonly string[];
  /** What the disk said of everything that the runner's answer depends on. */
  readonly stamps: Readonly<Record<string, string>>;
}

/** Time in which a server and its window begin their work, undisturbed by runners that are asked. */
const PAUSE_MS = 3_000;
const MAX_TEXT_BYTES = 256 * 1024;
/** Variables that differ between windows, and that no package manager reads. */
const OF_WINDOW =
  /^(_|PWD|OLDPWD|SHLVL|WINDOWID|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|SSH_(AUTH_SOCK|AGENT_PID|CLIENT|CONNECTION|TTY)|DBUS_SESSION_BUS_ADDRESS|XDG_(SESSION_\w+|ACTIVATION_TOKEN|VTNR|SEAT)|DESKTOP_STARTUP_ID|GIO_LAUNCHED_\w+|INVOCATION_ID|JOURNAL_STREAM|MANAGERPID|SYSTEMD_EXEC_PID|TERM_\w+|TMUX\w*|STY|WINDOW|KONSOLE_\w+|ITERM_\w+|GNOME_TERMINAL_\w+|VTE_VERSION|GPG_AGENT_INFO)$/;
/** Variables with which npm runs another program, or a debugger waits in it. */
const UNTOLD = /^npm_config_(script_shell|fetch_retries|call|package|workspaces?|global)$/i;
const YES = /^npm_config_yes$/i;
/** Settings in a `.npmrc` that change how npm runs a program without showing in its answer. */
const UNTOLD_SETTINGS = /^[ \t]*(script[-_]shell|fetch[-_]retries|call|package|workspaces?|global)\b/im;
const SAYS_YES = /^[ \t]*yes\b/im;
/** Credentials are not stored. */
const CREDENTIAL = /:\/\/[^/\s]*@|-----BEGIN/;
const CREDENTIAL_NAME = /token|passw|secret|_auth|otp$|_key$/i;
/** Cached by npx, not installed in a project. */
const IN_CACHE = /^(.*[\\/]_npx[\\/][\da-f]{16}[\\/]node_modules)[\\/]\.bin[\\/][^\\/]+$/;

/**
 * Starts the program of a package in npx's cache without npx, which takes half a second and 90 MB as long as the server runs.
 * Nothing is guessed: after a start in the usual way, npx itself is asked for its program and the variables that it sets, and the
 * answer is used as long as nothing on the disk that it depends on has changed. What has not been told so starts in the usual way.
 */
export class CachedPackage {
  readonly #key: string;
  #start: KnownStart | undefined;
  #isReady = false;

  private constructor(
    private readonly launch: Launch,
    private readonly line: PackageLine,
    private readonly ports: PackagePorts,
    private readonly note: (text: string) => void,
  ) {
    const { command, cwd, env } = launch;
    const lasting = Object.entries(env).filter(([name]) => !OF_WINDOW.test(name));
    this.#key = `package/${fingerprint([command, line.asking, line.saysYes, cwd, lasting.sort()])}`;
  }

  /** Undefined: no package that could be started so. @param note writes a line into the server's log. */
  static of(launch: Launch, ports: PackagePorts, note: (text: string) => void): CachedPackage | undefined {
    const { command, args, env } = launch;
    const line = process.platform === 'win32' ? undefined : packageLine(command, args);
    const untold = (name: string) => UNTOLD.test(name) || (YES.test(name) && !line?.saysYes);
    const isUntold = Object.keys(env).some(untold) || /--inspect/.test(env.NODE_OPTIONS ?? '');
    return line && !isUntold ? new CachedPackage(launch, line, ports, note) : undefined;
  }

  /** The launch of its own program, or that of its runner if it is not known yet, or something has changed. */
  async toStart(): Promise<Launch> {
    this.#isReady = false;
    this.#start = await this.#remembered();
    if (!this.#start) return this.launch;
    const { program, version, set, unset } = this.#start;
    this.note(`it is started without ${this.launch.command}, from its cache: ${this.line.name} ${version}, ${program}`);
    const env = { ...this.launch.env, ...set };
    for (const name of unset) delete env[name];
    return { ...this.launch, command: program, args: this.line.own, env };
  }

  /** The server is ready: asks its runner in the background, if there is something to ask. Resolves when that is done. */
  async settle(): Promise<void> {
    this.#isReady = true;
    if (!this.#start || this.line.isFloating) await this.#lookUp();
  }

  /** The server has ended. If it was never ready, its runner may know how to mend what is cached. */
  release(): void {
    if (this.#start && !this.#isReady) this.#forget();
    this.#isReady = false;
  }

  async #lookUp(): Promise<void> {
    const before = this.#start;
    const { answer, stderr } = await askRunner(
      { ...this.launch, args: this.line.asking },
      this.ports.pauseMs ?? PAUSE_MS,
    );
    const start = answer && (await this.#startOf(answer).catch(() => undefined));
    if (start) return this.ports.memory.write(this.#key, { start, sum: fingerprint(start) });
    const newer = before && this.#missingIn(stderr);
    if (newer === undefined || newer === before?.version) return;
    this.#forget();
    if (!this.#isReady) return;
    this.note(`version ${newer} of its package was published: the next start fetches it`);
    this.ports.newer(newer);
  }

  /** The version that npx would have installed: it lists what it misses as JSON. */
  #missingIn(stderr: string): string | undefined {
    const wanted = `"${this.line.name}@`;
    const from = stderr.indexOf(wanted);
    return from < 0 ? undefined : /^[\w.+-]+(?=")/.exec(stderr.slice(from + wanted.length))?.[0];
  }

  /** @throws Error if a file that npx named is not on the disk. */
  async #startOf({ cwd, line, env: told }: RunnerAnswer): Promise<KnownStart | undefined> {
    const { env, clearOf = [] } = this.launch;
    const [, name] = /^'?([\w.@-]+)'?$/.exec(line) ?? [];
    const program = name === undefined ? undefined : findProgram(name, told, clearOf);
    const [, modules] = IN_CACHE.exec(program ?? '') ?? [];
    if (program === undefined || modules === undefined || cwd !== (await realpath(this.launch.cwd))) return undefined;
    const file = await realpath(program);
    if (!file.startsWith((await realpath(modules)) + sep)) return undefined;
    const manifest = join(modules, this.line.name, 'package.json');
    const { version } = JSON.parse(await readBounded(manifest, MAX_TEXT_BYTES)) as { version?: unknown };
    const files = [program, file, manifest, ...filesOf(this.line, this.launch, told)];
    const settings = files.filter(path => path.endsWith('npmrc'));
    const texts = await Promise.all(settings.map(textAt));
    if (texts.some(text => UNTOLD_SETTINGS.test(text) || (!this.line.saysYes && SAYS_YES.test(text)))) return undefined;
    const set: Record<string, string> = {};
    for (const [variable, value] of Object.entries(told)) if (value !== env[variable]) set[variable] = value;
    for (const variable of NOT_OF_RUNNER) delete set[variable];
    if (this.line.saysYes) set.npm_config_yes = 'true';
    if (Object.entries(set).some(([variable, value]) => CREDENTIAL_NAME.test(variable) || CREDENTIAL.test(value)))
      return undefined;
    const unset = Object.keys(env).filter(variable => !(variable in told) && variable !== '_');
    return { program, version: String(version), set, unset, stamps: await stampsOf(files) };
  }

  async #remembered(): Promise<KnownStart | undefined> {
    const { start, sum } = Object(await this.ports.memory.read(this.#key)) as { start?: KnownStart; sum?: unknown };
    // What was written may have lost what looked like a secret.
    if (start === undefined || sum !== fingerprint(start)) return undefined;
    const now = await stampsOf(Object.keys(start.stamps));
    return Object.entries(start.stamps).every(([path, stamp]) => now[path] === stamp) ? start : undefined;
  }

  #forget(): void {
    this.#start = undefined;
    void this.ports.memory.write(this.#key, undefined);
  }
}

const textAt = (path: string) => readBounded(path, MAX_TEXT_BYTES).catch(() => '');

/** Everything on the disk that npx looks at before it runs a cached package, whether or not it exists. */
function filesOf({ name, word }: PackageLine, { cwd, command, env, clearOf = [] }: Launch, told: RunnerAnswer['env']) {
  const { npm_config_userconfig, npm_config_globalconfig, npm_config_local_prefix, npm_config_global_prefix } = told;
  const above: string[] = [];
  for (let folder = cwd; !above.includes(folder); folder = dirname(folder)) above.push(folder);
  const npm = dirname(dirname(told.npm_execpath ?? ''));
  const cached = dirname(dirname(told.PATH?.split(':')[0] ?? ''));
  return [
    npm_config_userconfig,
    npm_config_globalconfig,
    npm_config_local_prefix && join(npm_config_local_prefix, '.npmrc'),
    npm_config_local_prefix && join(npm_config_local_prefix, 'node_modules', '.package-lock.json'),
    ...above.flatMap(folder => [
      join(folder, 'package.json'),
      join(folder, 'node_modules'),
      join(folder, 'node_modules', '.bin', word),
    ]),
    ...['', 'lib'].map(part => join(npm_config_global_prefix ?? '/', part, 'node_modules', name, 'package.json')),
    join(npm_config_global_prefix ?? '/', 'bin', word),
    join(cached, 'node_modules', '.package-lock.json'),
    findProgram(command, env, clearOf) ?? command,
    told.npm_execpath,
    told.npm_node_execpath,
    join(npm, 'package.json'),
    join(npm, 'npmrc'),
  ].filter(path => path !== undefined);
}

/** Replacing, moving or changing a file changes these; for a folder, also what comes or goes in it. */
async function stampsOf(paths: readonly string[]): Promise<Record<string, string>> {
  const stamp = async (path: string) => {
    const { ino, size, ctimeMs } = await stat(path);
    return `${ino} ${size} ${ctimeMs}`;
  };
  return Object.fromEntries(
    await Promise.all(paths.map(async path => [path, await stamp(path).catch(() => 'none')] as const)),
  );
}
