import { posix } from 'node:path';
import { mapTexts, parsedJson } from '../../../base/json';
import { matches, percentDecoded } from '../../../base/text';
import {
  type CannotBeTold,
  isShell,
  knownProgram,
  powerOf,
  programName,
  programsOf,
  type RunProgram,
  scriptAt,
} from '../../../host/launch';
import { hasPort, type ProgramEntry, socketOf, withPort } from '../../../host/settings';
import { mayBeSame, type PackageReference, packagesOf } from '../../supply/core';
import { deniesHostIn, deniesWord, type UrlRule } from './urlRule';

type Command = readonly string[];

/**
 * The texts of a program's entry in which something denied may be named. They are searched as texts, of any length, piece by
 * piece: what wraps what need not be understood. What gets its meaning only at run time is `hidden`.
 */
export class LaunchTexts {
  readonly #command: Command;
  /** Each text as written, and as whoever takes quotes and escapes out of it reads it. */
  readonly #views: readonly string[];
  /** The address at which the program is reached, as written and without quotes and escapes. */
  readonly #addressViews: readonly string[];
  readonly #entry: ProgramEntry;
  #words: Command | undefined;

  constructor(entry: ProgramEntry) {
    const { url = '' } = entry;
    // A port that is chosen at the start is no text that a shell makes up.
    this.#entry = hasPort(url) ? mapTexts(entry, text => withPort(text, 0)) : entry;
    const { command, args, env, cwd, dev } = this.#entry;
    this.#command = [command, ...args];
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value ?? ''}`);
    // A relative path may name something only together with the folder that it starts in.
    const placed = cwd === undefined ? [] : [cwd, ...args.map(arg => `${cwd}/${arg}`)];
    const texts = [...this.#command, ...variables, ...placed, ...textsIn(dev?.debug)];
    this.#views = [...new Set(texts.flatMap(viewsOf))];
    this.#addressViews = viewsOf(this.#entry.url ?? '');
  }

  /** Whether what a rule denies may be run: the same words, or its package, by any runner, in any version that may be the rule's. */
  mayRun(rule: Command): boolean {
    const [program = '', ...args] = rule;
    if (this.#hasProgram(folded(program)) && this.#hasWords(args)) return true;
    return packagesOf(program, args).some(
      one => this.#hasWords(rule.slice(one.place.argument + 2)) && this.#names(one),
    );
  }

  /** Whether an address that a rule denies may be reached. */
  mayReach(rule: UrlRule | string): boolean {
    if (typeof rule === 'string') {
      const path = socketOf(rule)?.path;
      return (
        path !== undefined &&
        this.#views.some(view => posix.normalize(view).includes(posix.normalize(path.toLowerCase())))
      );
    }
    return [...this.#views, ...this.#addressViews].some(
      view =>
        [...view.split(/[\s'"`=,;|&<>()]+/), ...(view.match(ADDRESS) ?? [])].some(word => deniesWord(rule, word)) ||
        deniesHostIn(rule, view),
    );
  }

  /** What may stand for anything, because a shell, a pipe or code makes it up at run time. */
  get unknownPart(): CannotBeTold | undefined {
    const { command, args, env } = this.#entry;
    const powers = Object.entries(env).flatMap(([name, value]) => {
      const power = powerOf(name);
      return value !== null && power && power !== 'network' ? [{ name, value }] : [];
    });
    const options = powers.filter(({ name }) => /OPT(ION)?S?$/i.test(name)).map(({ value }) => value);
    const expanded =
      firstMatch([...this.#command, ...powers.map(({ value }) => value)], EXPANDED) ??
      firstMatch(options, /[;()]/) ??
      (this.words.some(word => programName(word) === 'cmd') ? firstMatch(this.#command, EXPANDED_BY_CMD) : undefined);
    if (expanded !== undefined) return { cannotBeTold: expanded };
    const chain = programsOf(command, args);
    if ('cannotBeTold' in chain) return chain;
    const elsewhere =
      firstMatch(this.words, STREAM) ??
      XARGS.exec(viewsOf(this.#command.join(' ')).join('\n'))?.[0] ??
      chain.programs.flatMap(readsElsewhere)[0];
    if (elsewhere !== undefined) return { cannotBeTold: elsewhere };
    const code = chain.programs.flatMap(codeOf)[0];
    if (code !== undefined) return { cannotBeTold: code };
    const own = ownArguments(command, args);
    const inLine = this.words.some(isShellOfWindows) ? MADE_ON_WINDOWS : MADE;
    const made = this.#isLine ? inLine : undefined;
    const computed = args.find((arg, index) => {
      if (typeof parsedJson(arg) === 'object') return false;
      const signs = arg.replace(HARMLESS, ' ');
      if (index >= own) return (/\s/.test(arg) && /[|<>]/.test(signs)) || (own === 0 && CALL.test(arg));
      return made?.test(signs) || (/[\s'"]/.test(arg) && EXPANDS.test(signs));
    });
    return computed === undefined ? undefined : { cannotBeTold: computed };
  }

  /** All words, also those within a text, as rules are compared with them. */
  private get words(): Command {
    const views = new Set(this.#command.flatMap(viewsOf));
    this.#words ??= [...new Set([...views].flatMap(view => [view, ...wordsIn(view)]).map(plainWord))];
    return this.#words;
  }

  /** Whether a shell reads any of it, here or on another machine. */
  get #isLine(): boolean {
    return this.words.some(word => isShell(word) || programName(word) === 'ssh');
  }

  #hasWords(words: Command): boolean {
    return words.every(word => this.words.includes(plainWord(folded(word))));
  }

  /** Whether a word may be this program: by its path, by its name, or by its name in a folder that is named elsewhere. */
  #hasProgram(program: string): boolean {
    const { dir, base } = posix.parse(plainWord(program));
    const isFolderNamed = dir !== '' && this.#views.some(view => view.includes(dir));
    const own = isFolderNamed ? [plainWord(program), base, `./${base}`] : [plainWord(program)];
    return this.words.some(word => own.includes(word) || (dir === '' && programName(word) === programName(program)));
  }

  /** Whether its scope stands alone, as a folder, and its name elsewhere. */
  #namesApart({ name }: PackageReference): boolean {
    const [, scope, own] = /^(@[^/]+)\/(.+)$/.exec(name.toLowerCase()) ?? [];
    if (scope === undefined || own === undefined) return false;
    const names = new RegExp(`${EDGE}${escaped(own)}(?=${END})`);
    const alone = new RegExp(String.raw`${escaped(scope)}(?![\w.~-]|[/\\]+[\w.~-])`);
    return this.#views.some(view => alone.test(view)) && this.#views.some(view => names.test(view));
  }

  #names(one: PackageReference): boolean {
    const pattern = patternOf(one);
    const plain = plainNameOf(one).replace(/^.*\//, '');
    const isAny = one.version === '' || one.version === 'latest';
    return (
      this.#namesApart(one) ||
      this.#views.some(
        view =>
          [...view.matchAll(pattern)].some(
            ({ 0: name, index }) =>
              isAny || mayBeVersion(one, view.slice(index + name.length, index + name.length + 200)),
          ) || globsIn(view).some(glob => matches(glob, plain)),
      )
    );
  }
}

const ADDRESS = /https?:[^\s'"`]+/gi;
/** What a shell puts in at run time: `$X`, `${X}`, `$(…)`, `$'…'`, backquotes, `%X%` of Windows; and modules within an address. */
const EXPANDED = /\$[\w{(@*#?!'"-]|`|%[a-z_]\w{2,}%|\bdata:[\w/+.-]*(?:script|wasm)/i;
const EXPANDED_BY_CMD = /%[^%\s]+%|![^!\s]+!/;
/** Of a line of a shell, what makes up no words. */
const HARMLESS = /\|\||\d?>\s*(\/dev\/null(?![\w/])|&\d)|(?<!\S)(#|(\[\[?|\]\]?|[{}!])(?![^\s;]))/g;
/** What a shell does not take as it stands, but for quotes and escapes, which are read. All else may make up words. */
const MADE = /[^\p{L}\p{N}\s\w./@:=,+~%"'&;\\-]|\\(?![\s"'\\])/u;
/** What a shell makes several words of. */
const EXPANDS = /[|<>(*]|\[(?:[[\]][^\s[\]]*|[^\s[\]]+)\]|\{[^\s{},]*,[^\s{}]*\}/;
/** There, it separates folders. */
const MADE_ON_WINDOWS = /[^\p{L}\p{N}\s\w./@:=,+~%"'&;\\-]/u;
const isShellOfWindows = (word: string) => /^(cmd|powershell|pwsh)$/.test(programName(word));

/** A file that is open when the program starts, but for its output. */
const STREAM = /^(?:.*=)?\/(?:dev\/(?:stdin|fd\/(?![12]$)\d+)|proc\/[\w-]+\/fd\/\d+)$/;

/** Behind whatever runs it. A last word that is `xargs` is a name. */
const XARGS = /(?<![^\s;&|(/\\'"`])g?xargs(?:\.exe)?['"]?[ \t]+[^\s|;&)]+/;

/** What has a program take words of a command, or commands, from a file or its input. */
function readsElsewhere({ name, known, words: [, ...rest] }: RunProgram): string[] {
  if (name === 'parallel') return [name];
  return known?.kind === 'shell'
    ? rest.map(({ text }) => text).filter(text => /^--(?:rcfile|init-file)/.test(text))
    : [];
}

/** A call in a program of some language, with text among its arguments. */
const CALL = /\w\(\s*["'`]|\([\w-]+\s+["'`(]/;

const firstMatch = (texts: Command, pattern: RegExp): string | undefined => texts.find(text => pattern.test(text));

/** The code that a program gets as an argument, as far as it is not known to run a file or a module. */
function codeOf({
  name,
  known,
  words: [first, ...rest],
}: Pick<RunProgram, 'name' | 'known'> & { readonly words: readonly { readonly text: string }[] }): string[] {
  const texts = rest.map(({ text }) => text);
  const encoded =
    known?.kind === 'shell'
      ? texts.filter(text => /^(\/|[-\u2013-\u2015]{1,2})e(n?c?|nc\w*)$/i.test(text) && /^p(ower)?w?sh/.test(name))
      : [];
  if (encoded.length > 0) return encoded;
  if (known?.kind === 'manager' && (known.family === 'deno' || known.family === 'bun'))
    return texts
      .filter((text, index) => (index === 0 ? /^eval$/ : /^$/).test(text) || /^(-[ep]|--(eval|print))(=|$)/.test(text))
      .slice(0, 1);
  if (!known) return codeAfterOption(texts);
  if (known.kind !== 'interpreter' || !first || texts.length === 0) return [];
  const isModule = known.family === 'python' && /^-[bBdEiIOPqsSuvx]*m/.test(texts[0]!);
  const isTold =
    scriptAt(first.text, texts) !== undefined ||
    knownProgram(programName(texts[0]!)) ||
    isModule ||
    /^[a-z]/i.test(texts[0]!);
  return isTold ? [] : [texts.find(text => !text.startsWith('-')) ?? texts[0]!];
}

/** What stands behind an option for code in the arguments of a program that is not known, and is no plain value. */
function codeAfterOption(texts: Command): string[] {
  const at = texts.findIndex(
    (text, index) =>
      /^(-[ceE]|-{1,2}(e|ex|eval|exec|execute))$/.test(text) && /[()[\]{};"'!]/.test(texts[index + 1] ?? ''),
  );
  return at < 0 ? [] : [texts[at + 1]!];
}

/** The index from which arguments belong to a program that is known, or fetched, and no wrapper. */
function ownArguments(command: string, args: Command): number {
  if (isShell(command)) return args.length;
  const known = knownProgram(programName(command));
  if (!known) return /[\\/]/.test(command) ? 0 : args.length;
  return (
    scriptAt(command, args) ??
    (known.kind === 'wrapper' ? args.length : (packagesOf(command, args)[0]?.place.argument ?? args.length))
  );
}

const folded = (text: string) => text.normalize('NFKC').toLowerCase();

/** A text as it is, and as shells, JSON, addresses and line ends make others of it. */
function viewsOf(text: string): string[] {
  const raw = folded(text);
  const decoded = percentDecoded(raw);
  // Of JSON and of shells. Line breaks and tabs are left out, as within an address.
  const said = raw
    .replace(/\\[nrt]/g, '')
    .replace(/\\_/g, ' ') // of `env -S`
    .replace(/\\u\{([0-9a-f]{1,6})\}|\\u([0-9a-f]{4})|\\x([0-9a-f]{1,2})/g, (_, ...codes) => characterOf(codes, 16))
    .replace(/\\([0-7]{1,3})/g, (_, code) => characterOf([code], 8));
  return [raw, decoded, said].flatMap(view => {
    const paths = view.replaceAll('\\', '/');
    const plain = /\/\.{0,2}\//.test(paths) ? [posix.normalize(paths)] : [];
    return [view, view.replace(/[\\'"`^\t\r\n]/g, ''), ...plain];
  });
}

/** Every text in a value, at whatever depth. */
function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  mapTexts(value, text => {
    texts.push(text);
    return text;
  });
  return texts;
}

const characterOf = (codes: readonly unknown[], base: number): string => {
  const code = Number.parseInt(String(codes.find(part => part !== undefined)), base);
  return code <= 0x10_ffff ? String.fromCodePoint(code).toLowerCase() : '';
};

const wordsIn = (text: string): Command =>
  text
    .match(/[;&|(){}<>]+|(?:"[^"]*"|'[^']*'|\\[\s\S]|[^\s;&|(){}<>"'\\])+/g)
    ?.map(word => word.replace(/["']|\\(?=[\s"'])/g, '')) ?? [];

/** `/srv/`, `/./srv` and `//srv` are `/srv`. */
const plainWord = (word: string) => word.replace(/(\/\.?)+(?=\/)/g, '').replace(/(?<=.)\/\.?$/, '');

/** One of the spellings that a registry takes for the same. The registry of an image is none of its name: others have copies. */
function plainNameOf({ ecosystem, name }: Pick<PackageReference, 'ecosystem' | 'name'>): string {
  const lower = name.toLowerCase();
  if (ecosystem === 'pypi') return lower.replace(/[-_.]+/g, '-');
  return ecosystem === 'image' ? lower.replace(/^([^/.:]*[.:][^/]*|localhost)\//, '').replace(/^library\//, '') : lower;
}

const escaped = (text: string) => text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
/** Not within a longer word; behind an option of letters, as `-mname`. */
const EDGE = String.raw`(?<=^|[^\w.~-]|(?<![\w.~-])-[a-z]{1,3})`;
/** Not the name of another scope. */
const UNSCOPED = String.raw`(?<!(?:^|[^\w/]|[^/]/)@[\w.~-]{1,99}[/+\\])`;
/** A version, or the ending of a file. */
const END = String.raw`$|[^\w.~-]|-v?\d|[.~-](?![\w.~-])|\.(?:git|cmd|exe|ps1|bat|com|[cm]?js|ts|py|pyz|tgz|tar|whl|zip|jar)(?!\w)`;

/** Where a text names a package. */
function patternOf(one: PackageReference): RegExp {
  const name = plainNameOf(one);
  switch (one.ecosystem) {
    case 'image':
      return new RegExp(String.raw`(?<![\w.-])${escaped(name)}(?![\w/-]|\.\w)`, 'g');
    case 'pypi': {
      const any = name.split('-').map(escaped).join('[-_.]+');
      // `name.server` is a module; `//name.example` a host.
      return new RegExp(String.raw`${EDGE}${any}(?=${END}|\.(?=[a-z_])(?<!//${any}\.))`, 'g');
    }
    default:
      return name.startsWith('@')
        ? new RegExp(`${escaped(name).replace('/', String.raw`[/+\\]{1,2}`)}(?=${END})`, 'g')
        : new RegExp(`${EDGE}${UNSCOPED}${escaped(name)}(?=${END})`, 'g');
  }
}

const VERSION = /^(?:\[[^\]]*\])?\s*(?:@|:|-v?(?=\d)|(?=[=<>!~^]))([^\s'",;&()/?#|]+)\s*(\|\||[<>=~^\d]|-\s)?/;

/** Whether the version behind a name may be that of a rule. One that is not understood may. */
function mayBeVersion({ ecosystem, version }: PackageReference, behind: string): boolean {
  const [, said = '', more] = VERSION.exec(behind) ?? [];
  if (more !== undefined) return true;
  // A tag may have been given to any image, but two digests differ.
  const isDigest = (text: string) => ecosystem === 'image' && text.includes('sha256:');
  if (isDigest(version) || isDigest(said)) return !(isDigest(version) && isDigest(said)) || said.endsWith(version);
  return mayBeSame(version, said);
}

/** What a shell makes several names of, each as a pattern: `{a,b}`, `[ab]`, `?`. */
function globsIn(view: string): string[] {
  if (!/[*?[{]/.test(view)) return [];
  return view
    .replace(/\{[^{}\s]*\}|\[[^[\]\s]*\]|[*?]+/g, '*')
    .split(/[^\w.~*+-]+/)
    .filter(piece => piece.includes('*') && /\w/.test(piece));
}
