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
/** Where packages come from. */
export type Ecosystem = (typeof RUNNERS)[PackageRunner];

export const ecosystemOf = (runner: PackageRunner): Ecosystem => RUNNERS[runner];

/** Facts about a program that runs other programs or files. */
export interface KnownProgram {
  /** The first name of its row. Programs of one family take the same options. */
  readonly family: string;
  /**
   * `shell`: runs the commands in its arguments · `wrapper`: the command that its arguments name · `manager`: what it fetches, or
   * finds installed in its folder · `interpreter`: a file or a module · `elsewhere`: in a container, or on another machine.
   */
  readonly kind: 'shell' | 'wrapper' | 'manager' | 'interpreter' | 'elsewhere';
  /** Its options that are followed by a value. */
  readonly values: ReadonlySet<string>;
  /** Its options whose value is a command line. */
  readonly lines: ReadonlySet<string>;
  /** Its commands that fetch what they run. An empty one: it does nothing else. */
  readonly fetches: readonly (readonly [command: string, runner: PackageRunner])[];
  /** Its command that runs another program, which the folder may hold. */
  readonly wraps: string | undefined;
  /** Files of the folder that it runs in, or of those above, that decide what it runs. */
  readonly reads: string | undefined;
}

/** Each runs the command behind its options. These take a value, or a command line (`!`). */
const WRAPPERS: Readonly<Record<string, string>> = {
  'command builtin nohup setsid unbuffer chronic corepack busybox toybox call start time gtime linux32 linux64': '',
  'exec systemd-inhibit proxychains torsocks dbus-run-session firejail catchsegv setarch eatmydata': '-a -f',
  env: '-u --unset -C --chdir -a --argv0 -P -S! --split-string!',
  'sudo doas gsudo pkexec run0':
    '-u --user -g --group -h --host -p --prompt -C --close-from -T --command-timeout -R --chroot -D --chdir -r --role -t --type',
  'nice ionice chrt taskset': '-n --adjustment -c --class --classdata -T -P -D',
  'timeout gtimeout': '-s --signal -k --kill-after',
  'stdbuf gstdbuf': '-i --input -o --output -e --error',
  'caffeinate xargs arch': '-t -w -arch -d -a -E -I -L -n -P -s -e',
  'xvfb-run systemd-run strace ltrace flock chroot unshare nsenter prlimit numactl':
    '-n --server-num -s --server-args -e --error-file -p -w -o --property -u --unit -c! --command!',
  script:
    '-c! --command! -E --echo -o --output-limit -m --logging-format -I --log-in -O --log-out -B --log-io -T --log-timing',
  wsl: '-d --distribution -u --user --cd',
  'mise rtx asdf proto nvm pyenv rbenv nodenv goenv rustup': '-c! --command! -C --cd -j --jobs -E --env',
  'volta fnm': '--node --npm --pnpm --yarn --using --fnm-dir --log-level',
  'conda mamba micromamba': '-n --name -p --prefix --cwd -r --root-prefix -e',
  'direnv dotenv dotenvx op doppler infisical teller chamber aws-vault':
    '-e --env -f --env-file -p --project -c --config -t --token --account --path --region -d --duration --command!',
};

/** As wrappers, of what is installed for the project that they run in. */
const PROJECTS: Readonly<Record<string, readonly [reads: string, values: string]>> = {
  'poetry pdm hatch rye': ['pyproject.toml', '-C --directory -P --project -p -e --env'],
  pipenv: ['Pipfile', '--python --pypi-mirror'],
  bundle: ['Gemfile', '--gemfile --retry -r'],
};

export const SHELLS = 'sh bash zsh dash ash ksh mksh csh tcsh fish nu elvish xonsh cmd powershell pwsh';
const NODE = 'package.json, .npmrc, node_modules';

