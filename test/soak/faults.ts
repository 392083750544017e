// Everything that we know can break, what a person sees of it, and the tests that prove it: the JSON files in `faults/`, of which
// `npm run generate` makes faults.md. `npm run soak -- faults` runs these tests.
import { readAreas, splitTest, table, testCell } from '../conformance/provedTables';

export const FAULTS_PAGE = 'test/soak/faults.md';

interface Fault {
  /** What is broken. */
  broken: string;
  /** What the person sees. */
  sees: string;
  /** What comes back without the person, or what lets them bring it back. */
  returns: string;
  lost: string;
  /** `file: title`; null: it cannot be made in a test. */
  tests: string[] | null;
  /** Why there is no test. */
  why?: string;
}

/** The files, and the headings of the page. */
const AREAS = { peer: 'The peer', network: 'The network', machine: 'The machine', editor: 'The editor' } as const;

const areas = () => readAreas<Fault>('test/soak/faults', AREAS);
export const readFaults = (): Fault[] => areas().flatMap(([, faults]) => faults);

/** The page, as it should be. */
export const faultsPage = (): string => `# Faults

<!-- Made of the JSON files in faults/ by npm run generate. -->

In each of them nothing hangs, nothing acknowledged is lost, no process or socket is left, and no reload is needed.
\`npm run soak -- faults\` runs the tests, which are below \`test/\`.

${areas()
  .map(([title, faults]) => `## ${title}\n\n${tableOf(faults)}\n`)
  .join('\n')}`;

const tableOf = (faults: readonly Fault[]) =>
  table(
    ['broken', 'what the person sees', 'what comes back', 'what is lost', 'proof'],
    faults.map(({ broken, sees, returns, lost, tests, why = '' }) => [
      broken,
      sees,
      returns,
      lost,
      tests ? testCell(tests) : `None: ${why}`,
    ]),
  );

/** What the test program is given to run exactly the tests of the table. */
export function testArguments(): string[] {
  const tests = readFaults().flatMap(fault => fault.tests ?? []);
  const [files, titles] = [0, 1].map(part => [...new Set(tests.map(test => splitTest(test)[part] ?? ''))]) as [
    string[],
    string[],
  ];
  return [...files, '--grep', `(${titles.map(asPattern).join('|')})$`];
}

/** A title as it stands in the source: `${…}` is any text. */
const asPattern = (title: string) =>
  title
    .split(/\$\{[^}]*\}/)
    .map(text => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('.*');
