import { ownMember } from '../../base/json';
import { didYouMean } from '../settings/fieldProblems';

/** Programs that fetch a package by its name and run it, each with the source of its packages. */
const RUNNERS = {
  npx: 'npm',
  'npm exec': 'npm',
  'pnpm dlx': 'npm',
  'yarn dlx': 'npm',
  bunx: 'npm',
  vlx: 'npm',
  uvx: 'pypi',
  'uv run': 'pypi',
  'pipx run': 'pypi',
  'pixi exec': 'conda',
  'deno run': 'deno',
  dnx: 'nuget',
  'go run': 'go',
  'gem exec': 'rubygems',
  jbang: 'maven',
  'nix run': 'nix',
  pkgx: 'pkgx',
  'docker run': 'image',
  'podman run': 'image',
} as const;

export type PackageRunner = keyof typeof RUNNERS;
export type Ecosystem = (typeof RUNNERS)[PackageRunner];

export const ecosystemOf = (runner: PackageRunner): Ecosystem => RUNNERS[runner];

const NPM = ['registry.npmjs.org'];
const REGISTRIES: Readonly<Record<string, readonly string[]>> = {
  npm: NPM,
  pypi: ['pypi.org', 'files.pythonhosted.org'],
  deno: ['deno.land', 'jsr.io', 'npm.jsr.io', ...NPM],
  nuget: ['api.nuget.org'],
  go: ['proxy.golang.org', 'sum.golang.org'],
  oci: ['docker.io', 'index.docker.io', 'registry-1.docker.io'],
};

/** The hosts that packages come from where nothing else is set. @param source an `Ecosystem`, or the MCP Registry's word for one. */
export const publicRegistries = (source: string): readonly string[] => ownMember(REGISTRIES, source) ?? [];

/** What may have to be installed for a server to run. */
export type Runtime = 'Node.js' | 'uv' | 'Docker' | 'Podman' | 'Python' | 'Bun' | 'Deno' | '.NET' | 'bubblewrap';

/**
 * `shell`: runs the commands in its arguments · `wrapper`: the command that its arguments name · `manager`: what it fetches, or
 * finds installed in its folder · `interpreter`: a file or a module · `elsewhere`: in a container, or on another machine.
 */
type Kind = 'shell' | 'wrapper' | 'manager' | 'interpreter' | 'elsewhere';

/** Facts about a program that runs other programs or files. */
export interface KnownProgram {
  /** The first name of its row. Programs of one family take the same options. */
  readonly family: string;
  readonly kind: Kind;
  /** Its options that are followed by a value. */
  readonly values: ReadonlySet<string>;
  /** Its options whose value is a command line. */
  readonly lines: ReadonlySet<string>;
  /** Its options that stand alone. Undefined: not all are known, so a command line with it is never understood as a whole. */
  readonly flags: RegExp | undefined;
  /** How many words stand between its options and what it runs. */
  readonly before: number;
  /** Its commands that fetch what they run. An empty one: it does nothing else. */
  readonly fetches: readonly (readonly [command: string, runner: PackageRunner])[];
  /** Its command that runs another program, which the folder may hold. */
  readonly wraps: string | undefined;
  readonly runtime: Runtime | undefined;
}

/** A row of the table, in words: options are separated by spaces, and end in `*` where anything may follow. */
interface Row {
  readonly values?: string;
  readonly lines?: string;
  readonly flags?: string;
  readonly before?: number;
  /** Commands by the runner that each is. */
  readonly fetches?: { readonly [R in PackageRunner]?: readonly string[] };
  readonly wraps?: string;
  readonly runtime?: Runtime;
}

const NODE_FLAGS =
  '--enable-source-maps --no-warnings* --no-deprecation --experimental-* --max-* --trace-* --inspect* --use-* --disable-warning=* --preserve-symlinks*';
const NODE_VALUES = '-r -C --require --import --loader --experimental-loader --conditions --env-file --title';

