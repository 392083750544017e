// npm run journeys [-- name …]: what people come for, each from its beginning to its end in a window of its own. Takes a picture of
// each step (artifacts/journeys/), counts clicks, questions and pages, and measures seconds. Prints a table. The exit code is 1 when
// a journey fails or costs more than its budget, of which seconds are no part. Not part of `npm test`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { artifacts, inRepository, remove } from '../setup/paths';
import { endWithStarter } from '../setup/processes';
import { productVsix } from '../setup/vsix';
import { openWorkbench, type Workbench } from '../setup/workbench';
import type { Journey } from './journey';
import { type Cost, Person } from './person';
import { withServers } from './servers';
import { withTools } from './tools';

const journeys: readonly Journey[] = [...withServers, ...withTools];
const KINDS = ['clicks', 'questions', 'pages'] as const satisfies readonly (keyof Cost)[];

interface Made {
  readonly name: string;
  readonly cost?: Cost;
  readonly seconds?: number;
  /** Why it counts as failed, or was not made. */
  readonly problem?: string;
  readonly leftOut?: string;
}

async function make(journey: Journey): Promise<Made> {
  const { name, budget } = journey;
  const leftOut = await journey.leftOut?.();
  if (leftOut !== undefined) return { name, leftOut };
  let w: Workbench | undefined;
  try {
    w = await openWorkbench(journey.window());
    const person = await Person.at(w, name);
    await journey.before?.(person);
    await journey.go(person);
    const { cost } = person;
    const over = KINDS.filter(kind => cost[kind] > budget[kind]).map(kind => `${kind}: ${budget[kind]} at most`);
    const seconds = person.tookMs / 1_000;
    return { name, cost, seconds, ...(over.length > 0 && { problem: over.join(', ') }) };
  } catch (error) {
    await w?.save(`${name.replace(/\W+/g, '-')}-failed`);
    return { name, problem: error instanceof Error ? error.message : String(error) };
  } finally {
    await w?.close();
    journey.after?.();
  }
}

const row = (made: Made, budget: Cost) =>
  [
    made.name.padEnd(46),
    ...KINDS.map(kind => `${made.cost?.[kind] ?? '–'} of ${budget[kind]}`.padStart(10)),
    (made.seconds?.toFixed(1) ?? '–').padStart(8),
    made.problem ? `  FAILED ${made.problem.split('\n')[0]}` : made.leftOut ? `  left out: ${made.leftOut}` : '',
  ].join(' ');

async function main(wanted: readonly string[]): Promise<void> {
  process.env.TEST_ARTIFACTS = inRepository('artifacts', 'journeys');
  process.env.TEST_PATIENCE ??= '3';
  const chosen = journeys.filter(({ name }) => wanted.length === 0 || wanted.some(part => name.includes(part)));
  if (chosen.length === 0) throw new Error(`No journey is called ${wanted.join(' or ')}: ${names()}`);
  if (wanted.length === 0) remove(artifacts());
  mkdirSync(artifacts(), { recursive: true });
  await productVsix(); // no journey can be made without it
  console.log(['journey'.padEnd(46), ...KINDS.map(kind => kind.padStart(10)), ' seconds'].join(' '));
  const results: Made[] = [];
  for (const journey of chosen) {
    const made = await make(journey);
    results.push(made);
    console.log(row(made, journey.budget));
  }
  writeFileSync(join(artifacts(), 'journeys.json'), JSON.stringify(results, null, 2));
  const failed = results.filter(({ problem }) => problem).length;
  console.log(`${results.length - failed} within their budgets, ${failed} not. Pictures: ${artifacts()}`);
  process.exitCode = failed > 0 ? 1 : 0;
}

const names = () => journeys.map(({ name }) => `"${name}"`).join(', ');

endWithStarter();
main(process.argv.slice(2)).then(
  () => process.exit(),
  error => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
