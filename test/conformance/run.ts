// npm run conformance -- mutants [--windows] [filter …]: see mutants.ts.
// npm run conformance -- mutants --random <count> [--seed <number>] [file or folder …]: see randomMutants.ts.
// npm run conformance -- sentences [--from <folder> …]: the sentences of the specification against the table (specText.ts).
// npm run conformance [name …]: the official client suite against the core of the package, and the official server suite against the
// gateway (`gateway/…`) with a server behind it, every scenario at every protocol version.
//
// Prints a table, the states of the specification's sentences (sentences.ts) and, counted in scenarios, the line
// `N passed, N failed, N not expected to pass`. The last are those of expected-failures.json; one that passes all the same
// has failed too, as the list is stale. The exit code is 1 when any has failed.
import { endWithStarter } from '../setup/processes';
import { serveGateway } from './gateway';
import { runMutants } from './mutants';
import { runRandomMutants } from './randomMutants';
import { countStates, inWords, readExpectedFailures, readSentences } from './sentences';
import { reportSentences } from './specText';
import {
  GATEWAY,
  type Outcome,
  runScenario,
  runServerScenario,
  type Scenario,
  scenarios,
  serverScenarios,
} from './suite';

/** Each run is two processes that mostly wait. */
const PARALLEL = 3;

interface Result {
  scenario: Scenario;
  outcomes: Map<string, Outcome>;
}

async function main(wanted: string[]): Promise<void> {
  if (wanted[0] === 'mutants') {
    if (wanted[1] === '--random') return runRandomMutants(wanted.slice(1));
    const filters = wanted.slice(1).filter(word => word !== '--windows');
    if (!(await runMutants(filters, wanted.includes('--windows')))) process.exitCode = 1;
    return;
  }
  if (wanted[0] === 'sentences') return reportSentences(wanted.slice(1).filter(word => word !== '--from'));
  const all = [...(await scenarios()), ...(await serverScenarios())];
  const expected = expectedFailures();
  const unknown = [...expected.keys(), ...wanted].filter(name => !all.some(scenario => scenario.name === name));
  if (unknown.length > 0) throw new Error(`not scenarios of the suite: ${unknown.join(', ')}`);
  const chosen = all.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  const results = chosen.map((scenario): Result => ({ scenario, outcomes: new Map() }));
  const gateway = await serveGateway();
  try {
    await runAll(results, gateway.url);
  } finally {
    await gateway.close();
  }

  console.log('| scenario | protocol versions | result |\n|---|---|---|');
  for (const result of results) console.log(row(result, expected));
  const mustPass = ({ scenario }: Result) => !expected.has(scenario.name);
  const passed = results.filter(result => hasPassed(result) && mustPass(result));
  const surprising = results.filter(result => !hasPassed(result) && mustPass(result));
  const stale = results.filter(result => hasPassed(result) && !mustPass(result));
  const failed = surprising.length + stale.length;
  for (const { scenario, outcomes } of surprising) {
    for (const [version, { status, details }] of outcomes) {
      if (status !== 'passed') console.error(`\n${scenario.name} at ${version}: ${status}\n  ${details.join('\n  ')}`);
    }
  }
  for (const { scenario } of stale) console.error(`\n${scenario.name} passes: remove it from expected-failures.json`);
  console.log(`\nSentences of the specification: ${inWords(countStates(readSentences()))}`);
  const others = results.length - passed.length - failed;
  console.log(
    `${passed.length} passed, ${failed} failed, ${others} not expected to pass (see test/conformance/expected-failures.json)`,
  );
  if (failed > 0) process.exitCode = 1;
}

async function runAll(results: readonly Result[], gateway: string): Promise<void> {
  const queue = results.flatMap(result => result.scenario.versions.map(version => ({ result, version })));
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { result, version } = next;
      const { name } = result.scenario;
      const run = name.startsWith(GATEWAY) ? runServerScenario(gateway, name, version) : runScenario(name, version);
      result.outcomes.set(version, await run);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
}

function hasPassed({ outcomes }: Result): boolean {
  return [...outcomes.values()].every(({ status }) => status === 'passed');
}

function row(result: Result, expected: ReadonlyMap<string, string>): string {
  const { name, versions } = result.scenario;
  const marks = versions.map(version => `${version} ${result.outcomes.get(version)?.status}`);
  const reason = expected.get(name);
  const verdict = hasPassed(result) ? 'passed' : reason === undefined ? 'FAILED' : `not expected to pass: ${reason}`;
  return `| ${name} | ${marks.join(', ')} | ${verdict} |`;
}

/** Reason by scenario. */
const expectedFailures = (): ReadonlyMap<string, string> =>
  new Map(readExpectedFailures().flatMap(({ reason, scenarios }) => scenarios.map(name => [name, reason] as const)));

endWithStarter();
main(process.argv.slice(2)).catch(error => {
  console.error(error);
  process.exitCode = 1;
});