/** The one table of command words, by the names of programs. */
const TABLE: { readonly [K in Kind]: Readonly<Record<string, Row>> } = {
  shell: {
    'sh bash zsh dash ash ksh mksh': { values: '-o', flags: '-e -u -x -l -i -eu -ex -eux -il -li' },
    'csh tcsh fish nu elvish xonsh powershell pwsh': {},
    cmd: { flags: '/d /s /q' },
  },
  wrapper: {
    'command builtin nohup setsid unbuffer chronic eatmydata linux32 linux64': { flags: '' },
    'start call corepack busybox toybox time gtime': {},
    exec: { values: '-a', flags: '' },
    'systemd-inhibit proxychains torsocks dbus-run-session firejail catchsegv': { values: '-f' },
    env: {
      values: '-u --unset -C --chdir -a --argv0 -P',
      lines: '-S --split-string',
      flags: '-i - -v --ignore-environment',
    },
    'sudo doas gsudo pkexec run0': {
      values:
        '-u --user -g --group -h --host -p --prompt -C --close-from -T --command-timeout -R --chroot -D --chdir -r --role -t --type',
      flags: '-E -n -H -S -b',
    },
    nice: { values: '-n --adjustment', flags: '' },
    ionice: { values: '-c --class -n --classdata', flags: '-t' },
    taskset: { flags: '-a -c --cpu-list', before: 1 },
    chrt: { values: '-T -P -D', flags: '-b -f -i -o -r', before: 1 },
    'timeout gtimeout': {
      values: '-s --signal -k --kill-after',
      flags: '--foreground --preserve-status -v',
      before: 1,
    },
    'stdbuf gstdbuf': { values: '-i --input -o --output -e --error', flags: '' },
    caffeinate: { values: '-t -w', flags: '-i -d -m -s -u' },
    'xargs arch': { values: '-arch -d -a -E -I -L -n -P -s -e' },
    flock: {
      values: '-w --wait --timeout -E --conflict-exit-code',
      lines: '-c --command',
      flags: '-n -x -s -e -u -o -F --nonblock --exclusive --shared --close --no-fork --verbose',
      before: 1,
    },
    'chroot setarch': { before: 1 },
    'xvfb-run systemd-run strace ltrace unshare nsenter prlimit numactl': {
      values: '-n --server-num -s --server-args -e --error-file -p -w -o --property -u --unit',
      lines: '-c --command',
    },
    script: {
      values: '-E --echo -o --output-limit -m --logging-format -I --log-in -O --log-out -B --log-io -T --log-timing',
      lines: '-c --command',
    },
    wsl: { values: '-d --distribution -u --user --cd' },
    'mise rtx asdf proto nvm pyenv rbenv nodenv goenv rustup': {
      values: '-C --cd -j --jobs -E --env',
      lines: '-c --command',
    },
    'volta fnm': { values: '--node --npm --pnpm --yarn --using --fnm-dir --log-level' },
    'conda mamba micromamba': { values: '-n --name -p --prefix --cwd -r --root-prefix -e' },
    'direnv dotenv dotenvx op doppler infisical teller chamber aws-vault': {
      values: '-e --env -f --env-file -p --project -c --config -t --token --account --path --region -d --duration',
      lines: '--command',
    },
    // What is installed for the project that they run in.
    'poetry pdm hatch rye': { values: '-C --directory -P --project -p -e --env' },
    pipenv: { values: '--python --pypi-mirror' },
    bundle: { values: '--gemfile --retry -r' },
  },
  manager: {
    'npx npx-cli': { fetches: { npx: [''] }, runtime: 'Node.js' },
    'npm npm-cli': { fetches: { 'npm exec': ['exec', 'x', 'init', 'create'] }, runtime: 'Node.js' },
    pnpx: { fetches: { 'pnpm dlx': [''] } },
    pnpm: { fetches: { 'pnpm dlx': ['dlx', 'create'] }, wraps: 'exec', runtime: 'Node.js' },
    'yarn yarnpkg': { fetches: { 'yarn dlx': ['dlx', 'create'] }, wraps: 'exec', runtime: 'Node.js' },
    bunx: { fetches: { bunx: [''] }, runtime: 'Bun' },
    bun: { fetches: { bunx: ['x', 'create'] }, runtime: 'Bun' },
    vlx: { fetches: { vlx: [''] } },
    vlt: { fetches: { vlx: ['exec'] } },
    deno: { fetches: { 'deno run': ['run'] }, runtime: 'Deno' },
    uvx: { fetches: { uvx: [''] }, runtime: 'uv' },
    uv: { fetches: { uvx: ['tool run'], 'uv run': ['run'] }, wraps: 'run', runtime: 'uv' },
    pipx: { fetches: { 'pipx run': ['run'] }, runtime: 'Python' },
    pixi: { fetches: { 'pixi exec': ['exec', 'x'] }, wraps: 'run' },
    dnx: { fetches: { dnx: [''] }, runtime: '.NET' },
    gem: { fetches: { 'gem exec': ['exec'] } },
    jbang: { fetches: { jbang: [''] } },
    nix: { fetches: { 'nix run': ['run', 'shell', 'develop'] } },
    pkgx: { fetches: { pkgx: [''] } },
    // These install, download or build, and run what came of it.
    'pip ensurepip venv virtualenv': { runtime: 'Python' },
    'nix-shell nix-env nix-build guix brew port apt apt-get dnf yum apk pacman zypper flatpak snap choco scoop winget':
      {},
    'docker-compose podman-compose': {},
    'curl wget git svn hg gh aria2c cargo-binstall cargo make gmake just task gradle gradlew mvn mvnw sbt ant bazel rake mix':
      {
        values: '-C -f',
      },
  },
  interpreter: {
    'python pythonw ipython pypy py': {
      values: '-W -X --check-hash-based-pycs',
      flags: '-u -b -B -d -E -I -O -OO -P -q -s -S -v -x -m',
      runtime: 'Python',
    },
    'node nodejs': { values: NODE_VALUES, flags: NODE_FLAGS, runtime: 'Node.js' },
    'tsx ts-node ts-node-esm ts-node-dev vite-node babel-node jiti': {
      values: `${NODE_VALUES} --tsconfig -P --project -O --compiler-options`,
      flags: NODE_FLAGS,
    },
    'rscript r': { flags: '--vanilla --no-*' },
    ruby: { values: '-I -r -C', flags: '-w -W*' },
    perl: { values: '-I', flags: '-w -T' },
    php: { values: '-c -d', flags: '-q -n' },
    java: {
      values: '-cp -classpath --class-path -p --module-path',
      flags: '-jar -X* -D* -ea -server --enable-preview',
    },
    go: { values: '-C', fetches: { 'go run': ['run'] } },
    dotnet: { fetches: { dnx: ['tool exec', 'tool execute', 'dnx'] }, wraps: 'tool run', runtime: '.NET' },
  },
  elsewhere: {
    'docker nerdctl': { fetches: { 'docker run': ['run', 'container run', 'mcp gateway run'] }, runtime: 'Docker' },
    podman: { fetches: { 'podman run': ['run', 'container run'] }, runtime: 'Podman' },
    'ssh kubectl devcontainer': {},
  },
};

