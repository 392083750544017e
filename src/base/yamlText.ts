import { Composer, type CST, type Document, isMap, isScalar, Parser, visit } from 'yaml';
import { MAX_LEVELS } from './json';

export interface YamlLimits {
  /** Longer texts are not read. */
  readonly characters: number;
  /** How often a name may stand for a part of the document: each is searched in all of it. */
  readonly aliases: number;
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
    const tokens = [...new Parser().parse(text)];
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

function unreadable(document: Document.Parsed, aliases: number, twins: boolean): YamlMistake[] {
  let left = aliases;
  let mistake: YamlMistake | undefined;
  visit(document, {
    Alias: (_key, { range }) => {
      if (--left >= 0) return undefined;
      mistake = { offset: range?.[0] ?? 0, message: `more than ${aliases} aliases` };
      return visit.BREAK;
    },
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
