// npm run conformance [name …]: the official client suite against our host core, and the official server suite against the
// gateway (`gateway/…`) with a server behind it, every scenario at every protocol version.
//
// Prints a table and closes with `N passed, N failed`, counted in scenarios. The exit code is 1 when that is not what
// expected-failures.json says: also when a scenario listed there passes.
import * as fs from 'node:fs';
import { inRepository } from '../setup/paths';
import { endWithStarter } from '../setup/processes';
import { serveGateway } from './gateway';
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
  const passed = results.filter(hasPassed);
  const failed = results.filter(result => !hasPassed(result));
  const surprising = failed.filter(({ scenario }) => !expected.has(scenario.name));
  const stale = passed.filter(({ scenario }) => expected.has(scenario.name));
  for (const { scenario, outcomes } of surprising) {
    for (const [version, { status, details }] of outcomes) {
      if (status !== 'passed') console.error(`\n${scenario.name} at ${version}: ${status}\n  ${details.join('\n  ')}`);
    }
  }
  for (const { scenario } of stale) console.error(`\n${scenario.name} passes: remove it from expected-failures.json`);
  console.log(`\n${failed.length - surprising.length} of the failures are expected (expected-failures.json).`);
  console.log(`${passed.length} passed, ${failed.length} failed`);
  if (surprising.length + stale.length > 0) process.exitCode = 1;
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
  const verdict = hasPassed(result) ? 'passed' : `failed: ${expected.get(name) ?? 'NOT EXPECTED'}`;
  return `| ${name} | ${marks.join(', ')} | ${verdict} |`;
}

/** Reason by scenario. */
function expectedFailures(): ReadonlyMap<string, string> {
  const file = inRepository('test/conformance/expected-failures.json');
  const groups = JSON.parse(fs.readFileSync(file, 'utf8')) as { reason: string; scenarios: string[] }[];
  return new Map(groups.flatMap(({ reason, scenarios }) => scenarios.map(name => [name, reason] as const)));
}

endWithStarter();
main(process.argv.slice(2)).catch(error => {
  console.error(error);
  process.exitCode = 1;
});
