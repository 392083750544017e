import type { Dirent } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isWithin, realPlace } from '../../base/filePlace';
import { type Phrase, phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import type { PackageRunner } from '../launch/knownPrograms';

/*
 * What is where on a person's machine. Places are relative to the home folder unless they are absolute; those of other systems
 * are merely absent.
 */

/** Names or paths of a list, separated by commas. */
function listed(text: string): readonly string[] {
  return text.split(',').map(name => name.trim());
}

/** Places that a confined program can't read unless its entry names them, even inside readable folders. */
export const SECRET_PLACES: readonly string[] = [
  ...listed(`
    .ssh, .gnupg, .aws, .azure, .kube, .docker, .oci, .config/gcloud, .config/gh, .config/glab-cli,
    .config/hub, .config/op, .config/sops, .config/rclone, .password-store, .vault-token, .terraform.d,
    .netrc, .npmrc, .yarnrc.yml, .pypirc, .pgpass, .my.cnf, .git-credentials, .config/git/credentials,
    .cargo/credentials, .cargo/credentials.toml, .gem/credentials, .m2/settings.xml, .gradle/gradle.properties,
    .env, .bash_history, .zsh_history, .python_history, .node_repl_history, .psql_history, .lesshst,
    .local/share/keyrings, .local/share/kwalletd, .1password, .config/1Password, .config/Bitwarden,
    .mozilla, .thunderbird, .config/google-chrome, .config/chromium, .config/BraveSoftware,
    .config/microsoft-edge, .config/vivaldi, .config/opera, snap/firefox, .var/app,
    .config/Code, .config/Code - Insiders, .config/VSCodium, .config/Cursor, .vscode-server/data,
    .local/share/code-server/User, .config/code-server, .config/zed, .local/share/zed, .config/JetBrains,
    .local/share/JetBrains, .config/Windsurf, .codeium, .config/sublime-text, .kiro, .config/Kiro
  `),
  // Agents, and what they share with us.
  ...listed(`
    .claude, .claude.json, .codex, .cursor, .gemini, .copilot, .config/github-copilot, .qwen, .aider,
    .config/opencode, .local/share/opencode, .local/state/opencode, .continue, .config/goose, .mcp-host,
    .rye/credentials, .rye/config.toml, .local/share/uv/credentials, .dotnet/corefx, .condarc, .npm-global/etc,
    miniconda3/.condarc, anaconda3/.condarc, miniforge3/.condarc, mambaforge/.condarc,
    .cache/huggingface/token, .cache/huggingface/stored_tokens, .config/huggingface,
    Library/Keychains, Library/Cookies, Library/Safari, Library/Messages, Library/Mail,
    Library/Application Support/Google, Library/Application Support/Firefox, Library/Application Support/BraveSoftware,
    Library/Application Support/Microsoft Edge, Library/Application Support/Chromium,
    Library/Application Support/Vivaldi, Library/Application Support/Arc, Library/Application Support/Bitwarden,
    Library/Application Support/Code, Library/Application Support/Code - Insiders,
    Library/Application Support/VSCodium, Library/Application Support/Cursor,
    Library/Application Support/Claude/claude_desktop_config.json,
    Library/Application Support/AddressBook, Library/Calendars, Library/Containers, Library/Group Containers
  `),
  // Sockets and keys of the session.
  ...listed(`
    /run/user, /run/secrets, /run/secrets.d, /run/agenix, /run/media, /run/screen, /run/uscreens, /run/initctl,
    /etc/shadow, /etc/gshadow, /etc/sudoers, /etc/ssh, /etc/ssl/private, /etc/pki/tls/private, /etc/letsencrypt,
    /etc/wireguard, /etc/openvpn, /etc/NetworkManager/system-connections, /etc/kubernetes, /etc/rancher, /etc/krb5.keytab
  `),
];

/** Outside of the home folder, all that a confined program reads unless its entry names more: programs, and what they are told. */
export const PROGRAM_PLACES: readonly string[] = [
  ...listed('/bin, /sbin, /usr, /lib, /lib32, /lib64, /libx32, /etc, /nix, /gnu, /snap'),
  // Of `/opt`, browsers and package managers. More is found from the program and PATH.
  ...listed(`
    /opt/google, /opt/microsoft, /opt/brave.com, /opt/vivaldi, /opt/homebrew, /opt/local,
    /dev, /proc, /sys, /run, /var/run, /var/lock, /var/guix, /var/cache/fontconfig,
    /var/lib/ca-certificates, /var/lib/dbus, /var/lib/flatpak, /var/lib/gems, /var/lib/snapd,
    /home/linuxbrew/.linuxbrew,
    /System, /Library, /Applications, /private/etc, /private/var/db, /private/var/run,
    /private/var/select
  `),
];

/** Places of the home folder with programs, and with what package managers have installed for all. Nothing that people write. */
export const HOME_PROGRAMS: readonly string[] = listed(`
  bin, .local/bin, .local/lib, .local/opt, .local/share/man, .local/share/fonts, .fonts, .config/fontconfig,
  .nvm, .volta, .fnm, .local/share/fnm, .nodenv, .n, n, .proto, .npm-global, .npm-packages,
  .local/share/pnpm, .config/yarn/global, .bun, .deno, .asdf, .tool-versions, .local/share/mise,
  .local/share/uv, .local/share/pipx, .local/pipx, .local/share/virtualenvs, .pyenv, .rye,
  miniconda3, anaconda3, miniforge3, mambaforge, micromamba, .conda/envs,
  .cargo/bin, .rustup, go/bin, go/pkg, .dotnet, .nuget/packages, .m2/repository, .sdkman, .jdks,
  .rbenv, .rvm, .gem/ruby, .ghcup, .opam, .elan, .juliaup, .linuxbrew, .nix-profile, .local/state/nix,
  .cache/ms-playwright, .cache/puppeteer, .cache/huggingface/hub,
  Library/pnpm, Library/Python, Library/Fonts, Library/Caches/ms-playwright, Library/Application Support/fnm
`);

/** Folders shared by many programs: a file in one is no reason to make all of it readable. */
export const SHARED_PLACES: readonly string[] = listed(`
  .cache, .config, .local, .local/share, .local/state, Desktop, Documents, Downloads,
  Library, Library/Application Support, Library/Caches, /var/tmp, /home/linuxbrew
`);

/** Of what begins with a dot in the home folder, the only folders in which a program may be given one of its own to change. */
const APP_DATA: readonly string[] = ['.cache', '.local/share', '.local/state', 'Library/Caches'];

/** Places in the home folder with programs or read at a login, besides dot files. No policy makes them writable. */
const RUN_BY_ITSELF: readonly string[] = [
  ...HOME_PROGRAMS,
  ...listed(`
    Applications, Library/LaunchAgents, Library/Preferences, Library/Scripts, Library/Services, go,
    .local/share/systemd, .local/share/applications, .local/share/dbus-1, .local/share/code-server,
    .local/share/flatpak, .local/share/nvim, .local/share/zsh, .local/share/fish, .local/share/bash-completion,
    .local/share/gnome-shell, .local/share/plasma, .local/share/kwin, .local/share/nautilus, .local/share/cargo,
    .local/share/JetBrains, .local/share/opencode, .local/share/zed, .local/share/keyrings,
    .cache/pre-commit, .cache/node, .cache/uv, .cache/pip, .cache/pypoetry, .cache/go-build, .cache/JetBrains,
    .cache/huggingface, .cache/nvim, .cache/opencode, .cache/bazel, .cache/zsh, .cache/yarn, .cache/deno
  `),
];

/** Folders of the system that hold programs and what they are told, or belong to somebody else. No policy makes them writable. */
const SYSTEM_PLACES: readonly string[] = [...PROGRAM_PLACES, '/opt', '/boot', '/root'];

/** Names of folders, anywhere, that contain programs which others run. They can't be made writable. */
const PROGRAM_FOLDERS: readonly string[] = listed(
  'node_modules, site-packages, dist-packages, .venv, venv, .direnv, .yarn, .vscode-server',
);

/** What every program gets of the environment. */
export const BASE_VARIABLES =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TERM|COLORTERM|NO_COLOR|TZ|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|NVM_(DIR|BIN)|VOLTA_HOME|PYENV_ROOT|FNM_\w+|JAVA_HOME|XDG_DATA_DIRS|__CF_USER_TEXT_ENCODING)$/;

