import { type KnownProgram, knownProgram, type PackageRunner, programName } from './knownPrograms';

/** The position of a text in an entry: the argument, and the characters within it. */
export interface WordPlace {
  /** Index in `args`; -1: in `command`. */
  readonly argument: number;
  readonly start: number;
  readonly end: number;
}

export interface RunWord {
  readonly text: string;
  readonly place: WordPlace;
}

export interface RunProgram {
  /** Without folder, extension and case. */
  readonly name: string;
  readonly known: KnownProgram | undefined;
  /** The program as written, then its arguments. */
  readonly words: readonly RunWord[];
}

/** The package that a program fetches. */
interface Fetching {
  readonly runner: PackageRunner;
  /** Empty: the runner needs none. */
  readonly command: string;
  /** Arguments behind the command. */
  readonly words: readonly RunWord[];
}

/** What a command line says can't be told: it has to be taken for the worst. */
export interface CannotBeTold {
  /** The part at fault, as written. */
  readonly cannotBeTold: string;
}

/** The programs of a command line, the outermost first. */
export interface RunChain {
  readonly programs: readonly RunProgram[];
}

class SpentBudget extends Error {}

/** What reading one command line may cost, in characters, whatever runs what in it. */
export class LineBudget {
  #left = 50_000;

  /** Reads with a new budget. What it does not suffice for can't be told. */
  static reading<T>(command: string, read: (budget: LineBudget) => T): T | CannotBeTold {
    try {
      return read(new LineBudget());
    } catch (error) {
      if (error instanceof SpentBudget) return { cannotBeTold: command };
      throw error;
    }
  }

  spend(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0) throw new SpentBudget();
  }
}

/** A program costs, so that they are not nested deeper than the stack is. */
export const costOf = (words: readonly RunWord[]): number => 500 + 5 * words.length;

/**
 * The programs that a command line runs: of a wrapper the one that it runs (`env A=1 npx …`), of a shell those of its line
 * (`sh -c "cd x && npx …"`, `cmd /c npx …`), of an interpreter a package manager that is a script (`node npx-cli.js …`,
 * `python -m pipx …`). A program that is not known runs no other, unless that stands behind `--`.
 */
export function programsOf(command: string, args: readonly string[]): RunChain | CannotBeTold {
  return LineBudget.reading(command, budget => ({ programs: collected(wordsAt([command, ...args]), budget) }));
}

/** How a program fetches packages or images. Undefined: it runs what is installed. */
export function fetchedBy({ known, words }: RunProgram): Fetching | undefined {
  for (const [command, runner] of known?.fetches ?? []) {
    const rest = behind(words.slice(1), command);
    if (!rest) continue;
    const afar = FROM_AFAR[runner];
    if (!afar || rest.some(({ text }) => afar.test(text))) return { runner, command, words: rest };
  }
  return undefined;
}

