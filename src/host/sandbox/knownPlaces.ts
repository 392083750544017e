import type { PackageRunner } from '../launch/knownPrograms';

/*
 * What is where on a person's machine. Places are relative to the home folder unless they are absolute; those of other systems
 * are merely absent.
 */

/** Places that a confined program can't read unless its entry names them, even inside readable folders. */
export const SECRET_PLACES: readonly string[] = [
  ...[
    '.ssh',
    '.gnupg',
    '.aws',
    '.azure',
    '.kube',
    '.docker',
    '.oci',
    '.config/gcloud',
    '.config/gh',
    '.config/glab-cli',
  ],
  ...['.config/hub', '.config/op', '.config/sops', '.config/rclone', '.password-store', '.vault-token', '.terraform.d'],
  ...[
    '.netrc',
    '.npmrc',
    '.yarnrc.yml',
    '.pypirc',
    '.pgpass',
    '.my.cnf',
    '.git-credentials',
    '.config/git/credentials',
  ],
  ...[
    '.cargo/credentials',
    '.cargo/credentials.toml',
    '.gem/credentials',
    '.m2/settings.xml',
    '.gradle/gradle.properties',
  ],
  ...['.env', '.bash_history', '.zsh_history', '.python_history', '.node_repl_history', '.psql_history', '.lesshst'],
  ...['.local/share/keyrings', '.local/share/kwalletd', '.1password', '.config/1Password', '.config/Bitwarden'],
  ...['.mozilla', '.thunderbird', '.config/google-chrome', '.config/chromium', '.config/BraveSoftware'],
  ...['.config/microsoft-edge', '.config/vivaldi', '.config/opera', 'snap/firefox', '.var/app'],
  ...['.config/Code', '.config/Code - Insiders', '.config/VSCodium', '.config/Cursor', '.vscode-server/data'],
  ...['.local/share/code-server/User', '.config/code-server', '.config/zed', '.local/share/zed', '.config/JetBrains'],
  ...['.local/share/JetBrains', '.config/Windsurf', '.codeium', '.config/sublime-text', '.kiro', '.config/Kiro'],
  // Agents, and what they share with us.
  ...[
    '.claude',
    '.claude.json',
    '.codex',
    '.cursor',
    '.gemini',
    '.copilot',
    '.config/github-copilot',
    '.qwen',
    '.aider',
  ],
  ...['.config/opencode', '.local/share/opencode', '.local/state/opencode', '.continue', '.config/goose', '.mcp-host'],
  ...['.cache/huggingface/token', '.cache/huggingface/stored_tokens', '.config/huggingface'],
  ...['Library/Keychains', 'Library/Cookies', 'Library/Safari', 'Library/Messages', 'Library/Mail'],
  ...[
    'Library/Application Support/Google',
    'Library/Application Support/Firefox',
    'Library/Application Support/BraveSoftware',
  ],
  ...['Library/Application Support/Microsoft Edge', 'Library/Application Support/Chromium'],
  ...[
    'Library/Application Support/Vivaldi',
    'Library/Application Support/Arc',
    'Library/Application Support/Bitwarden',
  ],
  ...['Library/Application Support/Code', 'Library/Application Support/Code - Insiders'],
  ...[
    'Library/Application Support/VSCodium',
    'Library/Application Support/Cursor',
    'Library/Application Support/Claude/claude_desktop_config.json',
  ],
  ...['Library/Application Support/AddressBook', 'Library/Calendars', 'Library/Containers', 'Library/Group Containers'],
  // Sockets and keys of the session.
  ...[
    '/run/user',
    '/run/secrets',
    '/run/media',
    '/run/screen',
    '/run/uscreens',
    '/etc/shadow',
    '/etc/gshadow',
    '/etc/sudoers',
    '/etc/ssh',
  ],
];

