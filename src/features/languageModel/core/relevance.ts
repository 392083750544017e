import type { Tool } from '@modelcontextprotocol/client';
import { getOrInsert } from '../../../base/events';
import { nameTools, type OfferedTool } from './toolNames';

/** How much a word counts that stands in each part of a tool, and how far that part's length matters (BM25F). */
const PARTS = {
  name: { weight: 4, length: 0.3 },
  title: { weight: 3, length: 0.3 },
  server: { weight: 2, length: 0 },
  description: { weight: 1, length: 0.7 },
  parameters: { weight: 0.6, length: 0.7 },
} as const;
type Part = keyof typeof PARTS;
const PART_NAMES = Object.keys(PARTS) as Part[];

/** How soon a word that comes again adds nothing more. */
const SATURATION = 1.4;
/** How much more a tool counts when the query names its server. */
const NAMED_SERVER = 1.3;
/** The weight of a word for an action, such as "list": many tools share it. */
const ACTION = 0.8;
/** The weight of a synonym of a word in the question. */
const SYNONYM = 0.4;

const MAX_QUERY = 10_000;
const MAX_TERMS = 200;
const MAX_TEXT = 2_000;
const MAX_PARAMETERS = 60;
/** Of the description of a parameter. */
const MAX_PARAMETER_TEXT = 300;

/** A tool and how well it fits: 0 when it shares no word with what was asked. */
interface RankedTool {
  readonly tool: OfferedTool;
  readonly score: number;
}

interface Posting {
  readonly at: number;
  /** How often the word is in the tool, weighed by where. */
  readonly frequency: number;
}

/**
 * Finds tools by words: BM25F over name, title, server, description and arguments. It depends on nothing but its tools, and
 * what it answers on the query besides. Making one takes longer than many searches. It is no library, as MiniSearch finds 76 of 100
 * tools that are asked for in words, and this 91 (README).
 */
export class ToolIndex {
  readonly #postings = new Map<string, Posting[]>();
  /** Servers by the stems of their names, with the places of their tools. */
  readonly #servers = new Map<string, { readonly stems: readonly string[]; readonly places: number[] }>();

  constructor(readonly tools: readonly OfferedTool[]) {
    const texts = tools.map(wordsOf);
    const mean = (part: Part) => texts.reduce((sum, words) => sum + words[part].length, 0) / (tools.length || 1) || 1;
    const means = Object.fromEntries(PART_NAMES.map(part => [part, mean(part)])) as Record<Part, number>;
    texts.forEach((words, at) => {
      const { serverName } = tools[at]!;
      const server = this.#servers.get(serverName) ?? { stems: words.server, places: [] };
      server.places.push(at);
      this.#servers.set(serverName, server);
      const frequencies = new Map<string, number>();
      for (const part of PART_NAMES) {
        const { weight, length } = PARTS[part];
        const each = weight / (1 - length + length * (words[part].length / means[part]));
        for (const word of words[part]) frequencies.set(word, (frequencies.get(word) ?? 0) + each);
      }
      for (const [word, frequency] of frequencies) {
        const postings = this.#postings.get(word);
        if (postings) postings.push({ at, frequency });
        else this.#postings.set(word, [{ at, frequency }]);
      }
    });
  }

  /** The tools that share a word with a query, at most `limit`, the best first; of equals the one listed first. */
  search(query: string, limit = 10): readonly RankedTool[] {
    const scores = new Map<number, number>();
    for (const meanings of meaningsOf(query)) {
      // Of a word and those that mean the same, the best counts: else a tool would win by saying one thing in many words.
      const best = new Map<number, number>();
      for (const [word, weight] of meanings) {
        const postings = this.#postings.get(word);
        if (!postings) continue;
        const rarity = Math.log(1 + (this.tools.length - postings.length + 0.5) / (postings.length + 0.5));
        for (const { at, frequency } of postings) {
          const fits = (weight * rarity * frequency * (SATURATION + 1)) / (frequency + SATURATION);
          if (fits > (best.get(at) ?? 0)) best.set(at, fits);
        }
      }
      for (const [at, fits] of best) scores.set(at, (scores.get(at) ?? 0) + fits);
    }
    const asked = new Set(stemsOf(query.slice(0, MAX_QUERY)));
    for (const { stems, places } of this.#servers.values()) {
      if (stems.length === 0 || !stems.every(stem => asked.has(stem))) continue;
      for (const at of places) if (scores.has(at)) scores.set(at, scores.get(at)! * NAMED_SERVER);
    }
    return [...scores]
      .sort(([one, a], [other, b]) => b - a || one - other)
      .slice(0, Math.max(0, limit))
      .map(([at, score]) => ({ tool: this.tools[at]!, score }));
  }
}

