// The normative sentences of the specification as it stands, so that the table (sentences.ts) is not counted by hand.
//   npm run conformance -- sentences                       compares what is stored in spec/ with the table
//   npm run conformance -- sentences --from <folder> …     first stores it anew, from checkouts of the specification and of ext-*
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { basename, join } from 'node:path';
import { readCompressed, writeCompressed } from '../setup/compressed';
import { inRepository } from '../setup/paths';
import { type Marked, placeOf, REVISIONS, readOthers, readSentences, type Sentence } from './sentences';

const STORED = 'test/conformance/spec';

/** The normative sentences of a page, by the heading above them, and the hash of the page that they are from, or of its commit. */
export interface SpecPage {
  readonly hash: string;
  readonly sections: Readonly<Record<string, readonly string[]>>;
}

/** By page. */
export type SpecPages = Readonly<Record<string, SpecPage>>;

const KEYWORD = /\b(MUST|SHOULD|MAY|SHALL|REQUIRED|RECOMMENDED)\b|\b([Cc]lients?|[Hh]osts?) should\b/;
/** Ends of sentences, but not those of abbreviations. */
const END = /(?<=[.!?]["')]?)(?<!\b(?:e\.g|i\.e|vs)\.) +(?=[A-Z`"([])/;

/** Finds the sentences with MUST, SHOULD, MAY, REQUIRED or RECOMMENDED, and those on what clients or hosts should do. */
export function readSpecPage(text: string): SpecPage {
  const sections: Record<string, string[]> = {};
  let section = '';
  for (const block of blocksOf(text)) {
    const [, heading] = /^#+ (.*)$/.exec(block) ?? [];
    if (heading !== undefined) section = plainText(heading).replace(/:$/, '');
    else
      for (const sentence of plainText(block).split(END))
        if (KEYWORD.test(sentence)) sections[section] = [...(sections[section] ?? []), sentence.trim()];
  }
  return { hash: createHash('sha256').update(text).digest('hex').slice(0, 16), sections };
}

/** The comments of a schema as a page, which has a section for each declaration. */
export function schemaPage(source: string): string {
  const parts: string[] = [];
  /** Those before a declaration. */
  let before: string[] = [];
  for (const [, indent, comment, name] of source.matchAll(
    /^([ \t]*)\/\*\*([\s\S]*?)\*\/|^export (?:interface|type|const) (\w+)/gm,
  )) {
    if (name !== undefined) {
      parts.push(`## ${name}`, ...before);
      before = [];
    } else (indent === '' ? before : parts).push(bodyOf(comment ?? ''));
  }
  return parts.join('\n\n');
}

/** Without the marks of a comment and its tags. */
const bodyOf = (comment: string): string =>
  comment
    .replace(/^[ \t]*\* ?/gm, '')
    .replace(/^@.*$/gm, '')
    .replace(/\{@link (?:[^}|]*\| ?)?([^}]*)\}/g, '$1');

