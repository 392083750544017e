// How many of the lint's findings on real servers are worth acting on. The verdicts in lint/verdicts.json were given by hand. The
// benchmark fails for a finding without a verdict, and for a verdict without its finding: judge the finding, or remove the verdict.
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import type { Tool } from '@modelcontextprotocol/client';
import { english } from '../../src/base/phrase';
import { schemaForModel } from '../../src/features/languageModel/core';
import { lint, offeredBy } from '../../src/features/lint/core/lint';
import { artifacts, inRepository } from '../setup/paths';
import { TestHost } from '../unit/host/testHost';
import { lintedServers } from './lint/servers';
import { absolute, type BenchRow } from './row';

const { refusal } = createRequire(__filename)(inRepository('test/extensions/demo-model/refusals.cjs')) as {
  refusal(tool: { name: string; description: string; inputSchema: unknown }): string | undefined;
};

/** Whether findings are worth acting on for the author of the server, and why, or why not. */
interface Verdict {
  readonly worth: boolean;
  readonly why: string;
  /** `server: rule place`. */
  readonly findings: readonly string[];
}

export async function* rows(): AsyncGenerator<BenchRow> {
  const found = await findings();
  fs.mkdirSync(artifacts(), { recursive: true });
  fs.writeFileSync(`${artifacts()}/lint.json`, `${JSON.stringify(found, null, 2)}\n`);
  const verdicts: Verdict[] = JSON.parse(fs.readFileSync(inRepository('test/bench/lint/verdicts.json'), 'utf8'));
  const judged = verdicts.flatMap(({ findings }) => findings);
  const names = Object.entries(found).flatMap(([server, own]) => Object.keys(own).map(name => `${server}: ${name}`));
  const unjudged = names.filter(name => !judged.includes(name));
  const gone = judged.filter(name => !names.includes(name));
  if (unjudged.length + gone.length > 0)
    throw new Error(
      `Without a verdict (test/bench/lint/verdicts.json):\n${unjudged.join('\n')}\nNo longer found:\n${gone.join('\n')}`,
    );
  const noise = verdicts.filter(({ worth }) => !worth).flatMap(({ findings }) => findings).length;
  const servers = Object.keys(found).length;
  console.error(`${judged.length} findings on ${servers} servers, ${noise} of them noise`);
  yield absolute(
    `lint: findings on ${servers} real servers not worth acting on`,
    (100 * noise) / judged.length,
    '%',
    10,
  );
}

type Found = Record<string, Record<string, string>>;

/** What is found on each server, one after the other. @throws Error when one does not start, or finds twice the same. */
async function findings(): Promise<Found> {
  const found: Found = {};
  for (const [name, server] of Object.entries(await lintedServers())) {
    const test = new TestHost();
    try {
      test.configure({ [name]: server });
      const offered = await offeredBy(await test.loads(name));
      offered.tools.forEach(assertForModels);
      const all = lint(offered);
      found[name] = Object.fromEntries(
        all.map(({ rule, where, message }) => [`${rule} ${where}`.trim(), english(message)]),
      );
      if (Object.keys(found[name]).length < all.length) throw new Error(`${name} has two findings of one name`);
    } finally {
      await test.close();
    }
  }
  return found;
}

/** @throws Error for a tool that the editor or a provider would refuse as models get it. */
function assertForModels(tool: Tool): void {
  const made = schemaForModel(tool);
  const why =
    'problem' in made ? english(made.problem) : refusal({ name: 'tool', description: 'd', inputSchema: made.schema });
  if (why) throw new Error(`${tool.name}: ${why}`);
}
