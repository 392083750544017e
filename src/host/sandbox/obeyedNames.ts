import type { Dirent } from 'node:fs';

/*
 * What other programs run or obey without being asked, by its name.
 */

/** Folders that the editor and git obey. In a writable folder, none can be created. */
export const KEPT_FOLDERS: readonly string[] = ['.git', '.vscode'];

/** Names that no policy makes writable: of editors, agents, shells, environments, hooks, package managers and CI. */
const CLOSED = new Set([
  ...KEPT_FOLDERS,
  ...['.idea', '.zed', '.fleet', '.devcontainer', '.devcontainer.json', '.nvim.lua', '.exrc', '.gdbinit', '.lldbinit'],
  ...[
    '.mcp.json',
    '.claude',
    '.codex',
    '.gemini',
    '.opencode',
    'opencode.json',
    '.cursor',
    '.cursorrules',
    '.windsurf',
  ],
  ...[
    '.windsurfrules',
    '.kiro',
    '.roo',
    '.roomodes',
    '.clinerules',
    '.continue',
    '.aider.conf.yml',
    '.amazonq',
    '.junie',
  ],
  ...['.trae', '.augment', '.qwen', '.goosehints', '.crush', '.agents'],
  ...['.envrc', '.direnv', '.mise', '.mise.toml', 'mise.toml', '.venv', 'venv', 'pyvenv.cfg'],
  ...['.gitmodules', '.husky', '.pre-commit-config.yaml', '.pre-commit-hooks.yaml', '.lefthook', '.overcommit.yml'],
  ...['.npmrc', '.yarnrc', '.yarnrc.yml', '.yarn', '.pnp.cjs', '.pnp.loader.mjs', '.pnpmfile.cjs', '.cargo'],
  ...['.github', '.gitlab', '.gitlab-ci.yml', '.circleci', '.forgejo', '.gitea', '.travis.yml', '.buildkite'],
  ...['.azure-pipelines', 'azure-pipelines.yml', 'azure-pipelines.yaml', 'Jenkinsfile', 'bitbucket-pipelines.yml'],
  ...['.drone.yml', '.woodpecker', '.woodpecker.yml', 'appveyor.yml', '.appveyor.yml', '.cirrus.yml', '.teamcity'],
]);
const CLOSED_PATTERNS = [/\.(code-workspace|sublime-project)$/, /^\.?lefthook(-local)?\.(ya?ml|toml|json)$/];

/** Names that a policy makes writable where it names the file itself: what builds, linters and agents read. */
const NAMED_ONLY = new Set([
  ...['package.json', 'deno.json', 'deno.jsonc', 'Makefile', 'GNUmakefile', 'justfile', '.justfile', 'Taskfile.yml'],
  ...[
    'Taskfile.yaml',
    'Rakefile',
    'Gemfile',
    'composer.json',
    'setup.py',
    'pyproject.toml',
    'noxfile.py',
    'Cargo.toml',
  ],
  ...['build.rs', 'build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts', 'gradlew', 'pom.xml'],
  ...['.mvn', 'mvnw', 'build.sbt', 'mix.exs', 'Package.swift', 'flake.nix', 'shell.nix', 'default.nix'],
  ...['Directory.Build.props', 'Directory.Build.targets'],
  ...['AGENTS.md', 'AGENTS.override.md', 'CLAUDE.md', 'CLAUDE.local.md', 'GEMINI.md'],
]);
const NAMED_ONLY_PATTERNS = [
  /\.config\.[cm]?[jt]s$/,
  // Files that shells, linters and the like run or read, such as `.eslintrc.js`.
  /^\.[\w-]+rc(\.\w+)?$/,
  /\.(cs|fs|vb)proj$/,
];

/** What git obeys in a repository that may be written to. */
export const KEPT_IN_GIT: readonly string[] = [
  'hooks',
  'config',
  'config.worktree',
  'commondir',
  'modules',
  'worktrees',
];

const BESIDE_HEAD = new Set(['objects', 'refs', ...KEPT_IN_GIT]);
/** The usual disks of macOS ignore case. */
const isFoldedHere = process.platform === 'darwin';
const folded = (names: ReadonlySet<string>) => new Set([...names].map(name => name.toLowerCase()));
const [FOLDED_CLOSED, FOLDED_NAMED_ONLY] = [folded(CLOSED), folded(NAMED_ONLY)];

/** Whether no policy makes a file or folder of this name writable. */
export function isClosed(name: string, isFolded = true): boolean {
  const lower = name.toLowerCase();
  if (isFolded ? FOLDED_CLOSED.has(lower) : CLOSED.has(name)) return true;
  return CLOSED_PATTERNS.some(pattern => pattern.test(isFolded ? lower : name));
}

/** Whether other programs run or obey what has this name, in any case, wherever it lies. */
export function isObeyed(name: string): boolean {
  const lower = name.toLowerCase();
  return isClosed(name) || FOLDED_NAMED_ONLY.has(lower) || NAMED_ONLY_PATTERNS.some(pattern => pattern.test(lower));
}

/** The file that makes git or Python obey a folder because of what is in it: a bare repository, an environment. */
export function markIn(entries: readonly Pick<Dirent, 'name' | 'isDirectory'>[]): string | undefined {
  const isHead = (name: string) => (isFoldedHere ? name.toUpperCase() : name) === 'HEAD';
  const head = entries.find(entry => isHead(entry.name) && !entry.isDirectory())?.name;
  const isRepository = head && entries.some(({ name }) => BESIDE_HEAD.has(name.toLowerCase()));
  return isRepository ? head : entries.find(({ name }) => name.toLowerCase() === 'pyvenv.cfg')?.name;
}
