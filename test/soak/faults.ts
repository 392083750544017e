// Everything that we know can break, what a person sees of it, and the tests that prove it: the JSON files in `faults/`, of which
// `npm run generate` makes a page to read. `npm run soak -- faults` runs these tests.
import { type Proof, patternOf, readAreas, table, testCell, testOf } from '../conformance/provedTables';

interface Fault {
  /** What is broken. */
  broken: string;
  /** What the person sees. */
  sees: string;
  /** What comes back without the person, or what lets them bring it back. */
  returns: string;
  lost: string;
  /** Null: it cannot be made in a test. */
  tests: Proof[] | null;
  /** Why there is no test. */
  why?: string;
}

/** The files, and the headings of the page. */
const AREAS = { peer: 'The peer', network: 'The network', machine: 'The machine', editor: 'The editor' } as const;

const areas = () => readAreas<Fault>('test/soak/faults', AREAS);
export const readFaults = (): Fault[] => areas().flatMap(([, faults]) => faults);

/** The table as a page. */
export const faultsPage = (): string => `# Faults

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
  return [...new Set(tests.map(test => testOf(test).file)), '--grep', patternOf([...new Set(tests)])];
}