/** Its files, then its commands with the runner that each is; `=`: the command that wraps. */
const MANAGERS: Readonly<Record<string, readonly [reads: string, ...commands: string[]]>> = {
  'npx npx-cli': [NODE, ':npx'],
  'npm npm-cli': [NODE, 'exec:npm exec', 'x:npm exec', 'init:npm exec', 'create:npm exec'],
  pnpx: [NODE, ':pnpm dlx'],
  pnpm: [NODE, 'dlx:pnpm dlx', 'create:pnpm dlx', '=exec'],
  'yarn yarnpkg': [`${NODE}, .yarnrc.yml`, 'dlx:yarn dlx', 'create:yarn dlx', '=exec'],
  bunx: [NODE, ':bunx'],
  bun: [`${NODE}, bunfig.toml, tsconfig.json`, 'x:bunx', 'create:bunx'],
  vlx: [NODE, ':vlx'],
  vlt: [NODE, 'exec:vlx'],
  deno: ['deno.json, package.json', 'run:deno run'],
  uvx: ['uv.toml', ':uvx'],
  uv: ['pyproject.toml, uv.toml, .env', 'tool run:uvx', 'run:uv run', '=run'],
  pipx: ['', 'run:pipx run'],
  pixi: ['pixi.toml', 'exec:pixi exec', 'x:pixi exec', '=run'],
  dnx: ['nuget.config', ':dnx'],
  gem: ['Gemfile', 'exec:gem exec'],
  jbang: ['jbang-catalog.json', ':jbang'],
  nix: ['flake.nix', 'run:nix run'],
  pkgx: ['package.json, pyproject.toml', ':pkgx'],
};

/** Options with a value, what they look for in their folder, and commands of theirs that fetch. */
const INTERPRETERS: Readonly<Record<string, readonly [values: string, reads?: string, ...commands: string[]]>> = {
  'python pythonw ipython pypy py': ['-W -X --check-hash-based-pycs'],
  'node nodejs': ['-r -C --require --import --loader --experimental-loader --conditions --env-file --title'],
  'tsx ts-node ts-node-esm ts-node-dev vite-node babel-node jiti': [
    '-r --require --import --loader --tsconfig -P --project -C --conditions -O --compiler-options',
    'tsconfig.json',
  ],
  'rscript r': ['-e', '.Rprofile, .Renviron'],
  ruby: ['-I -r -C -e'],
  perl: ['-I -e'],
  php: ['-c -d -r'],
  java: ['-cp -classpath --class-path -p --module-path -m --module'],
  go: ['-C', '', 'run:go run'],
  dotnet: ['', '', 'tool exec:dnx', 'tool execute:dnx', 'dnx:dnx', '=tool run'],
  'cargo make gmake just task': ['-C -f'],
};

/** What these run does not see the folder; some read which one it is from there. */
const ELSEWHERE: Readonly<Record<string, readonly [reads: string, ...commands: string[]]>> = {
  'docker nerdctl': ['', 'run:docker run', 'container run:docker run', 'mcp gateway run:docker run'],
  podman: ['', 'run:podman run', 'container run:podman run'],
  'docker-compose podman-compose': ['compose.yaml'],
  'ssh kubectl devcontainer': [''],
};

const KNOWN = new Map<string, KnownProgram>();

function add(
  names: string,
  kind: KnownProgram['kind'],
  { options = '', reads = '', commands = [] }: { options?: string; reads?: string; commands?: readonly string[] } = {},
): void {
  const words = options.split(' ');
  const [family = '', ...aliases] = names.split(' ');
  const known: KnownProgram = {
    family,
    kind,
    values: new Set(words.filter(word => word !== '' && !word.endsWith('!'))),
    lines: new Set(words.filter(word => word.endsWith('!')).map(word => word.slice(0, -1))),
    fetches: commands.flatMap(text => {
      const [command = '', runner] = text.split(':');
      return runner === undefined ? [] : [[command, runner as PackageRunner] as const];
    }),
    wraps: commands.find(text => text.startsWith('='))?.slice(1),
    reads: reads || undefined,
  };
  for (const name of [family, ...aliases]) KNOWN.set(name, known);
}

for (const [names, options] of Object.entries(WRAPPERS)) add(names, 'wrapper', { options });
for (const [names, [reads, options]] of Object.entries(PROJECTS)) add(names, 'wrapper', { options, reads });
for (const [names, [reads, ...commands]] of Object.entries(MANAGERS)) add(names, 'manager', { reads, commands });
for (const [names, [options, reads, ...commands]] of Object.entries(INTERPRETERS))
  add(names, 'interpreter', { options, reads, commands });
for (const [names, [reads, ...commands]] of Object.entries(ELSEWHERE)) add(names, 'elsewhere', { reads, commands });
add(SHELLS, 'shell');

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