/** Variables for caches of the server's own: in a shared one it could leave what other servers run next. */
export const cacheVariables = (
  folder: string,
  home: string,
  runner: PackageRunner | undefined,
  platform = process.platform,
): Record<string, string> => ({
  XDG_CACHE_HOME: `${folder}/cache`,
  // Too large for one of each server; only read there.
  PLAYWRIGHT_BROWSERS_PATH: `${home}/${platform === 'darwin' ? 'Library/Caches' : '.cache'}/ms-playwright`,
  HF_HOME: `${home}/.cache/huggingface`,
  npm_config_cache: `${folder}/npm`,
  // Npm complains of it.
  ...(runner === 'pnpm dlx' && { npm_config_store_dir: `${folder}/pnpm` }),
  YARN_CACHE_FOLDER: `${folder}/yarn`,
  BUN_INSTALL_CACHE_DIR: `${folder}/bun`,
  UV_CACHE_DIR: `${folder}/uv`,
  UV_TOOL_DIR: `${folder}/uv-tools`,
  UV_PYTHON_INSTALL_DIR: `${folder}/uv-python`,
  PIPX_HOME: `${folder}/pipx`,
  DENO_DIR: `${folder}/deno`,
  NUGET_PACKAGES: `${folder}/nuget`,
  GOPATH: `${folder}/go`,
  GOCACHE: `${folder}/go-build`,
});