/** Each word of a query, with those that mean the same and what they count. */
function meaningsOf(query: string): readonly (readonly (readonly [word: string, weight: number])[])[] {
  const words = stemsOf(query.slice(0, MAX_QUERY));
  const asked = new Set(words.slice(0, MAX_TERMS));
  // A name that a tool writes as one word, and a person as two.
  for (let i = 1; i < words.length && i < MAX_TERMS; i++) asked.add(words[i - 1]! + words[i]!);
  return [...asked].map(word => {
    const weight = actions.has(word) ? ACTION : 1;
    return [[word, weight], ...(synonyms.get(word) ?? []).map(same => [same, weight * SYNONYM] as const)];
  });
}

function wordsOf({ tool, serverName }: OfferedTool): Record<Part, readonly string[]> {
  const stems = (value: unknown, length = MAX_TEXT) =>
    typeof value === 'string' ? stemsOf(value.slice(0, length)) : [];
  const parameters = Object.entries(Object(tool.inputSchema?.properties) as object).slice(0, MAX_PARAMETERS);
  return {
    name: stems(tool.name),
    title: stems(tool.title ?? tool.annotations?.title),
    server: stems(serverName),
    description: stems(tool.description),
    parameters: parameters.flatMap(([name, schema]) => [
      ...stems(name, MAX_PARAMETER_TEXT),
      ...stems(Object(schema).description, MAX_PARAMETER_TEXT),
    ]),
  };
}

/** Keeps the index of a server's tools until its list of tools changes. */
const indexes = new WeakMap<Tool, { readonly tools: readonly Tool[]; readonly index: ToolIndex }>();

/** Tools of one server that share words with a query, the best first. */
export function findTools(tools: readonly Tool[], query: string, limit: number): readonly Tool[] {
  const [first] = tools;
  if (!first) return [];
  let known = indexes.get(first);
  if (known?.tools.length !== tools.length || !known.tools.every((tool, at) => tool === tools[at])) {
    known = { tools, index: new ToolIndex(nameTools(tools.map(tool => ({ serverId: '', serverName: '', tool })))) };
    indexes.set(first, known);
  }
  return known.index.search(query, limit).map(({ tool }) => tool.tool);
}

/** Words without meaning for a search. Verbs such as "get" and "list" are kept, because they distinguish tools. */
const COMMON = new Set(
  'a about also am an and any are as at be been but by can could did do does for from had has have how i if in into is it its just let like me my no not of on or our out please should so some than that the their them then there these they this those to too tool tools up us use used using was we were when where who whose why will with would you your'.split(
    ' ',
  ),
);

/** Words that mean the same are one group; groups end with a semicolon or the line. */
const groups = (text: string): string[] => text.trim().split(/(?<!\s)\s*[;\n]\s*/);

/** Synonyms of people and tools in whole words. Actions come first: they say less than their objects. */
const ACTIONS = groups(`
  get fetch read retrieve show view display see give load open pull what which; list enumerate browse
  search find lookup query look seek; create add new make open insert register write
  delete remove destroy drop erase trash discard forget clear cancel rid throw
  update edit modify change set rename adjust; send post publish submit deliver
  run execute launch start trigger kick perform invoke; stop cancel abort end terminate kill halt quit
  close dismiss shut; choose select pick; move drag transfer relocate; copy duplicate clone fork
  save store keep remember write export persist; check verify validate test inspect audit; compare diff difference
  download save fetch; retry rerun repeat again; answer reply respond accept decline; leave add write
  link associate relate connect`);
