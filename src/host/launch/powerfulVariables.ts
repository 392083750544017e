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
    PATH PATHEXT COMSPEC SHELL SYSTEMROOT WINDIR EDITOR VISUAL PAGER MANPAGER BROWSER LESSOPEN LESSCLOSE SSH_ASKPASS
    SUDO_ASKPASS GIT_* GCM_* HG* SVN_SSH RSYNC_RSH CVS_RSH MAKEFLAGS MAKEFILES CC CXX CMAKE_*
    RUSTC* RUSTUP_* GOFLAGS GOROOT GOPATH GOTOOLCHAIN GOENV JAVA_HOME VIRTUAL_ENV CONDA_* NVM_* VOLTA_* ASDF_* MISE_* PYENV_*
    RBENV_* NODENV_* FNM_*`,
  packages: `
    NPM_CONFIG_* YARN_* PNPM_* COREPACK_* UV_* PIP_* PIPX_* PIPENV_* POETRY_* HATCH_* CARGO_* GOPROXY GOSUMDB GONOSUMDB
    GONOPROXY GOPRIVATE GOINSECURE GOVCS NUGET_* DOCKER_* PODMAN_* CONTAINER_* CONTAINERS_* BUILDAH_* HOMEBREW_*`,
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

const WORDS = Object.entries(POWERS).map(([power, words]) => {
  const patterns = words
    .trim()
    .split(/\s+/)
    .map(word => word.replace(/\*$/, '.*'));
  return [power as VariablePower, new RegExp(`^(?:${patterns.join('|')})$`, 'is')] as const;
});

/** Credentials of tools, in variables with the same beginning. They do not change what is run. */
const CREDENTIAL = /(?:token|passw(?:or)?d|passphrase|secret|_auth)$/i;

/**
 * `…_PASSWORD_COMMAND`, `AUTH_MODULE`, `CHROME_PATH` and the like name something to run or load, even if the name mentions a
 * secret.
 */
const PROGRAM =
  /(?:command|cmd|(?:^|_)(?:exec|executable|program|binary|helper|script|process|hooks?|shell|providers?|modules?|plugins?|loaders?|preload|browser|chrome|chromium|editor)(?:_(?:path|bin|file))?)$/i;

/** The effect of a variable with this name. Undefined: none known. */
export function powerOf(name: string): VariablePower | undefined {
  const power = WORDS.find(([, pattern]) => pattern.test(name))?.[0] ?? (PROGRAM.test(name) ? 'programs' : undefined);
  return power !== undefined && power !== 'code' && CREDENTIAL.test(name) ? undefined : power;
}
