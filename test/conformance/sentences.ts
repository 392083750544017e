// Every normative sentence of the specification that concerns a host or client, what became of it, and the test that proves it:
// `sentences/*.json`, of which `npm run generate` makes docs/protocol.md.
import * as fs from 'node:fs';
import { inRepository } from '../setup/paths';

export const PROTOCOL_PAGE = 'docs/protocol.md';

/** `extensions`: the official ones that concern this host. */
export const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28', 'extensions'];

/** In the order of the page. */
export const STATES = ['met', 'partly', 'not met', 'not applicable', 'declined'] as const;
export type State = (typeof STATES)[number];

/** One or more sentences of the specification that say the same. */
export interface Sentence {
  /** Quoted, or shortened faithfully. */
  says: string;
  /** `revision … page#section xN`: where it stands; N: in so many sentences there. */
  at: string[];
  state: State;
  /** `file: title` of a test, or `conformance: scenario`. */
  tests?: string[];
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
  security: 'Security and best practices',
} as const;

const read = (name: string) => JSON.parse(fs.readFileSync(inRepository(`test/conformance/${name}.json`), 'utf8'));

export const readAreas = (): [title: string, sentences: Sentence[]][] =>
  Object.entries(AREAS).map(([name, title]) => [title, read(`sentences/${name}`) as Sentence[]]);
export const readSentences = (): Sentence[] => readAreas().flatMap(([, sentences]) => sentences);
export const readPages = (): PageCounts => read('sentences/pages') as PageCounts;

export const readExpectedFailures = (): ExpectedFailures[] => read('expected-failures') as ExpectedFailures[];

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

/** docs/protocol.md, as it should be. */
export function protocolPage(): string {
  const pages = readPages();
  const total = Object.values(pages).flatMap(of => Object.values(of));
  const sum = (count: (page: PageCount) => number) => total.reduce((all, page) => all + count(page), 0);
  return [
    '# The specification, sentence by sentence',
    INTRODUCTION,
    `The pages below have ${sum(({ found }) => found)} such sentences; ${sum(({ servers }) => servers)} are for servers and authorization servers alone. The others are ${readSentences().length} rows: ${inWords(countStates(readSentences()))}.`,
    ...readAreas().flatMap(([title, sentences]) => [
      `## ${title}`,
      ['| sentence | where | state | proof |', '|---|---|---|---|', ...sentences.map(row)].join('\n'),
    ]),
    '## Scenarios that are not expected to pass',
    'Of the official suite. Those of servers, `gateway/…`, are run against the gateway, which serves connections to the editor.',
    ['| why | scenarios |', '|---|---|', ...readExpectedFailures().map(failureRow)].join('\n'),
    '## Pages',
    'Sentences on each page, and those among them that are for servers alone.',
    ...Object.entries(pages).flatMap(([revision, of]) => [
      `### ${revision}`,
      ['| page | sentences | servers only |', '|---|---|---|', ...Object.entries(of).map(pageRow)].join('\n'),
    ]),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
}

const INTRODUCTION = `<!-- Made of test/conformance/sentences/ by npm run generate. -->

Every sentence of the [specification](https://modelcontextprotocol.io/specification) with MUST, SHOULD, REQUIRED or RECOMMENDED
that concerns a host or client, in all five revisions, and those of the pages on security and best practices in small letters;
also those of the official extensions that this host uses. A sentence that stands almost unchanged in several places is one row.

*met*: the test named proves it · *partly*, *not met*: what is missing · *not applicable*: why · *declined*: why. Files are below
\`test/\`; *conformance* is a scenario of the official suite (\`npm run conformance\`).`;

function row({ says, at, state, tests = [], why }: Sentence): string {
  const proof = [...(why ? [why] : []), ...proofs(tests)].join('<br>');
  return `| ${cell(says)} | ${at.map(text => cell(where(placeOf(text)))).join('<br>')} | ${state} | ${cell(proof)} |`;
}

const pageRow = ([page, { found, servers }]: [string, PageCount]) => `| ${page} | ${found} | ${servers} |`;

const failureRow = ({ reason, scenarios }: ExpectedFailures) =>
  `| ${cell(reason)} | ${scenarios.map(name => `\`${name}\``).join(', ')} |`;

/** `2024-11-05 to 2025-11-25: basic/lifecycle, Shutdown` */
function where({ revisions, page, section, sentences }: Place): string {
  const [first = '', last = ''] = [revisions[0], revisions.at(-1)];
  const isRange = revisions.length > 2 && REVISIONS.indexOf(last) - REVISIONS.indexOf(first) === revisions.length - 1;
  const when = isRange ? `${first} to ${last}` : revisions.join(', ');
  return `${when}: ${page}${section === undefined ? '' : `, ${section}`}${sentences > 1 ? ` (${sentences} sentences)` : ''}`;
}

/** The tests of one file together. */
function proofs(tests: readonly string[]): string[] {
  const byFile = new Map<string, string[]>();
  for (const test of tests) {
    const [file = '', title = ''] = splitTest(test);
    byFile.set(file, [...(byFile.get(file) ?? []), file === 'conformance' ? `\`${title}\`` : `"${title}"`]);
  }
  return [...byFile].map(([file, titles]) =>
    file === 'conformance'
      ? `conformance: ${titles.join(', ')}`
      : `\`${file.replace(/^test\//, '')}\`: ${titles.join(', ')}`,
  );
}

/** File and title of a test, or `conformance` and a scenario. */
export function splitTest(test: string): [file: string, title: string] {
  const at = test.indexOf(': ');
  return [test.slice(0, at), test.slice(at + 2)];
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
