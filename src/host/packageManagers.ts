/** Programs that fetch packages and run them. What lies in the folder that they run in decides what that is. */
const MANAGERS =
  /^(npx|npm|pnpx|pnpm|yarn|yarnpkg|corepack|bunx|bun|deno|uvx|uv|pipx|dnx|npx-cli|npm-cli)(\.(cmd|exe|bat|ps1|[cm]?js))?$/i;
/** Those of them whose name nobody gives to anything else. */
const ALWAYS = /^(npx|pnpx|bunx|uvx|pipx|dnx|npx-cli|npm-cli)(\.(cmd|exe|bat|ps1|[cm]?js))?$/i;
/** Programs that run what their arguments say. */
const WRAPPERS =
  /^(cmd|powershell|pwsh|sh|bash|zsh|fish|dash|ksh|nu|wsl|env|sudo|doas|nice|ionice|nohup|setsid|stdbuf|time|timeout|gtimeout|caffeinate|xargs|arch|start|direnv|mise|rtx|asdf|volta|fnm|nvm|conda|micromamba|mamba)(\.(exe|cmd|bat))?$/i;
/** What these run does not see the folder. */
const ELSEWHERE = /^(docker|docker-compose|podman|nerdctl|kubectl|ssh|devcontainer)(\.(exe|cmd))?$/i;
const PYTHON = /^(python[\d.]*|pypy[\d.]*|py)(\.exe)?$/i;

/**
 * Whether a command line runs a package manager: by its name or path, as a script of its own (`npx-cli.js`, `python -m
 * pipx`), behind a shell or another program that runs what its arguments say, or after `--`. So may one that is told only at
 * launch.
 */
export function runsPackageManager(command: string, args: readonly string[]): boolean {
  const program = baseName(command);
  if (MANAGERS.test(program) || command.includes('${input:')) return true;
  if (ELSEWHERE.test(program)) return false;
  if (WRAPPERS.test(program)) return args.some(text => wordsOf(text).some(word => MANAGERS.test(word)));
  if (PYTHON.test(program) && MANAGERS.test(after(args, '-m'))) return true;
  return MANAGERS.test(baseName(after(args, '--'))) || args.some(text => ALWAYS.test(baseName(text)));
}

const after = (args: readonly string[], option: string) =>
  (args.includes(option) && args[args.indexOf(option) + 1]) || '';
const baseName = (path: string) => path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).trim();

/** The words of a command line, or of a script for a shell, without the folders before them. */
const wordsOf = (text: string) => text.split(/[\s;&|(){}<>'"`^=$@!,]+/).map(baseName);