/** Whether a path is, or lies in, a place of the home folder where secrets are kept. @param path a real one. */
export const isSecretPlace = (path: string): boolean =>
  SECRET_PLACES.map(place => join(homedir(), place)).some(place => isWithin(realPlace(place) ?? place, path));

/*
 * What other programs run or obey without being asked, by its name.
 */

/** Folders that the editor and git obey. In a writable folder, none can be created. */
export const KEPT_FOLDERS: readonly string[] = ['.git', '.vscode'];

/** Names that no policy makes writable: of version controls, editors, agents, shells, environments, hooks, package managers and CI. */
const CLOSED = new Set([
  ...KEPT_FOLDERS,
  ...listed(`
    .hg, .sl, .jj, .svn, .bzr, .pijul, _darcs, .run, .vs, .theia, .idx, .gitpod, .gitpod.yml, .dir-locals.el, .vim, .nvim,
    .idea, .zed, .fleet, .devcontainer, .devcontainer.json, .nvim.lua, .exrc, .gdbinit, .lldbinit,
    .mcp.json, .claude, .codex, .gemini, .opencode, opencode.json, .cursor, .cursorrules, .windsurf,
    .windsurfrules, .kiro, .roo, .roomodes, .clinerules, .continue, .aider.conf.yml, .amazonq, .junie,
    .trae, .augment, .qwen, .goosehints, .crush, .agents,
    .envrc, .direnv, .mise, .mise.toml, mise.toml, .venv, venv, pyvenv.cfg,
    .gitmodules, .husky, .pre-commit-config.yaml, .pre-commit-hooks.yaml, .lefthook, .overcommit.yml,
    .npmrc, .yarnrc, .yarnrc.yml, .yarn, .pnp.cjs, .pnp.loader.mjs, .pnpmfile.cjs, .cargo,
    .github, .gitlab, .gitlab-ci.yml, .circleci, .forgejo, .gitea, .travis.yml, .buildkite,
    .azure-pipelines, azure-pipelines.yml, azure-pipelines.yaml, Jenkinsfile, bitbucket-pipelines.yml,
    .drone.yml, .woodpecker, .woodpecker.yml, appveyor.yml, .appveyor.yml, .cirrus.yml, .teamcity
  `),
]);
const CLOSED_PATTERNS = [/\.(code-workspace|sublime-project)$/, /^\.?lefthook(-local)?\.(ya?ml|toml|json)$/];

