// Every threat that we know, the defence against it, and the tests that prove the defence: the JSON files here, of which
// `npm run generate` makes a page to read.
import { type Proof, readAreas, table, testCell } from '../conformance/provedTables';

interface Threat {
  threat: string;
  defence: string;
  tests: Proof[];
}

/** The files, and the headings of the page. */
export const AREAS = {
  launch: 'Starting servers',
  setup: 'Adding, importing and exporting servers',
  sandbox: 'Confined servers',
  calls: 'Definitions, approvals and calls',
  models: 'Models: chat, code mode, skills, sampling, data flow',
  texts: 'What servers show and ask',
  secrets: 'Secrets',
  network: 'Network and sign-in',
  clients: 'Other clients: native chat, agents, extensions, apps',
  authors: 'Servers under development',
  everywhere: 'Everywhere',
} as const;

const areas = () => readAreas<Threat>('test/security', AREAS);
export const readThreats = (): Threat[] => areas().flatMap(([, threats]) => threats);

/** The table as a page. */
export const threatsPage = (): string => `# Threats, defences and proofs

Whom we trust and what remains: SECURITY.md. A test checks that each test named here exists. Files are below \`test/\`.

${areas()
  .map(([title, threats]) => `## ${title}\n\n${tableOf(threats)}\n`)
  .join('\n')}`;

const tableOf = (threats: readonly Threat[]) =>
  table(
    ['threat', 'defence', 'proof'],
    threats.map(({ threat, defence, tests }) => [threat, defence, testCell(tests)]),
  );
