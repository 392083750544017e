import { type Document, isMap, isScalar, parseDocument, visit } from 'yaml';

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

/**
 * Reads YAML in time that grows as the text does: the parser's own look for a key that stands twice compares each with all before
 * it, and its errors with lines count from the beginning. Never throws. Lint allows no other way to read YAML.
 */
export function readYaml(text: string, { characters, aliases, twins = false }: YamlLimits): YamlText {
  if (text.length > characters) return broken(characters, `longer than ${characters} characters`);
  try {
    const document = parseDocument(text, {
      schema: 'core',
      uniqueKeys: false,
      logLevel: 'silent',
      prettyErrors: false,
      resolveKnownTags: false,
    });
    const mistakes = document.errors.map(({ pos: [offset], message }) => ({ offset, message }));
    if (mistakes.length === 0) mistakes.push(...unreadable(document, aliases, twins));
    return { document, mistakes };
  } catch (error) {
    // Nested deeper than the stack.
    return broken(0, error instanceof Error ? error.message : String(error));
  }
}

/** Returns the value of a text without mistakes. @throws Error for one with any. */
export function valueOfYaml({ document, mistakes }: YamlText): unknown {
  if (!document || mistakes.length > 0) throw new Error(mistakes[0]?.message ?? '');
  return document.toJS({ maxAliasCount: -1 });
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
