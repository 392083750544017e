import { packageRunner } from './packageRunner';

/** Programs that fetch packages and run them. */
const MANAGERS =
  /^(npx|npm|pnpx|pnpm|yarn|yarnpkg|corepack|bunx|bun|deno|uvx|uv|pipx|dnx|vlx|vlt|pixi|jbang|npx-cli|npm-cli)(\.(cmd|exe|bat|ps1|[cm]?js))?$/i;
/** Those of them whose name nobody gives to anything else. */
const ALWAYS = /^(npx|pnpx|bunx|uvx|pipx|dnx|npx-cli|npm-cli)(\.(cmd|exe|bat|ps1|[cm]?js))?$/i;
/** Programs that run what their arguments say. */
const WRAPPERS =
  /^(cmd|powershell|pwsh|sh|bash|zsh|fish|dash|ash|ksh|nu|busybox|toybox|wsl|env|sudo|doas|nice|ionice|nohup|setsid|stdbuf|time|timeout|gtimeout|caffeinate|xargs|arch|start|direnv|mise|rtx|asdf|volta|proto|fnm|nvm|conda|micromamba|mamba)(\.(exe|cmd|bat))?$/i;
/** What these run does not see the folder. */
const ELSEWHERE = /^(docker|docker-compose|podman|nerdctl|kubectl|ssh|devcontainer)(\.(exe|cmd))?$/i;

/** Programs that look for a module in the folder that they run in, and the options with which they do. */
const INTERPRETERS: readonly { program: RegExp; takesValue: RegExp; looks(option: string, next: string): boolean }[] = [
  {
    program: /^(i?python[\d.]*[tw]*[\d.]*|pypy[\d.]*|py)(\.exe)?$/i,
    takesValue: /^(-[WX]|--check-hash-based-pycs)$/,
    // `-m module`, `-c program`, also behind letters that take no value.
    looks: option => /^-[bBdEiOqsSuvx]*[mc]/.test(option),
  },
  {
    program: /^(node|nodejs)[\d.-]*(\.exe)?$/i,
    takesValue: /^(-r|-C|--require|--import|--loader|--experimental-loader|--conditions)$/,
    looks: (option, next) => {
      if (/^(-e|-p|-pe|--eval|--print|--run|--experimental-default-config-file)(=|$)/.test(option)) return true;
      const [, value = next] =
        /^(?:-r|--require|--import|--loader|--experimental-loader|--env-file|--env-file-if-exists)(?:=(.*))?$/s.exec(
          option,
        ) ?? ['', '/'];
      return !/^([/\\]|[A-Za-z]:[/\\]|(file|data|node):)/.test(value);
    },
  },
];

/**
 * Whether what a command line runs is decided by what lies in the folder that it runs in. So it is with package managers: by
 * their name or path, as a script (`npx-cli.js`, `python -m pipx`), behind a shell or another program that runs what its
 * arguments say, or after `--`; and with modules that are looked for by their name, as `python -m server`. So it may be with
 * a program that is told only at launch.
 */
export function runsWhatItFinds(command: string, args: readonly string[]): boolean {
  const program = baseName(command);
  if (command.includes('${input:') || finds(program, args)) return true;
  // Whatever is known to fetch a program: what it is told by the folder decides which one, and from where.
  const { runner = '' } = packageRunner(command, args) ?? {};
  if (runner !== '' && !/^(docker|podman) /.test(runner)) return true;
  if (ELSEWHERE.test(program)) return false;
  if (WRAPPERS.test(program)) {
    const words = args.flatMap(wordsOf);
    return words.some((word, index) => finds(baseName(word), words.slice(index + 1)));
  }
  const dashes = args.indexOf('--');
  if (dashes >= 0 && finds(baseName(args[dashes + 1] ?? ''), args.slice(dashes + 2))) return true;
  return args.some(text => ALWAYS.test(baseName(text)));
}

/** Whether this program, called so, looks for what it is to run. */
function finds(program: string, args: readonly string[]): boolean {
  if (MANAGERS.test(program)) return true;
  const interpreter = INTERPRETERS.find(({ program: names }) => names.test(program));
  if (!interpreter) return false;
  for (let index = 0; index < args.length; index++) {
    const option = args[index]!;
    if (!option.startsWith('-')) return false;
    if (interpreter.looks(option, args[index + 1] ?? '')) return true;
    if (interpreter.takesValue.test(option)) index++;
  }
  return false;
}

const baseName = (path: string) => path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).trim();

/** The words of a command line, or of a script for a shell. */
const wordsOf = (text: string) => text.split(/[\s;&|(){}<>'"`^=$@!,]+/);