/** Names that a policy makes writable where it names the file itself: what builds, linters and agents read. */
const NAMED_ONLY = new Set(
  listed(`
    package.json, deno.json, deno.jsonc, Makefile, GNUmakefile, justfile, .justfile, Taskfile.yml,
    Taskfile.yaml, Rakefile, Gemfile, composer.json, setup.py, pyproject.toml, noxfile.py, Cargo.toml,
    build.rs, build.gradle, build.gradle.kts, settings.gradle, settings.gradle.kts, gradlew, pom.xml,
    .mvn, mvnw, build.sbt, mix.exs, Package.swift, flake.nix, shell.nix, default.nix,
    Directory.Build.props, Directory.Build.targets,
    conftest.py, sitecustomize.py, usercustomize.py, fabfile.py, dodo.py, AGENTS.md, AGENT.md, CLAUDE.md, GEMINI.md, WARP.md, QWEN.md, CRUSH.md
  `),
);
const NAMED_ONLY_PATTERNS = [
  /^((gulp|grunt|knex|jake|rake)file|.*\.(config|conf|setup|workspace))(\.\w+)?\.[cm]?(jsx?|tsx?|coffee|rb)$/,
  /^((agents|claude)\.(local|override)\.md|(requirements|constraints)[\w.-]*\.txt)$/,
  // Files that shells, linters and the like run or read, such as `.eslintrc.js`.
  /^\.[\w-]+rc(\.\w+)?$/,
  /\.(cs|fs|vb)proj$/,
  /^(\.(storybook|config|tool-versions|(python|node|ruby|java|go|terraform)-version)|(tox|pytest|mypy)\.ini|setup\.cfg|nx\.json)$/,
];

/** In a repository that may be written to, all that a commit, a merge or a fetch needs. Git obeys much of the rest. */
const OPEN_IN_GIT =
  /^(objects|refs|logs|(index|head|orig_head|fetch_head|merge_head|merge_mode|merge_msg|squash_msg|auto_merge|commit_editmsg|packed-refs|shallow)(\.lock|\.new)?|gc\.(pid|log)(\.lock)?|\.merge_file_\w+|next-index-\d+\.lock)$/i;
export const isOpenInGit = (name: string): boolean => OPEN_IN_GIT.test(name);

/** What git obeys in a folder that looks like a repository, which anybody can make of a folder. */
export const KEPT_IN_GIT: readonly string[] = listed('hooks, config, config.worktree, commondir, modules, worktrees');

const BESIDE_HEAD = new Set(['objects', 'refs', ...KEPT_IN_GIT]);
/** The usual disks of macOS ignore case. */
const isFoldedHere = process.platform === 'darwin';
const folded = (names: ReadonlySet<string>) => new Set([...names].map(name => name.toLowerCase()));
const [FOLDED_CLOSED, FOLDED_NAMED_ONLY] = [folded(CLOSED), folded(NAMED_ONLY)];

/** Whether no policy makes a file or folder of this name writable. */
function isClosed(name: string, isFolded = true): boolean {
  const lower = name.toLowerCase();
  if (isFolded ? FOLDED_CLOSED.has(lower) : CLOSED.has(name)) return true;
  return CLOSED_PATTERNS.some(pattern => pattern.test(isFolded ? lower : name));
}

/** Whether other programs run or obey what has this name, in any case, wherever it lies. */
export function isObeyed(name: string): boolean {
  const lower = name.toLowerCase();
  return isClosed(name) || FOLDED_NAMED_ONLY.has(lower) || NAMED_ONLY_PATTERNS.some(pattern => pattern.test(lower));
}

/** Whether a folder with a file of this name is a project: a repository, or something to build. */
export const marksProject = (name: string): boolean => name === '.git' || NAMED_ONLY.has(name);