const THINGS = groups(`
  repository repo project; directory folder; image picture photo screenshot; screenshot capture snapshot
  database db; pr pull; mr merge; organization org company; kubernetes k8s kubectl; message dm chat
  issue ticket bug; log history recent lately latest; environment env; config configuration setting option
  variable var; page tab website site url web; meeting event appointment schedule; invitation invite respond
  email mail inbox newsletter; person people user member account somebody; app application; price cost
  click press tap; dropdown select option combobox; alert dialog popup; comment note remark story annotation
  column field property; row record entry; card task todo item; label tag; size large big megabyte byte
  far distance; high elevation altitude height; address place location coordinate; restaurant shop nearby place
  drive route direction travel; free busy freebusy availability available; status state green passing
  shell command exec terminal; slow performance latency; watch monitor observe follow
  sum total aggregate group statistic; fact knowledge memory entity observation; channel room
  reaction emoji react thumbs; review approve approval; draft unsent; folder label
  mean documentation explain describe; paper article publication; deploy deployment rollout release
  version revision release`);

/** Definitions use the same words over and over. */
const stems = new Map<string, string>();
const MAX_STEMS = 20_000;
/** Longer ones are data: looking for endings in them would take for ever. */
const LONGEST_WORD = 60;

/** Other stems with the same meaning. */
const synonyms = new Map<string, readonly string[]>();
/** Stems that say what to do, and not with what. */
const actions = new Set<string>();
for (const line of [...ACTIONS, ...THINGS]) {
  const group = line.split(' ').map(stem);
  for (const word of group) synonyms.set(word, [...(synonyms.get(word) ?? []), ...group.filter(one => one !== word)]);
}
for (const line of ACTIONS) for (const word of line.split(' ')) actions.add(stem(word));

/** The stems in a text, in order, without common words; pairs of characters in scripts without spaces. */
export function stemsOf(text: string): string[] {
  const found: string[] = [];
  const apart = text.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2').replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2');
  for (const [word] of apart.toLowerCase().matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(word)) {
      const characters = [...word];
      if (characters.length === 1) found.push(word);
      for (let i = 1; i < characters.length; i++) found.push(characters[i - 1]! + characters[i]!);
    } else if (!COMMON.has(word)) found.push(stem(word));
  }
  return found;
}

/**
 * An English word without its endings, so that "deployments", "deployed" and "deploying" are one; no word itself. A lighter
 * form of Porter's algorithm. What it leaves of words in other languages is the same each time, which is all that matters.
 */
export function stem(word: string): string {
  const made = getOrInsert(stems, word, () => {
    if (stems.size >= MAX_STEMS) stems.clear();
    return stemmed(word);
  });
  return made;
}

function stemmed(word: string): string {
  if (word.length > LONGEST_WORD) return word;
  if (word.length <= 3 || !/^[a-z]+$/.test(word)) return word.length === 3 ? word.replace(/^([a-z]{2})s$/, '$1') : word;
  let made = word
    .replace(/ies$/, 'y')
    .replace(/(ss|x|sh|ch)es$/, '$1')
    .replace(/([^suxi])s$/, '$1');
  const shorter = made.replace(/^(.*[aeiouy].*?)(ing|ed)$/, '$1');
  if (shorter !== made && shorter.length >= 3) {
    made = shorter.replace(/([^aeiouylsz])\1$/, '$1');
  }
  made = made
    .replace(/(.{3,})(ization|isation)$/, '$1iz')
    .replace(/(.{2,}[st])ion$/, '$1')
    .replace(/(.{4,})(ment|ness)$/, '$1')
    .replace(/(.{4,})ly$/, '$1');
  made = made.replace(/(.{2,})e$/, '$1').replace(/(.{2,})y$/, '$1i');
  return made;
}
