import type { ServerDefinition } from '../definition';

/** A program that fetches another one by its name, and runs what it gets. */
export type PackageRunner =
  | 'npx'
  | 'npm exec'
  | 'pnpm dlx'
  | 'yarn dlx'
  | 'bunx'
  | 'uvx'
  | 'uv run'
  | 'pipx run'
  | 'deno run'
  | 'dnx'
  | 'go run'
  | 'nix run'
  | 'docker run'
  | 'podman run';

/** A container engine or a package manager with a command that runs what it fetches. */
const WITH_COMMAND: { readonly [program: string]: readonly (readonly [command: string, runner: PackageRunner])[] } = {
  npm: [
    ['exec', 'npm exec'],
    ['x', 'npm exec'],
    ['init', 'npm exec'],
    ['create', 'npm exec'],
  ],
  pnpm: [
    ['dlx', 'pnpm dlx'],
    ['create', 'pnpm dlx'],
  ],
  yarn: [
    ['dlx', 'yarn dlx'],
    ['create', 'yarn dlx'],
  ],
  bun: [
    ['x', 'bunx'],
    ['create', 'bunx'],
  ],
  uv: [
    ['tool run', 'uvx'],
    ['run', 'uv run'],
  ],
  pipx: [['run', 'pipx run']],
  deno: [['run', 'deno run']],
  go: [['run', 'go run']],
  nix: [['run', 'nix run']],
  dotnet: [
    ['tool exec', 'dnx'],
    ['tool execute', 'dnx'],
    ['dnx', 'dnx'],
  ],
  docker: [
    ['run', 'docker run'],
    ['container run', 'docker run'],
  ],
  podman: [
    ['run', 'podman run'],
    ['container run', 'podman run'],
  ],
  nerdctl: [
    ['run', 'docker run'],
    ['container run', 'docker run'],
  ],
};

/** Programs that do nothing else. */
const BY_ITSELF: { readonly [program: string]: PackageRunner } = {
  npx: 'npx',
  'npx-cli': 'npx',
  pnpx: 'pnpm dlx',
  bunx: 'bunx',
  uvx: 'uvx',
  dnx: 'dnx',
};

/** These run what their arguments name, after options and variables of their own. */
const WRAPPERS = new Set(
  'env sudo doas nice nohup exec command corepack mise asdf direnv dotenv op doppler wsl time timeout stdbuf xvfb-run setsid'.split(
    ' ',
  ),
);
const SHELLS = new Set('sh bash zsh dash fish ksh cmd powershell pwsh'.split(' '));
const INTERPRETERS = new Set('node python python3 py'.split(' '));
/** What these run may as well lie in the folder, as it does while somebody writes it: only names from afar count. */
const FROM_AFAR: { readonly [R in PackageRunner]?: RegExp } = {
  'uv run': /^(--with(-editable|-requirements)?(=|$)|https?:)/,
  'deno run': /^(npm|jsr|https?):/,
  'go run': /@/,
  'nix run': /^[\w-]+[:#]/,
};
/** Shells in shells end somewhere, and so do the words before a command. */
const MAX_TRIES = 1_000;
const MAX_WORDS = 100;
const MAX_LINE = 10_000;

/**
 * The package runner that a program of settings is, or starts: by itself, with a path or an extension of Windows, behind
 * `env` or a shell. Undefined for all else.
 */
export function packageRunner(command: string, args: readonly string[]): { runner: PackageRunner } | undefined {
  return find([command, ...args], { left: MAX_TRIES });
}

/** Whether a program fetches packages or images, and runs them; whatever it is asked to do this time. */
export function isPackageProgram(command: string): boolean {
  const program = nameOf(command);
  return ownOf(BY_ITSELF, program) !== undefined || ownOf(WITH_COMMAND, program) !== undefined;
}

/**
 * Whether another program may come from a registry at each start, with settings that say the same. A version that is
 * written there changes nothing about that: it holds for the package, not for what that depends on.
 */
export function fetchesAtStart({ entry }: Pick<ServerDefinition, 'entry'>): boolean {
  return entry?.type === 'stdio' && packageRunner(entry.command, entry.args) !== undefined;
}

/** How many programs are still looked at. */
interface Tries {
  left: number;
}

function find([command = '', ...args]: readonly string[], tries: Tries): { runner: PackageRunner } | undefined {
  if (tries.left-- <= 0) return undefined;
  const program = nameOf(command);
  const alone = ownOf(BY_ITSELF, program);
  if (alone) return { runner: alone };
  const commands = ownOf(WITH_COMMAND, program);
  if (commands) return ofCommand(commands, args);
  if (SHELLS.has(program)) return inShell(args, tries);
  if (INTERPRETERS.has(program)) return interpreted(args, tries);
  return WRAPPERS.has(program) ? wrapped(args, tries) : undefined;
}

/** Options come before the command, some with a value: it is looked for among the first words. */
function ofCommand(
  commands: readonly (readonly [command: string, runner: PackageRunner])[],
  args: readonly string[],
): { runner: PackageRunner } | undefined {
  for (const [at, word] of args.entries()) {
    if (word === '--') return undefined;
    if (word.startsWith('-')) continue;
    for (const [name, runner] of commands) {
      const words = name.split(' ');
      if (!words.every((part, index) => args[at + index] === part)) continue;
      const afar = FROM_AFAR[runner];
      return !afar || args.slice(at + 1).some(argument => afar.test(argument)) ? { runner } : undefined;
    }
    const isValue = at > 0 && /^-[^=]+$/.test(args[at - 1]!);
    if (!isValue) return undefined;
  }
  return undefined;
}

/** `env A=1 npx`, `mise exec -- npx`, `timeout 60 npx`: the first word that is a runner. */
function wrapped(args: readonly string[], tries: Tries): { runner: PackageRunner } | undefined {
  const words = args.slice(0, MAX_WORDS);
  for (const at of words.keys()) {
    // Another one of these is passed by as any word: what it runs comes later.
    const found = WRAPPERS.has(nameOf(words[at]!)) ? undefined : find(words.slice(at), tries);
    if (found) return found;
  }
  return undefined;
}

/** `sh -c "cd x && npx y"`, `cmd /c npx y`: each command of the line. */
function inShell(args: readonly string[], tries: Tries): { runner: PackageRunner } | undefined {
  for (const line of [args.join(' '), ...args.slice(0, MAX_WORDS)]) {
    for (const part of line.slice(0, MAX_LINE).split(/&&|\|\||[;|&\n(){}`]/)) {
      const found = wrapped(part.split(/\s+/).flatMap(unquoted), tries);
      if (found) return found;
    }
  }
  return undefined;
}

/** `node /usr/lib/npm/bin/npx-cli.js`, `python -m pipx run`. */
function interpreted(args: readonly string[], tries: Tries): { runner: PackageRunner } | undefined {
  const at = args.findIndex(word => !word.startsWith('-'));
  return at < 0 ? undefined : find(args.slice(at), tries);
}

function unquoted(word: string): string[] {
  const text = word.replace(/^["']+|["']+$/g, '');
  return text === '' ? [] : [text];
}

/** Without folder, extension and case, as Windows finds programs. */
function nameOf(command: string): string {
  const name = command.slice(Math.max(command.lastIndexOf('/'), command.lastIndexOf('\\')) + 1);
  return name.toLowerCase().replace(/\.(exe|cmd|bat|ps1|com|js|mjs|cjs)$/, '');
}

function ownOf<T>(table: { readonly [program: string]: T }, program: string): T | undefined {
  return Object.hasOwn(table, program) ? table[program] : undefined;
}