/** Names that begin with a dot and that nobody obeys: placeholders, temporary files, results of tests. */
const PLAIN_DOT =
  /^\.(gitkeep|keep|ds_store|coverage|nyc_output|cache|pytest_cache|ruff_cache|mypy_cache|.*\.(tmp|swp|part|lock))$/i;
/** Documents, pictures, tables and sources: what is made of them is nobody's instruction. */
const PLAIN_KIND =
  /\.(mdx?|txt|rst|adoc|csv|tsv|jsonl|log|pdf|png|jpe?g|gif|svg|webp|ico|html?|css|scss|less|[cm]?[jt]sx?|vue|svelte|py|ipynb|rb|go|rs|java|kt|swift|php|sql|c|cc|cpp|h|hpp|cs)$/i;

/**
 * Whether it can't be told that nobody obeys a new file or folder of this name: one that begins with a dot, or a file at the top of a
 * project of a kind that is not known to be harmless.
 */
export function isStrange({
  name,
  isFolder,
  inProject,
}: {
  name: string;
  isFolder: boolean;
  inProject: boolean;
}): boolean {
  if (name.startsWith('.')) return !PLAIN_DOT.test(name);
  return inProject && !isFolder && !PLAIN_KIND.test(name);
}

/** The file that makes git or Python obey a folder because of what is in it: a bare repository, an environment. */
export function markIn(entries: readonly Pick<Dirent, 'name' | 'isDirectory'>[]): string | undefined {
  const isHead = (name: string) => (isFoldedHere ? name.toUpperCase() : name) === 'HEAD';
  const head = entries.find(entry => isHead(entry.name) && !entry.isDirectory())?.name;
  const isRepository = head && entries.some(({ name }) => BESIDE_HEAD.has(name.toLowerCase()));
  return isRepository ? head : entries.find(({ name }) => name.toLowerCase() === 'pyvenv.cfg')?.name;
}

/** `/var` belongs to the system, except for its temporary folders. */
const VAR = /^((?:\/private)?\/var)(?!\/(tmp|folders)(\/|$))/;

/** Why a place can never be writable, or undefined. Of dot files at home, which programs obey, only data can be. */
export function writeProblem(
  path: string,
  home: string,
  platform = process.platform,
): ((name: string) => Phrase) | undefined {
  // The usual disks of macOS ignore case.
  const isFolded = platform === 'darwin';
  if (isFolded && (path !== path.toLowerCase() || home !== home.toLowerCase())) {
    return writeProblem(path.toLowerCase(), home.toLowerCase(), platform);
  }
  if (isWithin(path, home)) {
    return name => phrase('{0} contains your whole home folder. Name the folders that it may change instead.', name);
  }
  const lowered = (places: readonly string[]) => (isFolded ? places.map(place => place.toLowerCase()) : places);
  const clashes = (place: string) => isWithin(path, place) || isWithin(place, path);
  const inHome = isWithin(home, path);
  const known = inHome ? lowered(RUN_BY_ITSELF).map(place => join(home, place)) : lowered(SYSTEM_PLACES);
  const found = known.find(clashes) ?? (inHome ? settingsOf(path, home, lowered(APP_DATA)) : VAR.exec(path)?.[1]);
  const parts = path.split('/');
  const git = parts.indexOf('.git');
  const isKept =
    parts.some(part => part !== '.git' && (isClosed(part, isFolded) || lowered(PROGRAM_FOLDERS).includes(part))) ||
    (git >= 0 && !isOpenInGit(parts[git + 1] ?? 'HEAD'));
  if (!found && !isKept) return undefined;
  return name =>
    phrase(
      '{0} cannot be made writable, because files in {1} are run or decide what is run.',
      name,
      visible(found ?? path, 200),
    );
}

/** The part of a path in the home folder that makes it count as program settings. Undefined: it is data. */
function settingsOf(path: string, home: string, data: readonly string[]): string | undefined {
  const [first = ''] = path.slice(home.length).split('/').filter(Boolean);
  const isData = data.some(place => isWithin(join(home, place), path) && path !== join(home, place));
  return isData || !(first.startsWith('.') || /^library$/i.test(first)) ? undefined : join(home, first);
}