/** Outside of the home folder, all that a confined program reads unless its entry names more: programs, and what they are told. */
export const PROGRAM_PLACES: readonly string[] = [
  ...['/bin', '/sbin', '/usr', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/nix', '/gnu', '/snap'],
  // Of `/opt`, browsers and package managers. More is found from the program and PATH.
  ...['/opt/google', '/opt/microsoft', '/opt/brave.com', '/opt/vivaldi', '/opt/homebrew', '/opt/local'],
  ...['/dev', '/proc', '/sys', '/run', '/var/run', '/var/lock', '/var/guix', '/var/cache/fontconfig'],
  ...['/var/lib/ca-certificates', '/var/lib/dbus', '/var/lib/flatpak', '/var/lib/gems', '/var/lib/snapd'],
  '/home/linuxbrew/.linuxbrew',
  ...['/System', '/Library', '/Applications', '/private/etc', '/private/var/db', '/private/var/run'],
  '/private/var/select',
];

/** The same of the home folder: programs, and what package managers have installed for all. Nothing that people write. */
export const HOME_PROGRAMS: readonly string[] = [
  ...[
    'bin',
    '.local/bin',
    '.local/lib',
    '.local/opt',
    '.local/share/man',
    '.local/share/fonts',
    '.fonts',
    '.config/fontconfig',
  ],
  ...['.nvm', '.volta', '.fnm', '.local/share/fnm', '.nodenv', '.n', 'n', '.proto', '.npm-global', '.npm-packages'],
  ...['.local/share/pnpm', '.config/yarn/global', '.bun', '.deno', '.asdf', '.tool-versions', '.local/share/mise'],
  ...['.local/share/uv', '.local/share/pipx', '.local/pipx', '.local/share/virtualenvs', '.pyenv', '.rye'],
  ...['miniconda3', 'anaconda3', 'miniforge3', 'mambaforge', 'micromamba', '.conda/envs'],
  ...['.cargo/bin', '.rustup', 'go/bin', 'go/pkg', '.dotnet', '.nuget/packages', '.m2/repository', '.sdkman', '.jdks'],
  ...[
    '.rbenv',
    '.rvm',
    '.gem/ruby',
    '.ghcup',
    '.opam',
    '.elan',
    '.juliaup',
    '.linuxbrew',
    '.nix-profile',
    '.local/state/nix',
  ],
  ...['.cache/ms-playwright', '.cache/puppeteer', '.cache/huggingface/hub'],
  ...[
    'Library/pnpm',
    'Library/Python',
    'Library/Fonts',
    'Library/Caches/ms-playwright',
    'Library/Application Support/fnm',
  ],
];

/** Folders shared by many programs: a file in one is no reason to make all of it readable. */
export const SHARED_PLACES: readonly string[] = [
  ...['.cache', '.config', '.local', '.local/share', '.local/state', 'Desktop', 'Documents', 'Downloads'],
  ...['Library', 'Library/Application Support', 'Library/Caches', '/var/tmp', '/home/linuxbrew'],
];

/** Of what begins with a dot in the home folder, the only folders in which a program may be given one of its own to change. */
export const APP_DATA: readonly string[] = ['.cache', '.local/share', '.local/state', 'Library/Caches'];

/**
 * Places in the home folder that hold programs or are read at a login, besides those that begin with a dot. No policy makes them
 * writable.
 */
export const RUN_BY_ITSELF: readonly string[] = [
  ...HOME_PROGRAMS,
  ...['Applications', 'Library/LaunchAgents', 'Library/Preferences', 'Library/Scripts', 'Library/Services', 'go'],
  ...['.local/share/systemd', '.local/share/applications', '.local/share/dbus-1', '.local/share/code-server'],
  ...[
    '.local/share/flatpak',
    '.local/share/nvim',
    '.local/share/zsh',
    '.local/share/fish',
    '.local/share/bash-completion',
  ],
  ...[
    '.local/share/gnome-shell',
    '.local/share/plasma',
    '.local/share/kwin',
    '.local/share/nautilus',
    '.local/share/cargo',
  ],
  ...['.local/share/JetBrains', '.local/share/opencode', '.local/share/zed', '.local/share/keyrings'],
  ...[
    '.cache/pre-commit',
    '.cache/node',
    '.cache/uv',
    '.cache/pip',
    '.cache/pypoetry',
    '.cache/go-build',
    '.cache/JetBrains',
  ],
  ...[
    '.cache/huggingface',
    '.cache/nvim',
    '.cache/opencode',
    '.cache/bazel',
    '.cache/zsh',
    '.cache/yarn',
    '.cache/deno',
  ],
];

/** Folders of the system that hold programs and what they are told, or belong to somebody else. No policy makes them writable. */
export const SYSTEM_PLACES: readonly string[] = [...PROGRAM_PLACES, '/opt', '/boot', '/root'];

/** Names of folders, anywhere, that contain programs which others run. They can't be made writable. */
export const PROGRAM_FOLDERS: readonly string[] = [
  ...['node_modules', 'site-packages', 'dist-packages', '.venv', 'venv', '.direnv', '.yarn', '.vscode-server'],
];

/** What every program gets of the environment. */
export const BASE_VARIABLES =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TERM|COLORTERM|NO_COLOR|TZ|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|NVM_(DIR|BIN)|VOLTA_HOME|PYENV_ROOT|FNM_\w+|JAVA_HOME|XDG_DATA_DIRS|__CF_USER_TEXT_ENCODING)$/;

/**
 * Variables that give package managers a cache of the server's own: in a shared one it could leave what other servers, which may
 * not be confined, run next.
 */
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