/** Whether any argument mentions a package runner, or may: an unknown program may run any of them. */
export function mentionsRunner(args: readonly string[]): boolean {
  const mentions = LineBudget.reading('', budget => {
    budget.spend(args.join('').length);
    const words = wordsAt(args.flatMap(text => text.split(/[\s;&|(){}<>'"`^=$!,]+@?/)));
    return words.some(({ text }, index) => {
      // `-mpipx`, `-Snpx`.
      const name = programName(text.replace(/^-\w(?=\w)/, ''));
      const known = knownProgram(name);
      if (!known || known.fetches.length === 0) return false;
      return fetchedBy({ name, known, words: words.slice(index, index + MAX_BEHIND) }) !== undefined;
    });
  });
  return mentions !== false;
}

/** Words behind a mention that are looked at. */
const MAX_BEHIND = 200;

/** Packages of these runners may be local, for instance during development: only remote names count. */
const FROM_AFAR: { readonly [R in PackageRunner]?: RegExp } = {
  'uv run': /^(--with(-editable|-requirements)?(=|$)|https?:)/,
  'deno run': /^(npm|jsr|https?):/,
  'go run': /@/,
  'nix run': /^[\w-]+[:#]/,
};

export const wordsAt = (texts: readonly string[]): RunWord[] =>
  texts.map((text, index) => ({ text, place: { argument: index - 1, start: 0, end: text.length } }));

function collected(words: readonly RunWord[], budget: LineBudget): readonly RunProgram[] {
  const [first] = words;
  if (!first) return [];
  budget.spend(costOf(words));
  const name = programName(first.text);
  const program = { name, known: knownProgram(name), words };
  return [program, ...innerOf(program, budget).flatMap(inner => collected(inner, budget))];
}

function innerOf(program: RunProgram, budget: LineBudget): readonly (readonly RunWord[])[] {
  const {
    name,
    known,
    words: [, ...words],
  } = program;
  switch (known?.kind) {
    case 'shell':
      return lineOf(words, budget);
    case 'wrapper':
      return wrapped(known, words, budget);
    case 'manager':
    case 'interpreter': {
      if (fetchedBy(program)) return [];
      const rest = known.wraps === undefined ? undefined : behind(words, known.wraps);
      if (rest) return wrapped(known, rest, budget);
      const [script] = known.kind === 'interpreter' ? wrapped(known, words, budget) : [];
      return script?.[0] && kindOf(script[0]) === 'manager' ? [script] : [];
    }
    case 'elsewhere': {
      // `docker compose` is `docker-compose`.
      const [part, ...rest] = words;
      const joined = part && { ...part, text: `${name}-${part.text}` };
      return joined && knownProgram(joined.text) ? [[joined, ...rest]] : [];
    }
    default: {
      const at = words.findIndex(({ text }) => text === '--') + 1;
      return at > 0 ? [words.slice(at)] : [];
    }
  }
}

const kindOf = ({ text }: RunWord) => knownProgram(programName(text))?.kind;

/** Words between a wrapper and its command: `--`, a subcommand, a folder or file, a number, a variable. */
const BEFORE = /^(|--|run|exec|x|\.{1,2}[\\/]?|\/dev\/\w+|v?[\d.,:x]+[a-z]{0,2}|[A-Za-z_][\w.-]*=.*)$/s;

/** The command behind options and their values, or the commands of a line. */
function wrapped(known: KnownProgram, words: readonly RunWord[], budget: LineBudget): readonly (readonly RunWord[])[] {
  const { values, lines } = known;
  let { before } = known;
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    const { text } = word;
    const rest = words.slice(index + 1);
    const glued = [...lines].find(option => text.length > option.length && text.startsWith(option));
    if (glued) return lineOf([partOf(word, glued.length + (text[glued.length] === '=' ? 1 : 0)), ...rest], budget);
    // Of letters in one word only the last takes the next: `-qec line`.
    const option = /^-\w{2,4}$/.test(text) ? `-${text.at(-1)}` : text;
    if (lines.has(option)) return lineOf(rest, budget);
    if (values.has(text) || values.has(option)) index++;
    else if (text.startsWith('-')) continue;
    else if (before > 0) before--;
    else if (isBefore(text, rest)) continue;
    else return [words.slice(index)];
  }
  return [];
}

/** `node@22 --` says which tools a command is to find. */
const isBefore = (text: string, rest: readonly RunWord[]) =>
  BEFORE.test(text) || (/.@/.test(text) && rest.some(word => word.text === '--'));

/** The arguments after a subcommand, which options with or without values may precede. Undefined: a different subcommand. */
function behind(words: readonly RunWord[], command: string): readonly RunWord[] | undefined {
  if (command === '') return words;
  const wanted = command.split(' ');
  for (const [at, { text }] of words.entries()) {
    if (text.startsWith('-')) continue;
    if (wanted.every((part, index) => words[at + index]?.text === part)) return words.slice(at + wanted.length);
    const isValue = at > 0 && /^-[^=]+$/.test(words[at - 1]!.text) && words[at - 1]!.text !== '--';
    if (!isValue) return undefined;
  }
  return undefined;
}

/** The shell option that is followed by a command line. */
export const TAKES_LINE = /^(-[a-z]{0,4}c|\/[ck]|-c[a-z]+|--commands?)$/i;
/** A quote without its pair quotes the rest. */
const PIECE = /"((?:\\[\s\S]|[^"\\])*)(?:"|\\?$)|'([^']*)(?:'|$)|\\([\s"'$])/g;
const TOKEN =
  /(&&|\|\||[;|&\n(){}`]+)|(?:"(?:\\[\s\S]|[^"\\])*(?:"|\\?$)|'[^']*(?:'|$)|\$\{[^{}\s]*\}|\\[\s"'$]|[^\s;|&(){}`"'])+/g;

/**
 * The commands of a script, each as its words. It may be one argument or, as `cmd` takes it, several; without an option for a
 * line, a shell is told a file, which comes first.
 */
export function lineOf(args: readonly RunWord[], budget: LineBudget): readonly (readonly RunWord[])[] {
  const commands: RunWord[][] = [[]];
  for (const { text, place } of args.slice(args.findIndex(word => TAKES_LINE.test(word.text)) + 1)) {
    budget.spend(text.length);
    for (const { 0: raw, 1: separator, index } of text.matchAll(TOKEN)) {
      if (separator !== undefined) {
        commands.push([]);
        continue;
      }
      const said = raw.replace(
        PIECE,
        (_all, double?: string, single?: string, sign?: string) => double ?? single ?? sign!,
      );
      // Of what is in quotes as a whole the place is between them.
      const edge = /^(["']).*\1$/s.test(raw) && said.length === raw.length - 2 ? 1 : 0;
      const start = place.start + index + edge;
      commands.at(-1)!.push({ text: said, place: { ...place, start, end: start + raw.length - 2 * edge } });
    }
  }
  return commands.map(words => {
    const at = words.findIndex(({ text }) => !/^-|^\/\w$|^[A-Za-z_]\w*=/.test(text));
    return at < 0 ? [] : words.slice(at);
  });
}

/** A word without its beginning. */
export const partOf = ({ text, place }: RunWord, from: number): RunWord => ({
  text: text.slice(from),
  place: { ...place, start: place.start + from },
});
