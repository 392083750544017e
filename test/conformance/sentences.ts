// Every normative sentence of the specification that concerns a host or client, what became of it, and the test that proves it:
// `sentences/*.json`, of which `npm run generate` makes a page to read.
import { type Proof, readAreas, readJson, table, testCell } from './provedTables';

/** `extensions`: the official ones that concern this host. */
export const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28', 'extensions'];

/** In the order of the page. */
export const STATES = ['met', 'partly', 'not met', 'not applicable', 'declined', 'servers only'] as const;
export type State = (typeof STATES)[number];

/** One or more sentences of the specification that say the same. */
export interface Sentence {
  /** Quoted, or shortened faithfully. */
  says: string;
  /** Beginnings of the sentences that it stands for, where they are unlike `says`. */
  quotes?: string[];
  /** `revision … page#section xN`: where it stands; N: in so many sentences there. */
  at: string[];
  state: State;
  tests?: Proof[];
  /** Names of mutants (mutants.json): each breaks what the sentence asks for, and makes one of the tests fail. */
  mutants?: string[];
  /** What is missing, why it does not apply, why it was declined; or where it is done. */
  why?: string;
}

interface Place {
  revisions: string[];
  page: string;
  section: string | undefined;
  sentences: number;
}

/** How many normative sentences a page has, and how many of them are for servers and authorization servers alone. */
export interface PageCount {
  found: number;
  servers: number;
}

/** By revision, then by page. */
export type PageCounts = Record<string, Record<string, PageCount>>;

/** Beginnings of sentences, by `revision … page`. */
export type Marked = Record<string, string[]>;

/** Sentences with the words of a demand that need no row. */
export interface OtherSentences {
  /** Of servers alone, though their subject does not say so. */
  servers: Marked;
  /** On the specification itself. */
  'no demands': Marked;
}

/** Scenarios of the official suite that are not expected to pass. */
export interface ExpectedFailures {
  reason: string;
  scenarios: string[];
}

const AREAS = {
  base: 'Messages, lifecycle, versions',
  transports: 'Transports',
  patterns: 'Cancellation, progress, requests for input, subscriptions, pages, caches',
  authorization: 'Authorization',
  client: 'Roots, sampling, elicitation, tasks',
  server: 'Tools, resources, prompts, completion, logs',
  skills: 'Skills',
  apps: 'Apps',
  tasks: 'Tasks of 2026-07-28',
  security: 'Security and best practices',
} as const;

/** The rows of each file, by its name. */
export const readRows = (): [area: string, rows: Sentence[]][] =>
  readAreas<Sentence>('test/conformance/sentences', Object.fromEntries(Object.keys(AREAS).map(name => [name, name])));
const areas = () => readAreas<Sentence>('test/conformance/sentences', AREAS);
export const readSentences = (): Sentence[] => areas().flatMap(([, sentences]) => sentences);
export const readPages = (): PageCounts => readJson('test/conformance/sentences/pages.json');
export const readOthers = (): OtherSentences => readJson('test/conformance/sentences/others.json');
export const readExpectedFailures = (): ExpectedFailures[] => readJson('test/conformance/expected-failures.json');

/** @throws Error when it is none. */
export function placeOf(text: string): Place {
  const match = /^((?:(?:\d{4}-\d\d-\d\d|extensions) )+)([\w/-]+)(?:#(.+?))?(?: x(\d+))?$/.exec(text);
  if (!match) throw new Error(`not a place in the specification: ${text}`);
  const [, revisions = '', page = '', section, sentences = '1'] = match;
  return { revisions: revisions.trim().split(' '), page, section, sentences: Number(sentences) };
}

export function countStates(sentences: readonly Sentence[]): Record<State, number> {
  const count = Object.fromEntries(STATES.map(state => [state, 0])) as Record<State, number>;
  for (const { state } of sentences) count[state]++;
  return count;
}

/** `371 met, 40 partly, …` */
export const inWords = (counts: Record<State, number>): string =>
  STATES.map(state => `${counts[state]} ${state}`).join(', ');

/** The table as a page. */
export function sentencesPage(): string {
  const pages = readPages();
  const total = Object.values(pages).flatMap(of => Object.values(of));
  const sum = (count: (page: PageCount) => number) => total.reduce((all, page) => all + count(page), 0);
  const parts = [
    INTRODUCTION,
    `The pages below have ${sum(({ found }) => found)} such sentences; ${sum(({ servers }) => servers)} are for servers and authorization servers alone. The others are ${readSentences().length} rows: ${inWords(countStates(readSentences()))}.`,
    `\`npm run conformance -- mutants\` breaks what ${readSentences().filter(({ mutants }) => mutants).length} of the rows that are met ask for, one after the other: a test of each must fail. Those that are proved in windows alone are broken with \`--windows\`.`,
    ...areas().flatMap(([title, sentences]) => [
      `## ${title}`,
      table(['sentence', 'where', 'state', 'proof'], sentences.map(row)),
    ]),
    '## Scenarios that are not expected to pass',
    'Of the official suite. Those of servers, `gateway/…`, are run against the gateway, which serves connections to the editor.',
    table(
      ['why', 'scenarios'],
      readExpectedFailures().map(({ reason, scenarios }) => [reason, scenarios.map(name => `\`${name}\``).join(', ')]),
    ),
    '## Pages',
    'Sentences on each page, and those among them that are for servers alone.',
    ...Object.entries(pages).flatMap(([revision, of]) => [
      `### ${revision}`,
      table(
        ['page', 'sentences', 'servers only'],
        Object.entries(of).map(([page, { found, servers }]) => [page, String(found), String(servers)]),
      ),
    ]),
  ];
  return `${parts.join('\n\n')}\n`;
}

const INTRODUCTION = `# The specification, sentence by sentence

Every sentence of the [specification](https://modelcontextprotocol.io/specification) with MUST, SHOULD, REQUIRED or RECOMMENDED
that concerns a host or client, in all five revisions, and those of the pages on security and best practices in small letters;
also those of the official extensions that this host uses, and of the comments of the schemas. A sentence that stands almost unchanged in several places is one row.

*met*: the test named proves it · *partly*, *not met*: what is missing · *not applicable*: why · *declined*: why · *servers only*:
what a server, or an app that it brings, has to do; such sentences are rows for apps and tasks, and counted elsewhere. Files are below
\`test/\`; *conformance* is a scenario of the official suite (\`npm run conformance\`).`;

const row = ({ says, at, state, tests = [], why }: Sentence): string[] => [
  says,
  at.map(text => where(placeOf(text))).join('<br>'),
  state,
  [why, testCell(tests)].filter(Boolean).join('<br>'),
];

/** `2024-11-05 to 2025-11-25: basic/lifecycle, Shutdown` */
function where({ revisions, page, section, sentences }: Place): string {
  const [first = '', last = ''] = [revisions[0], revisions.at(-1)];
  const isRange = revisions.length > 2 && REVISIONS.indexOf(last) - REVISIONS.indexOf(first) === revisions.length - 1;
  const when = isRange ? `${first} to ${last}` : revisions.join(', ');
  return `${when}: ${page}${section === undefined ? '' : `, ${section}`}${sentences > 1 ? ` (${sentences} sentences)` : ''}`;
}
