import {
  type Alias,
  Composer,
  type CST,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  Parser,
  visit,
} from 'yaml';
import { MAX_LEVELS } from './json';

export interface YamlLimits {
  /** Longer texts are not read. */
  readonly characters: number;
  /** How often a name may stand for a part of the document: each is searched in all of it. Absent: the caller follows them. */
  readonly aliases?: number;
  /** Whether a key may stand twice in an object. */
  readonly twins?: boolean;
}

export interface YamlMistake {
  readonly offset: number;
  readonly message: string;
}

export interface YamlText {
  readonly document: Document.Parsed | undefined;
  readonly mistakes: readonly YamlMistake[];
}

const OPTIONS = {
  schema: 'core',
  uniqueKeys: false,
  logLevel: 'silent',
  prettyErrors: false,
  resolveKnownTags: false,
} as const;

/**
 * Reads YAML in time that grows as the text does: the parser's own look for a key that stands twice compares each with all before
 * it, and its errors with lines count from the beginning. Never throws. Lint allows no other way to read YAML.
 */
export function readYaml(text: string, { characters, aliases, twins = false }: YamlLimits): YamlText {
  if (text.length > characters) return broken(characters, `longer than ${characters} characters`);
  try {
    const tokens = tokensOf(text);
    // The composer calls itself for each level, and V8 ends the process if it compiles a regular expression when the stack is nearly full.
    if (tokens.some(isTooDeep)) return broken(0, `nested in more than ${MAX_LEVELS} levels`);
    const [document] = new Composer(OPTIONS).compose(tokens, true, text.length);
    if (!document) return broken(0, 'empty');
    const mistakes = document.errors.map(({ pos: [offset], message }) => ({ offset, message }));
    if (mistakes.length === 0) mistakes.push(...unreadable(document, aliases, twins));
    return { document, mistakes };
  } catch (error) {
    return broken(0, error instanceof Error ? error.message : String(error));
  }
}

/** More of what can't stand there is not read: each costs as much as a hundred lines. */
const MAX_STRAY = 100;

function tokensOf(text: string): CST.Token[] {
  const tokens: CST.Token[] = [];
  let stray = 0;
  for (const token of new Parser().parse(text)) {
    tokens.push(token);
    if (token.type === 'error' && ++stray === MAX_STRAY) break;
  }
  return tokens;
}

/** Returns the value of a text without mistakes. @throws Error for one with any. */
export function valueOfYaml({ document, mistakes }: YamlText): unknown {
  if (!document || mistakes.length > 0) throw new Error(mistakes[0]?.message ?? '');
  return document.toJS({ maxAliasCount: -1 });
}

/** Whether a token holds others in more levels than it may. Calls itself for none of them. */
function isTooDeep(token: CST.Token): boolean {
  let level: CST.Token[] = [token];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_LEVELS) return true;
    level = level.flatMap(partsOf);
  }
  return false;
}

function partsOf(token: CST.Token): CST.Token[] {
  const items = 'items' in token ? token.items.flatMap(({ key, value }) => [key, value]) : [];
  const value = token.type === 'document' ? [token.value] : [];
  return [...items, ...value].filter(part => part != null);
}

const broken = (offset: number, message: string): YamlText => ({
  document: undefined,
  mistakes: [{ offset, message }],
});

/** Values that the aliases of a text stand for: each may stand for others, so that a few lines are a text without end. */
const MAX_ALIASED = 10_000;

/** The first problem with the aliases of a document. Its message repeats no text of the document, which may be secret. */
function wrongAlias({ contents }: Document.Parsed, aliases: number): YamlMistake | undefined {
  let mistake: YamlMistake | undefined;
  let [count, aliased] = [0, 0];
  const sizes = new Map<string, number>();
  const sizeOfAlias = ({ source, range }: Alias.Parsed): number => {
    const size = sizes.get(source);
    aliased += size ?? 0;
    const message =
      (++count > aliases && `more than ${aliases} aliases`) ||
      (size === undefined && 'an alias that stands for nothing') ||
      (aliased > MAX_ALIASED && `aliases that stand for more than ${MAX_ALIASED} values`);
    if (message) mistake ??= { offset: range[0], message };
    return size ?? 1;
  };
  const sizeOf = (node: unknown): number => {
    if (mistake || !isNode(node)) return 1;
    if (isAlias(node)) return sizeOfAlias(node as Alias.Parsed);
    const parts = isCollection(node)
      ? node.items.flatMap(item => (isPair(item) ? [item.key, item.value] : [item]))
      : [];
    const size = parts.reduce<number>((sum, part) => sum + sizeOf(part), 1);
    if ('anchor' in node && node.anchor) sizes.set(node.anchor, size);
    return size;
  };
  sizeOf(contents);
  return mistake;
}

function unreadable(document: Document.Parsed, aliases: number | undefined, twins: boolean): YamlMistake[] {
  let mistake = aliases === undefined ? undefined : wrongAlias(document, aliases);
  if (mistake) return [mistake];
  visit(document, {
    Map: (_key, map) => {
      const keys = new Set<unknown>();
      for (const { key } of map.items) {
        const value = isScalar(key) ? String(key.value) : undefined;
        if (twins || value === undefined || isMap(key)) continue;
        if (keys.has(value)) {
          mistake = { offset: isScalar(key) ? (key.range?.[0] ?? 0) : 0, message: 'a key stands twice' };
          return visit.BREAK;
        }
        keys.add(value);
      }
      return undefined;
    },
  });
  return mistake ? [mistake] : [];
}
