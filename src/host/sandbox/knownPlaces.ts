import type { PackageRunner } from '../launch/packageRunner';

/*
 * What is where on a person's machine. Places are relative to the home folder unless they are absolute; those of other systems
 * are merely absent.
 */

/** What a confined program never reads unless its entry names it. */
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
  ...['.local/share/code-server/User', '.config/code-server', '.claude', '.claude.json', '.codex', '.cursor'],
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
  ...['/run/user', '/run/secrets', '/var/run/secrets', '/etc/shadow', '/etc/gshadow', '/etc/sudoers', '/etc/ssh'],
];

/** What runs by itself when a person logs in, opens a shell or the editor. No policy makes it writable. */
export const RUN_BY_ITSELF: readonly string[] = [
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.profile', '.inputrc', '.xprofile'],
  ...[
    '.xinitrc',
    '.xsessionrc',
    '.zshrc',
    '.zshenv',
    '.zprofile',
    '.zlogin',
    '.zlogout',
    '.config/fish',
    '.config/nushell',
  ],
  ...['.config/zsh', '.config/autostart', '.config/systemd', '.config/environment.d', '.local/share/systemd'],
  ...[
    '.local/share/applications',
    '.local/bin',
    'bin',
    '.ssh',
    '.gnupg',
    '.gitconfig',
    '.config/git',
    '.npmrc',
    '.config/pip',
  ],
  ...['.vscode', '.vscode-server', '.vscode-insiders', '.config/Code', '.config/Code - Insiders', '.config/VSCodium'],
  ...[
    '.local/share/code-server',
    '.config/code-server',
    '.cursor',
    '.config/Cursor',
    '.claude',
    '.claude.json',
    '.codex',
  ],
  ...[
    '.direnvrc',
    '.config/direnv',
    '.vimrc',
    '.vim',
    '.config/nvim',
    '.emacs',
    '.emacs.d',
    '.tmux.conf',
    '.pam_environment',
  ],
  ...['Library/LaunchAgents', 'Library/Preferences', 'Library/Scripts', 'Library/Services', 'Applications'],
  ...['Library/Application Support/Code', 'Library/Application Support/Code - Insiders'],
  ...['Library/Application Support/VSCodium', 'Library/Application Support/Cursor', '.docker', '.kube'],
];

/** Folders of the system that hold programs and what they are told. No policy makes them writable. */
export const SYSTEM_PLACES: readonly string[] = [
  ...[
    '/bin',
    '/boot',
    '/dev',
    '/etc',
    '/lib',
    '/lib64',
    '/proc',
    '/root',
    '/run',
    '/sbin',
    '/sys',
    '/usr',
    '/var/lib',
    '/var/run',
  ],
  ...[
    '/System',
    '/Library',
    '/Applications',
    '/private/etc',
    '/private/var/db',
    '/opt/homebrew',
    '/opt/local',
    '/nix',
    '/snap',
  ],
];

/** In a folder that may be written to, what the editor or git would run or obey: it stays as it is. */
export const KEPT_FOLDERS: readonly string[] = ['.git', '.vscode'];
/** The same, where it is there. */
export const KEPT_FILES: readonly string[] = [
  ...[
    '.mcp.json',
    '.envrc',
    '.gitmodules',
    '.husky',
    '.devcontainer',
    '.devcontainer.json',
    '.idea',
    '.cursor',
    '.claude',
  ],
];

/** Of a `.git` that the entry names as writable. Git looks for others of these names only where its configuration says so. */
export const KEPT_IN_GIT: readonly string[] = [
  'hooks',
  'config',
  'config.worktree',
  'commondir',
  'modules',
  'worktrees',
];

/** Places with data of people: of these only what the entry names is there where it has `read`. */
export const DATA_PLACES: readonly string[] = ['/home', '/Users', '/mnt', '/media', '/srv', '/Volumes'];

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
