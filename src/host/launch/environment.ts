import { spawn } from 'node:child_process';
import { accessSync, constants, lstatSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import * as nodePath from 'node:path';
import { delimiter, isAbsolute } from 'node:path';
import { attempt } from '../../base/errors';
import { patternOf } from './knownPrograms';
import { WorkspaceMention } from './workspaceMention';

interface EnvironmentSources {
  /** Default: that of this process. */
  inherited?: NodeJS.ProcessEnv;
  /** PATH of the person's login shell. */
  shellPath: string | undefined;
  /** Variables of the entry, with those of its `envFile`: null removes. */
  own: Readonly<Record<string, string | null>>;
  /** Inherited values that lead into one of these folders are dropped. */
  clearOf: readonly string[];
  platform?: NodeJS.Platform;
}

/**
 * The environment of a program: the editor's without what the editor sets for its own processes, the login shell's PATH, the
 * variables of the entry. PATH keeps only absolute folders: relative ones would find programs in the working
 * folder.
 */
export function launchEnvironment(sources: EnvironmentSources): NodeJS.ProcessEnv {
  const { inherited = process.env, shellPath, own, clearOf, platform = process.platform } = sources;
  const path = platform === 'win32' ? nodePath.win32 : nodePath.posix;
  const { delimiter, isAbsolute } = path;
  const mention = new WorkspaceMention(clearOf, { platform, path });
  const env = new Variables(platform === 'win32');
  for (const [name, value] of Object.entries(inherited)) {
    if (value === undefined || /^(VSCODE_|ELECTRON_)/.test(name)) continue;
    if (/^PATH$/i.test(name) || !mention.in(value, undefined)) env.set(name, value);
  }
  if (shellPath) env.set('PATH', shellPath);
  const foldersOf = (list: string) => list.split(delimiter).filter(folder => isAbsolute(folder.replace(/^"/, '')));
  const clear = foldersOf(env.get('PATH') ?? '').filter(folder => !mention.in(folder.replaceAll('"', ''), undefined));
  env.set('PATH', clear.join(delimiter));
  for (const [name, value] of Object.entries(own)) env.set(name, value);
  // An empty PATH stands for the folder that the program runs in.
  const fallback =
    platform === 'win32' ? [`${env.get('SystemRoot') ?? 'C:\\Windows'}\\System32`] : ['/usr/bin', '/bin'];
  const folders = foldersOf(env.get('PATH') ?? '');
  env.set('PATH', (folders.length > 0 ? folders : fallback).join(delimiter));
  // Else shells of Windows, and what they start, look there first.
  if (platform === 'win32' && env.get('NoDefaultCurrentDirectoryInExePath') === undefined)
    env.set('NoDefaultCurrentDirectoryInExePath', '1');
  return env.all;
}

/** Environment variables. On Windows, names ignore case: each exists once, in its last spelling. */
class Variables {
  readonly all: NodeJS.ProcessEnv = {};

  constructor(private readonly ignoresCase: boolean) {}

  get(name: string): string | undefined {
    return this.all[this.#nameOf(name)];
  }

  set(name: string, value: string | null): void {
    const before = this.#nameOf(name);
    if (value === null || before !== name) delete this.all[before];
    if (value !== null) this.all[name] = value;
  }

  #nameOf(name: string): string {
    if (!this.ignoresCase || name in this.all) return name;
    return Object.keys(this.all).find(known => known.toLowerCase() === name.toLowerCase()) ?? name;
  }
}

/**
 * The effect of an environment variable besides being read by the server: run other `code`, change which `programs` run,
 * which `packages` are fetched, whose `settings` are read, or where `network` traffic goes.
 */
export type VariablePower = 'code' | 'programs' | 'packages' | 'settings' | 'network';

/** By whole names, and by beginnings that end in `*`. Capitals do not count: on Windows they never do. */
const POWERS: Readonly<Record<VariablePower, string>> = {
  code: `
    LD_* DYLD_* _RLD* LIBPATH SHLIB_PATH GCONV_PATH GLIBC_TUNABLES GTK_MODULES GTK_PATH GTK3_MODULES GIO_MODULE_DIR
    GIO_EXTRA_MODULES QT_PLUGIN_PATH GST_PLUGIN_*
    BASH_ENV ENV BASH_FUNC_* SHELLOPTS BASHOPTS PS4 PROMPT_COMMAND ZDOTDIR FPATH IFS CDPATH
    NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE NODE_COMPILE_CACHE ELECTRON_RUN_AS_NODE PSMODULEPATH TS_NODE_* TSX_* BUN_* DENO_*
    PYTHON* __PYVENV_LAUNCHER__ PERL* RUBY* GEM_* BUNDLE_* PHPRC PHP_INI_* LUA_* R_PROFILE* R_ENVIRON* R_LIBS* JULIA_*
    VIMINIT EXINIT GVIMINIT MYVIMRC GUILE_* EMACSLOADPATH ERL_* ELIXIR_ERL_OPTIONS
    JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS JAVA_OPTS CLASSPATH MAVEN_* MVN* GRADLE_* SBT_OPTS KOTLIN_*
    DOTNET_* COMPLUS_* CORECLR_* COR_* ASPNETCORE_HOSTINGSTARTUP* GDK_PIXBUF_MODULE* LIBGL_DRIVERS_PATH LOCPATH
    OPENSSL_*`,
  programs: `
    PATH PATHEXT PREFIX PLAYWRIGHT_* COMSPEC SHELL SYSTEMROOT WINDIR EDITOR VISUAL PAGER MANPAGER BROWSER LESSOPEN LESSCLOSE SSH_ASKPASS
    SUDO_ASKPASS GIT_* GCM_* HG* SVN_SSH RSYNC_RSH CVS_RSH MAKEFLAGS MAKEFILES CC CXX CMAKE_*
    RUSTC* RUSTUP_* GOFLAGS GOROOT GOPATH GOTOOLCHAIN GOENV JAVA_HOME VIRTUAL_ENV CONDA_* NVM_* VOLTA_* ASDF_* MISE_* PYENV_*
    RBENV_* NODENV_* FNM_*`,
  packages: `
    NPM_CONFIG_* YARN_* PNPM_* COREPACK_* UV_* PIP_* PIPX_* PIPENV_* POETRY_* HATCH_* CARGO_* GOPROXY GOSUMDB GONOSUMDB
    GONOPROXY GOPRIVATE GOINSECURE GOVCS NUGET_* DOCKER_* PODMAN_* CONTAINER_* CONTAINERS_* BUILDAH_* HOMEBREW_* NIX_* COMPOSE_* HELM_* TF_CLI_*`,
  settings: `
    HOME USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA PROGRAMDATA XDG_* KUBECONFIG AWS_CONFIG_FILE
    AWS_SHARED_CREDENTIALS_FILE AWS_PROFILE CLOUDSDK_* AZURE_CONFIG_DIR GOOGLE_APPLICATION_CREDENTIALS
    GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES CURL_HOME WGETRC NETRC INPUTRC TERMINFO TERMINFO_DIRS KRB5_CONFIG ODBCINI
    ODBCSYSINI PGSERVICEFILE PGSYSCONFDIR MYSQL_HOME GNUPGHOME`,
  network: `
    HTTP_PROXY HTTPS_PROXY ALL_PROXY FTP_PROXY NO_PROXY NODE_USE_ENV_PROXY NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED
    NODE_USE_SYSTEM_CA SSL_CERT_FILE SSL_CERT_DIR SSLKEYLOGFILE CURL_CA_BUNDLE REQUESTS_CA_BUNDLE AWS_CA_BUNDLE AWS_ENDPOINT_URL*
    HOSTALIASES LOCALDOMAIN RES_OPTIONS GODEBUG`,
};

const WORDS = Object.entries(POWERS).map(([power, words]) => [power as VariablePower, patternOf(words, 'is')] as const);

/** Credentials of tools, in variables with the same beginning. They do not change what is run. */
const CREDENTIAL = /(?:token|passw(?:or)?d|passphrase|secret|_auth)$/i;

/** `…_PASSWORD_COMMAND`, `AUTH_MODULE`, `CHROME_PATH`: something to run or load, whatever the name mentions. */
const PROGRAM =
  /(?:command|cmd|(?:^|_)(?:exec|executable|program|binary|helper|script|process|hooks?|shell|providers?|modules?|plugins?|loaders?|preload|browser|chrome|chromium|editor)(?:_(?:path|bin|file))?)$/i;

/** The effect of a variable with this name. Undefined: none known. */
export function powerOf(name: string): VariablePower | undefined {
  const power = WORDS.find(([, pattern]) => pattern.test(name))?.[0] ?? (PROGRAM.test(name) ? 'programs' : undefined);
  return power !== undefined && power !== 'code' && CREDENTIAL.test(name) ? undefined : power;
}

const MARK = '__mcp_host_path__';
/** How long the shell has to answer. */
const SHELL_MS = 5_000;

/**
 * The PATH of the person's login shell, so that programs installed by nvm, fnm, volta or Homebrew are found even if the
 * editor was started from the desktop. Undefined on Windows, where PATH is the system's, and when the shell does not answer.
 */
export async function loginShellPath(env: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  const shell = env.SHELL;
  if (process.platform === 'win32' || !shell || !isAbsolute(shell)) return undefined;
  const output = await run(shell, ['-i', '-l', '-c', `echo ${MARK}; printenv PATH; echo ${MARK}`], env);
  const path = output?.split(MARK)[1]?.trim();
  return path ? mergePaths(path, env.PATH ?? '') : undefined;
}

/** The shell's folders first, then those that only this process has. Relative folders are left out. */
export function mergePaths(shellPath: string, ownPath: string): string {
  return [...new Set([...shellPath.split(delimiter), ...ownPath.split(delimiter)])].filter(isAbsolute).join(delimiter);
}

function run(shell: string, args: string[], env: NodeJS.ProcessEnv): Promise<string | undefined> {
  return new Promise(resolve => {
    // In its own session: an interactive shell must not take over the terminal that the editor was started from.
    const child = spawn(shell, args, {
      env: { ...env, PATH: mergePaths('', env.PATH ?? ''), VSCODE_RESOLVING_ENVIRONMENT: '1' },
      // The editor may have been started in an untrusted folder, which could contain files that shell hooks look for.
      cwd: homedir(),
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    const timer = setTimeout(() => finish(undefined), SHELL_MS);
    let output = '';
    const finish = (result: string | undefined) => {
      clearTimeout(timer);
      const { pid } = child;
      if (pid !== undefined && child.exitCode === null) attempt(() => process.kill(-pid, 'SIGKILL')); // It has just ended.
      child.stdout.destroy();
      resolve(result);
    };
    child.stdout.setEncoding('utf8').on('data', chunk => {
      output += chunk;
      if (output.split(MARK).length > 2) finish(output);
    });
    child.once('error', () => finish(undefined));
    child.once('close', () => finish(output));
  });
}

interface Where {
  platform?: NodeJS.Platform;
  /** Whether there is a program at this path. Default: checks the disk. */
  isProgram?(path: string): boolean;
}

/**
 * Finds a program by its name: the first one in PATH, never one in its working folder, which Windows would try first, and
 * none that leads into a folder of `clearOf`. Undefined when there is none.
 */
export function findProgram(
  command: string,
  env: NodeJS.ProcessEnv,
  clearOf: readonly string[],
  { platform = process.platform, isProgram = file => isExecutable(file) }: Where = {},
): string | undefined {
  const path = platform === 'win32' ? nodePath.win32 : nodePath.posix;
  const { delimiter, join } = path;
  const mention = new WorkspaceMention(clearOf, { platform, path });
  const names = platform === 'win32' ? windowsNames(command, env) : [command];
  for (const folder of (read(env, 'PATH') ?? '').split(delimiter)) {
    const at = folder.replaceAll('"', '');
    const found = names.map(name => join(at, name)).find(file => isProgram(file) && !mention.leadsInto(file, at));
    if (at !== '' && found !== undefined) return found;
  }
  return undefined;
}

/**
 * The file that Windows runs for the path of a program, which may lack its extension: `npx` has a script for other shells
 * beside `npx.cmd`. Undefined when there is none: its shell would only exit with 1.
 */
export function programAt(
  path: string,
  env: NodeJS.ProcessEnv,
  { isProgram = file => isExecutable(file) }: Pick<Where, 'isProgram'> = {},
): string | undefined {
  return [...windowsNames(path, env), path].find(file => isProgram(file));
}

/** The names that a program may have in a folder, in the order in which they are tried. */
function windowsNames(command: string, env: NodeJS.ProcessEnv): string[] {
  const extensions = (read(env, 'PATHEXT') || '.COM;.EXE;.BAT;.CMD').split(';').filter(Boolean);
  const own = nodePath.win32.extname(command).toLowerCase();
  const isWhole = extensions.some(extension => extension.toLowerCase() === own);
  return [...(isWhole ? [command] : []), ...extensions.map(extension => command + extension)];
}

/** Names of variables have no case there. */
const read = (env: NodeJS.ProcessEnv, wanted: string) =>
  Object.entries(env).find(([name]) => name.toUpperCase() === wanted)?.[1];

/** What the disk says of a path. Each throws Node's error when it can't. */
interface Disk {
  access(path: string): void;
  stat(path: string): { isFile(): boolean };
  lstat(path: string): { isDirectory(): boolean };
}
const disk: Disk = { access: path => accessSync(path, constants.X_OK), stat: statSync, lstat: lstatSync };

/** Whether a path is a program, as far as the system tells without running it. */
export function isExecutable(path: string, platform = process.platform, { access, stat, lstat }: Disk = disk): boolean {
  try {
    access(path);
    return stat(path).isFile();
  } catch (error) {
    // Programs of the Microsoft Store, such as its `python.exe`, can be run but not examined.
    return platform === 'win32' && (error as NodeJS.ErrnoException).code === 'EACCES' && !isFolder(path, lstat);
  }
}

const isFolder = (path: string, lstat: Disk['lstat']): boolean => attempt(() => lstat(path).isDirectory(), true);