/** Headings, paragraphs, list items and rows of tables, each on one line. Code is left out. */
function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  let open = false;
  const bare = text.replace(/^---\n[\s\S]*?\n---\n/, '').replace(/^[ \t>]*(```+|~~~+)[\s\S]*?^[ \t>]*\1 *$/gm, '\n');
  for (const line of bare.split('\n').map(one => one.replace(/^[ \t>]+/, '').trim())) {
    const isOwn = /^(#|[-*+] |\d+\. |\||<|import )/.test(line);
    if (line === '' || isOwn) open = false;
    if (line === '' || /^(<\/?[A-Z]|import )/.test(line)) continue;
    const content = line.replace(/^([-*+]|\d+\.) /, '').replace(/^\[[ x]\] /, '');
    if (open) blocks.push(`${blocks.pop()} ${content}`);
    else blocks.push(content);
    open = !/^[#|]/.test(line);
  }
  return blocks;
}

/** Without emphasis, links and code marks. */
const plainText = (text: string): string =>
  text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])|(?<!\w)_(?=\S)|(?<=\S)_(?!\w)/g, '')
    .replace(/<[^>]+>/g, '')
    .replace(/\s+/g, ' ')
    .trim();

const storedFile = (revision: string) => inRepository(STORED, `${revision}.json.gz`);

export const readStored = (revision: string): SpecPages => {
  const file = storedFile(revision);
  return fs.existsSync(file) ? (JSON.parse(readCompressed(file)) as SpecPages) : {};
};

/** All normative sentences of a page, in their order. */
export const sentencesOf = ({ sections }: SpecPage): readonly string[] => Object.values(sections).flat();

/** Stores the pages of a checkout: of the specification, or of an extension. @throws Error when it is neither. */
export function store(folder: string): void {
  const specification = join(folder, 'docs/specification');
  if (fs.existsSync(specification)) {
    for (const revision of REVISIONS.filter(one => fs.existsSync(join(specification, one))))
      write(revision, { ...pagesIn(join(specification, revision)), schema: schemaIn(folder, revision) });
    return;
  }
  const drafts = join(folder, 'specification');
  if (!fs.existsSync(drafts)) throw new Error(`no checkout of the specification, or of an extension: ${folder}`);
  // What is final comes last, in the place of its drafts.
  const folders = fs
    .readdirSync(drafts)
    .sort((a, b) => Number(a !== 'draft') - Number(b !== 'draft') || (a < b ? -1 : 1));
  const found = folders
    .flatMap(folder => Object.entries(pagesIn(join(drafts, folder))))
    .flatMap(([page, stored]) => (EXTENSION_PAGES[page] ? [[EXTENSION_PAGES[page], stored] as const] : []));
  write('extensions', { ...readStored('extensions'), ...Object.fromEntries(found) });
}

/** Those in use, as the table names them. */
const EXTENSION_PAGES: Record<string, string> = {
  apps: 'apps/specification',
  tasks: 'tasks/specification',
  skills: 'skills/specification',
  'enterprise-managed-authorization': 'auth/enterprise-managed-authorization',
  'oauth-client-credentials': 'auth/oauth-client-credentials',
  'dpop-extension': 'auth/dpop',
  'workload-identity-federation': 'auth/workload-identity-federation',
};

function pagesIn(folder: string): SpecPages {
  const files = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file => /\.mdx?$/.test(file));
  const pages = files
    .map(file => file.replaceAll('\\', '/'))
    // It is made from the comments of the schema itself, which every revision has.
    .filter(file => basename(file) !== 'schema.mdx')
    .sort()
    .map((file): [string, SpecPage] => [
      file.replace(/\.mdx?$/, ''),
      readSpecPage(fs.readFileSync(join(folder, file), 'utf8')),
    ]);
  return Object.fromEntries(pages);
}

const schemaIn = (folder: string, revision: string): SpecPage =>
  readSpecPage(schemaPage(fs.readFileSync(join(folder, 'schema', revision, 'schema.ts'), 'utf8')));

function write(revision: string, pages: SpecPages): void {
  fs.mkdirSync(inRepository(STORED), { recursive: true });
  writeCompressed(storedFile(revision), pages);
}

/** What of a page and of its rows has no counterpart. */
export interface PageGap {
  readonly revision: string;
  readonly page: string;
  readonly sentences: number;
  readonly withoutRow: readonly string[];
  readonly rowsWithoutSentence: readonly string[];
}

/** Rows are quoted or shortened: most of the words of one are in its sentence. */
const ALIKE = 0.6;

/** Compares the stored pages with the table, page by page. */
export function gaps(rows: readonly Sentence[] = readSentences()): PageGap[] {
  return REVISIONS.flatMap(revision =>
    Object.entries(readStored(revision)).map(([page, stored]) => {
      const sentences = sentencesOf(stored);
      const here = rows.filter(({ at }) =>
        at.map(placeOf).some(place => place.page === page && place.revisions.includes(revision)),
      );
      const said = here.map(({ says }) => wordsOf(says));
      const words = sentences.map(wordsOf);
      const fits = (row: number, sentence: number) =>
        (here[row]!.quotes ?? []).some(quote => sentences[sentence]!.startsWith(quote)) ||
        alike(said[row]!, words[sentence]!) >= ALIKE;
      return {
        revision,
        page,
        sentences: sentences.length,
        withoutRow: sentences.filter((_, i) => !here.some((_, row) => fits(row, i))),
        rowsWithoutSentence: here.filter((_, row) => !sentences.some((_, i) => fits(row, i))).map(({ says }) => says),
      };
    }),
  );
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/[a-z0-9_/-]{3,}/g));

/** The share of the words of a row that a sentence has. */
const alike = (row: ReadonlySet<string>, sentence: ReadonlySet<string>): number =>
  row.size === 0 ? 0 : [...row].filter(word => sentence.has(word)).length / row.size;

/**
 * Why a sentence may well have no row: it introduces a list, whose items are sentences too; permits; is for servers alone; or is on
 * the specification itself.
 */
export type Excuse = 'introduces a list' | 'permits' | 'for servers' | 'no demand';

const DEMANDS = /\b(MUST|SHOULD|SHALL|REQUIRED|RECOMMENDED)\b|\b([Cc]lients?|[Hh]osts?) should\b/;
/** Sentences whose subject is a server, perhaps after a condition. */
const OF_SERVERS =
  /^(?:(?:when|if|for|to) [^,]*, )?(?:an? |the |all |each |every )?(?:MCP |authorization |resource |OAuth |proxy )*servers?\b/i;

/** Undefined if it needs a row. @param place `revision page`, for what is marked there. */
export function excuseOf(sentence: string, place = ''): Excuse | undefined {
  if (sentence.endsWith(':')) return 'introduces a list';
  if (!DEMANDS.test(sentence)) return 'permits';
  const others = readOthers();
  if (isMarked(sentence, place, others['no demands'])) return 'no demand';
  return OF_SERVERS.test(sentence) || isMarked(sentence, place, others.servers) ? 'for servers' : undefined;
}

const isMarked = (sentence: string, place: string, marked: Marked): boolean =>
  Object.entries(marked).some(
    ([where, beginnings]) =>
      pagesOf(where).includes(place) && beginnings.some(beginning => sentence.startsWith(beginning)),
  );

/** `2025-06-18 2025-11-25 basic/index` as `2025-06-18 basic/index` and `2025-11-25 basic/index`. */
function pagesOf(where: string): string[] {
  const { revisions, page } = placeOf(where);
  return revisions.map(revision => `${revision} ${page}`);
}

/** Sentences that demand something of a client or host and have no row. */
export const unlisted = (): string[] =>
  gaps().flatMap(({ revision, page, withoutRow }) =>
    withoutRow
      .filter(sentence => excuseOf(sentence, `${revision} ${page}`) === undefined)
      .map(sentence => `${revision} ${page}: ${sentence}`),
  );

/** Quotes of rows, and marks of other sentences, that are of no sentence any more. */
export function stale(): string[] {
  const stored = new Map<string, readonly string[]>(
    REVISIONS.flatMap(revision =>
      Object.entries(readStored(revision)).map(([page, of]) => [`${revision} ${page}`, sentencesOf(of)] as const),
    ),
  );
  const isSaid = (beginning: string, pages: readonly string[]) =>
    pages.some(page => stored.get(page)?.some(sentence => sentence.startsWith(beginning)));
  const marks = Object.values(readOthers()).flatMap(marked => Object.entries(marked as Marked));
  return [
    ...readSentences().flatMap(({ quotes = [], at }) => quotes.filter(quote => !isSaid(quote, at.flatMap(pagesOf)))),
    ...marks.flatMap(([where, beginnings]) => beginnings.filter(beginning => !isSaid(beginning, pagesOf(where)))),
  ];
}

/** The report of `npm run conformance -- sentences`. @param from checkouts to store first. */
export function reportSentences(from: readonly string[]): void {
  for (const folder of from) store(folder);
  let [sentences, rows] = [0, 0];
  const without = new Map<Excuse | undefined, number>();
  for (const gap of gaps()) {
    sentences += gap.sentences;
    for (const sentence of gap.withoutRow) {
      const excuse = excuseOf(sentence, `${gap.revision} ${gap.page}`);
      without.set(excuse, (without.get(excuse) ?? 0) + 1);
    }
    rows += gap.rowsWithoutSentence.length;
    if (gap.withoutRow.length + gap.rowsWithoutSentence.length === 0) continue;
    console.log(`\n${gap.revision} ${gap.page}: ${gap.sentences} sentences`);
    for (const sentence of gap.withoutRow) {
      const excuse = excuseOf(sentence, `${gap.revision} ${gap.page}`);
      console.log(`  no row${excuse ? ` (${excuse})` : ''}: ${sentence}`);
    }
    for (const row of gap.rowsWithoutSentence) console.log(`  no sentence: ${row}`);
  }
  const excused = [...without].flatMap(([excuse, count]) => (excuse ? [`${count} ${excuse}`] : []));
  console.log(
    `\n${sentences} sentences stored; ${without.get(undefined) ?? 0} have no row of like words (and ${excused.join(', ')}), ${rows} rows no sentence.`,
  );
}
