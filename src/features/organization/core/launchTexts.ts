import { posix } from 'node:path';
import { lazy } from '../../../base/events';
import { mapTexts, parsedJson } from '../../../base/json';
import { normalized } from '../../../base/normalized';
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
import { packagesOf } from '../../supply/core';
import { codeIn, textsIn } from './codeInLaunch';
import {
  EDGE,
  END,
  escaped,
  mayBeVersion,
  type NamedPackage,
  packagesNamed,
  patternOf,
  plainNameOf,
} from './namedPackages';
import { type UrlRule, WrittenAddresses } from './urlRule';

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
  readonly #read = lazy(() => this.#readWords());
  /** What a shell makes several names of. */
  readonly #globs = lazy(() => [...new Set(this.#views.flatMap(globsIn))]);
  #addresses: WrittenAddresses | undefined;

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
    return packagesNamed(program, args).some(
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
    this.#addresses ??= new WrittenAddresses([...this.#views, ...this.#addressViews]);
    return this.#addresses.areDenied(rule);
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
    const code = codeIn(chain, command, args);
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
    return this.#read().words;
  }

  #readWords() {
    const views = new Set(this.#command.flatMap(viewsOf));
    const all = new Set([...views].flatMap(view => [view, ...wordsIn(view)]).map(plainWord));
    return { words: [...all], all, programs: new Set(Array.from(all, programName)) };
  }

  /** Whether a shell reads any of it, here or on another machine. */
  get #isLine(): boolean {
    return this.words.some(word => isShell(word) || programName(word) === 'ssh');
  }

  #hasWords(words: Command): boolean {
    return words.every(word => this.#read().all.has(plainWord(folded(word))));
  }

  /** Whether a word may be this program: by its path, by its name, or by the end of its path where the folder around is named. */
  #hasProgram(program: string): boolean {
    const own = plainWord(program);
    const { all, programs } = this.#read();
    if (!own.includes('/')) return all.has(own) || programs.has(programName(program));
    const ends = [...own.matchAll(/(?<=.)\//g)].flatMap(({ index }) => {
      const end = own.slice(index + 1);
      return this.#views.some(view => view.includes(own.slice(0, index))) ? [end, `./${end}`] : [];
    });
    return [own, ...ends].some(word => all.has(word));
  }

  /** Whether its scope stands alone, as a folder, and its name elsewhere. */
  #namesApart({ name }: NamedPackage): boolean {
    const [, scope, own] = /^(@[^/]+)\/(.+)$/.exec(name.toLowerCase()) ?? [];
    if (scope === undefined || own === undefined) return false;
    const names = new RegExp(`${EDGE}${escaped(own)}(?=${END})`);
    const alone = new RegExp(String.raw`${escaped(scope)}(?![\w.~-]|[/\\]+[\w.~-])`);
    return this.#views.some(view => alone.test(view)) && this.#views.some(view => names.test(view));
  }

  #names(one: NamedPackage): boolean {
    const pattern = patternOf(one);
    const plain = plainNameOf(one).replace(/^.*\//, '');
    const isAny = one.version === '' || one.version === 'latest';
    return (
      this.#namesApart(one) ||
      this.#globs().some(glob => matches(glob, plain)) ||
      this.#views.some(view =>
        [...view.matchAll(pattern)].some(
          ({ 0: name, index }) =>
            isAny || mayBeVersion(one, view.slice(index + name.length, index + name.length + 200)),
        ),
      )
    );
  }
}

/** What a shell puts in at run time: `$X`, `${X}`, `$(…)`, `$'…'`, backquotes, `%X%` of Windows; and modules within an address. */
const EXPANDED = /\$[\w{(@*#?!'"-]|`|%[a-z_]\w{2,}%|\bdata:[\w/+.-]*(?:json|script|wasm)/i;
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

const folded = (text: string) => normalized(text, 'NFKC').toLowerCase();

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

/** What a shell makes several names of, each as a pattern: `{a,b}`, `[ab]`, `?`. */
function globsIn(view: string): string[] {
  if (!/[*?[{]/.test(view)) return [];
  return view
    .replace(/\{[^{}\s]*\}|\[[^[\]\s]*\]|[*?]+/g, '*')
    .split(/[^\w.~*+-]+/)
    .filter(piece => piece.includes('*') && /\w/.test(piece));
}
