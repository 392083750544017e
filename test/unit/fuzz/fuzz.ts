import fc from 'fast-check';

/** How many cases each test looks at in the night: more than ten thousand in all. By day it is a fifth of them. */
const SHARES = {
  consent: 750,
  change: 750,
  shownLaunch: 750,
  hiddenLaunch: 750,
  pasted: 900,
  commands: 700,
  written: 700,
  exported: 700,
  pins: 900,
  approvals: 700,
  shownTool: 600,
  redaction: 800,
  values: 500,
  entrySecrets: 300,
  clean: 184,
  work: 16,
  entryEdits: 400,
  commandLines: 600,
  unknownWrappers: 400,
  policies: 150,
  addresses: 400,
  installed: 400,
  strangers: 600,
  oddLines: 276,
  testFiles: 500,
  longTestFiles: 24,
  leniency: 600,
  challenges: 400,
  urlRules: 400,
  deniedCommands: 300,
  deniedPackages: 600,
  deniedAddresses: 200,
  managedFiles: 300,
  schemas: 150,
  deviations: 500,
};
const CASES = Object.values(SHARES).reduce((sum, share) => sum + share, 0);
export const isNight = process.env.TEST_NIGHT === '1';
/** `FUZZ_SEED=7 FUZZ_CASES=100000 npm test -- unit --grep fuzz` looks elsewhere, and longer. Each night looks at other cases. */
const seed = Number(process.env.FUZZ_SEED ?? (isNight ? Math.floor(Date.now() / 86_400_000) : 20_261_122));
const factor = Number(process.env.FUZZ_CASES ?? (isNight ? CASES : CASES / 5)) / CASES;

/**
 * A test that holds an invariant against a share of the cases. It fails with the smallest case that can be found, and with what
 * makes it come back.
 */
export function holds<T>(
  name: string,
  share: keyof typeof SHARES,
  cases: fc.Arbitrary<T>,
  invariant: (value: T) => void | Promise<void>,
): void {
  it(name, async function () {
    const numRuns = runsOf(share);
    this.timeout(60_000 + numRuns * 100);
    const property = fc.asyncProperty(cases, async value => {
      await invariant(value);
    });
    const run = await fc.check(property, { seed, numRuns, endOnFailure: false, markInterruptAsFailure: true });
    if (!run.failed) return;
    const { counterexample, counterexamplePath, errorInstance, numShrinks } = run;
    const { message, stack = '' } = errorInstance as Error;
    const where = stack.split('\n').find(line => /^\s+at .*\.test\.js/.test(line)) ?? '';
    throw new Error(
      [
        shortened(message),
        where,
        `FUZZ_SEED=${seed}, path ${counterexamplePath}, made smaller ${numShrinks} times:`,
        shortened(fc.stringify(counterexample)),
      ].join('\n  '),
    );
  });
}

/** As many cases as `holds` would look at for the share. */
export const casesOf = <T>(share: keyof typeof SHARES, cases: fc.Arbitrary<T>): T[] =>
  fc.sample(cases, { seed, numRuns: runsOf(share) });

const runsOf = (share: keyof typeof SHARES) => Math.max(1, Math.round(SHARES[share] * factor));

/** Printed once, so that a log says what was looked at. */
export function announce(): void {
  console.log(`    FUZZ_SEED=${seed} FUZZ_CASES=${Math.round(CASES * factor)}`);
}

function shortened(text: string): string {
  return text.length > 2_000 ? `${text.slice(0, 2_000)}… (${text.length} characters)` : text;
}