const wordsOf = (text = '') => text.split(/\s+/).filter(Boolean);
const KNOWN = new Map<string, KnownProgram>();
for (const [kind, rows] of Object.entries(TABLE)) {
  for (const [names, { values, lines, flags, before = 0, fetches = {}, wraps, runtime }] of Object.entries(rows)) {
    const [family = '', ...aliases] = wordsOf(names);
    const known: KnownProgram = {
      family,
      kind: kind as Kind,
      values: new Set(wordsOf(values)),
      lines: new Set(wordsOf(lines)),
      flags: flags === undefined ? undefined : patternOf(flags),
      before,
      fetches: Object.entries(fetches).flatMap(([runner, commands]) =>
        commands.map(command => [command, runner as PackageRunner] as const),
      ),
      wraps,
      runtime,
    };
    for (const name of [family, ...aliases]) KNOWN.set(name, known);
  }
}

/** One of these words, which may end in `*`. */
export function patternOf(words: string, flags = 's'): RegExp {
  const patterns = wordsOf(words).map(word => word.replace(/\*$/, '.*'));
  return new RegExp(`^(?:${patterns.join('|')})$`, flags);
}

/** Without folder, extension and case, as Windows finds programs. */
export function programName(command: string): string {
  const name = command.slice(Math.max(command.lastIndexOf('/'), command.lastIndexOf('\\')) + 1).trim();
  return name.toLowerCase().replace(/\.(exe|cmd|bat|ps1|com|js|mjs|cjs)$/, '');
}

/** Longer names match none of these programs. */
const MAX_NAME = 60;
/** `python3.13t`, `node-22`, `pnpm@9`. */
const VERSION = /([-.]?\d[\d.]*[tw]?|@[\w.-]*)$/;

/** The facts about a program by its name (`programName`), which may end in a version. */
export function knownProgram(name: string): KnownProgram | undefined {
  if (name.length > MAX_NAME) return undefined;
  return KNOWN.get(name) ?? KNOWN.get(name.replace(VERSION, ''));
}

/** Whether it is Node or Python by a name of its own. */
export function languageOf(command: string): 'node' | 'python' | undefined {
  const { family } = knownProgram(programName(command)) ?? {};
  return family === 'node' || family === 'python' ? family : undefined;
}

/** Whether it runs images. */
export function isContainerEngine(command: string): boolean {
  const { fetches = [] } = knownProgram(programName(command)) ?? {};
  return fetches.some(([, runner]) => ecosystemOf(runner) === 'image');
}

/** What has to be installed to have a command, if we know. One that is named by its path is there, or is not. */
export function runtimeOf(command: string): Runtime | undefined {
  return /[\\/]/.test(command) ? undefined : knownProgram(programName(command))?.runtime;
}

/** The program that a command which is none seems to mean. */
export function nearestCommand(command: string): string | undefined {
  if (runtimeOf(command)) return undefined;
  const alike = [...KNOWN.keys()].filter(known => known[0] === command[0]?.toLowerCase() && runtimeOf(known));
  return didYouMean(command, alike);
}

/** Whether it runs the commands in its arguments. */
export const isShell = (command: string): boolean => knownProgram(programName(command))?.kind === 'shell';

export const SHELLS: readonly string[] = [...KNOWN].flatMap(([name, { kind }]) => (kind === 'shell' ? [name] : []));
