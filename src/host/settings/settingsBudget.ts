import { type Phrase, PhraseError, phrase } from '../../base/phrase';

/** The lists of entries that a file of settings has. */
type EntryKind = 'servers' | 'inputs';

/** The most that is read of one entry and of one file. More than an author would write by hand, and read in a moment. */
export const SETTINGS_LIMITS = {
  /** Of each kind. */
  entries: 500,
  /** Levels of objects and lists in an entry. */
  depth: 100,
  /** Keys and values of an entry, at whatever depth, and those of all entries of a file. */
  parts: { entry: 2_000, file: 20_000 },
  /** Characters as written. */
  characters: { entry: 200_000, file: 1_000_000 },
  variables: { entry: 1_000, file: 5_000 },
  /** Characters that stand for variables, and those of the inputs that an entry names. */
  filled: { entry: 400_000, file: 2_000_000 },
  problems: 500,
} as const;

type Measure = 'parts' | 'characters' | 'variables' | 'filled';
const NOTHING = { parts: 0, characters: 0, variables: 0, filled: 0 };
const SIZES = ['parts', 'characters'] as const;
type Amounts = { [M in Measure]?: number };

const EXCEEDED: { readonly [M in Measure]: Phrase } = {
  parts: phrase('it has more than {0} values', SETTINGS_LIMITS.parts.entry),
  characters: phrase('it has more than {0} characters', SETTINGS_LIMITS.characters.entry),
  variables: phrase('it has more than {0} variables', SETTINGS_LIMITS.variables.entry),
  filled: phrase('its variables and inputs have more than {0} characters', SETTINGS_LIMITS.filled.entry),
};
const TOO_DEEP = phrase('it is nested deeper than {0} levels', SETTINGS_LIMITS.depth);
const FILE_FULL = phrase('the variables and inputs of all entries together are too many or too long');

/** Counts what an entry takes. Throws a PhraseError for what is more than one may take, or than its file has left. */
export type Meter = (amounts: Amounts) => void;

/**
 * The room that the entries of one file share: all that is read of an entry is paid from it, so that no number, length or product of
 * them blocks the window. An entry that is too large by itself takes none of it.
 */
export class SettingsBudget {
  readonly #counts = { servers: 0, inputs: 0 };
  readonly #spent = { ...NOTHING };
  readonly #isFull = { servers: false, inputs: false };
  #refused = 0;

  /** How many entries had no room. */
  get refused(): number {
    return this.#refused;
  }

  /**
   * Takes room for an entry as written.
   * @returns whether there was: if not, none of this kind behind it is read either.
   * @throws PhraseError if it is nested too deeply or has too many parts or characters for one entry.
   */
  take(kind: EntryKind, raw: unknown): boolean {
    this.#refused++;
    if (this.#isFull[kind] || ++this.#counts[kind] > SETTINGS_LIMITS.entries) return false;
    const size = sizeOf(raw);
    let isFull = false;
    for (const measure of SIZES) {
      this.#spent[measure] += size[measure];
      isFull ||= this.#spent[measure] > SETTINGS_LIMITS[measure].file;
    }
    this.#isFull[kind] = isFull;
    if (!isFull) this.#refused--;
    return !isFull;
  }

  /** Starts to count what becomes of an entry when its variables and inputs are filled in. */
  meter(): Meter {
    const own = { ...NOTHING };
    return amounts => {
      for (const [measure, amount] of Object.entries(amounts) as [Measure, number][]) {
        own[measure] += amount;
        if (own[measure] > SETTINGS_LIMITS[measure].entry) throw new PhraseError(EXCEEDED[measure]);
        this.#spent[measure] += amount;
        if (this.#spent[measure] > SETTINGS_LIMITS[measure].file) throw new PhraseError(FILE_FULL);
      }
    };
  }
}

/** Throws a PhraseError as soon as it is known to be too large for one entry. */
function sizeOf(raw: unknown): { parts: number; characters: number } {
  const size = { ...NOTHING };
  const visit = (value: unknown, depth: number): void => {
    size.parts++;
    if (typeof value === 'string') size.characters += value.length;
    else if (typeof value === 'object' && value !== null) {
      if (depth === SETTINGS_LIMITS.depth) throw new PhraseError(TOO_DEEP);
      if (Array.isArray(value)) for (const item of value) visit(item, depth + 1);
      else
        for (const [key, inner] of Object.entries(value)) {
          size.characters += key.length;
          // The words of a line count as if they were written one by one.
          if (/^(command|headersHelper)$/.test(key)) size.parts += `${inner}`.split(/\s/).length;
          visit(inner, depth + 1);
        }
    }
    for (const measure of SIZES)
      if (size[measure] > SETTINGS_LIMITS[measure].entry) throw new PhraseError(EXCEEDED[measure]);
  };
  visit(raw, 0);
  return size;
}

/** The problem that entries are left out. @param first the path of the first of them */
export const leftOut = (count: number, first: readonly (string | number)[]) => ({
  severity: 'error' as const,
  path: first,
  message: phrase(
    'Entries from here on are not read ({0}): together they may be at most {1} entries, {2} values and {3} characters. Remove some.',
    count,
    SETTINGS_LIMITS.entries,
    SETTINGS_LIMITS.parts.file,
    SETTINGS_LIMITS.characters.file,
  ),
});
