/** Where a text stands in an entry: in which of its arguments, and which characters of that. */
export interface WordPlace {
  /** Index in `args`; -1: in `command`. */
  readonly argument: number;
  readonly start: number;
  readonly end: number;
}

/** A word of a command line. */
export interface RunWord {
  readonly text: string;
  readonly place: WordPlace;
}

const SHELLS = /^(sh|bash|zsh|dash|ash|ksh|fish|cmd|powershell|pwsh)(\.exe)?$/i;
const INTERPRETERS = /^(node|nodejs|python[\d.]*|py)(\.exe)?$/i;
/** These run what their arguments name, after options and variables of their own. */
const WRAPPERS =
  /^(env|sudo|doas|nice|nohup|exec|command|corepack|mise|asdf|direnv|dotenv|op|doppler|wsl|time|timeout|stdbuf|xvfb-run|setsid|call|start)(\.exe)?$/i;
/** Programs that fetch what they run, with which such a command can begin. */
const RUNS =
  /^(npx|npx-cli|npm|pnpm|pnpx|yarn|bunx|bun|uvx|uv|pipx|docker|podman|nerdctl)(\.(exe|cmd|bat|ps1|[cm]?js))?$/i;
const MAX_WORDS = 200;
const MAX_LINE = 10_000;

/**
 * The commands in what an entry starts, each as its words: the one that it is, what a wrapper (`env A=1 npx …`) or an
 * interpreter (`node npx-cli.js …`) runs, and those in the script of a shell (`sh -c "cd x && npx …"`, `cmd /c npx …`).
 */
export function runWords(command: string, args: readonly string[]): readonly (readonly RunWord[])[] {
  const words = [command, ...args]
    .slice(0, MAX_WORDS)
    .map((text, index) => ({ text, place: { argument: index - 1, start: 0, end: text.length } }));
  return commandsOf(words, 0);
}

function commandsOf(words: readonly RunWord[], depth: number): readonly (readonly RunWord[])[] {
  const [first, ...rest] = words;
  if (!first || depth > 3) return [];
  const program = baseName(first.text);
  if (RUNS.test(program)) return [words];
  if (SHELLS.test(program)) return shellCommands(rest).flatMap(inner => commandsOf(inner, depth + 1));
  if (!WRAPPERS.test(program) && !INTERPRETERS.test(program) && !isVariable(first.text)) return [];
  // The first word that is such a program. Others may be options, values and variables of the wrapper.
  const at = rest.findIndex(({ text }) => {
    const name = baseName(text);
    return RUNS.test(name) || SHELLS.test(name);
  });
  return at < 0 ? [] : commandsOf(rest.slice(at), depth + 1);
}

/** The words of each command of a script, which may be one argument or, as `cmd` takes it, several. */
function shellCommands(args: readonly RunWord[]): readonly (readonly RunWord[])[] {
  const commands: RunWord[][] = [[]];
  for (const { text, place } of args) {
    for (const found of text
      .slice(0, MAX_LINE)
      .matchAll(/"([^"]*)"|'([^']*)'|(&&|\|\||[;|&\n(){}`]+)|[^\s;|&(){}`"']+/g)) {
      const [whole, double, single, separator] = found;
      if (separator !== undefined) {
        commands.push([]);
        continue;
      }
      const quoted = double ?? single;
      const start = place.start + found.index + (quoted === undefined ? 0 : 1);
      const said = quoted ?? whole;
      commands.at(-1)!.push({ text: said, place: { ...place, start, end: start + said.length } });
    }
  }
  // Options of the shell come before the command.
  return commands
    .map(words => {
      const at = words.findIndex(({ text }) => !/^[-/]\w+$/.test(text) || isVariable(text));
      return at < 0 ? [] : words.slice(at);
    })
    .filter(words => words.length > 0);
}

const isVariable = (text: string) => /^[A-Za-z_]\w*=/.test(text);

const baseName = (path: string) => path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).trim();
