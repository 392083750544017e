// npm run conformance -- mutants --random <count> [--seed <number>] [file or folder …]: how many random faults in sources the unit
// tests notice. By default, they are in the core and in what trust is asked for.
//
// The faults are made in the text: the sources have one format. Each is compiled and takes the place of the original in the
// processes of tests, as those of mutants.ts do. The unit tests that include the source run, the nearest first, until one fails
// that passes without the fault, or a minute of tests has passed. The same seed chooses the same faults in the same sources.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { transform } from 'esbuild';
import { choose } from '../setup/changed';
import { processesAtOnce } from '../setup/layers';
import { inRepository, remove, temporaryFolder } from '../setup/paths';
import { runJobs } from '../setup/pool';
import { atExit } from '../setup/processes';
import { expectedMs } from '../setup/times';
import { compile, inParallel, jobOf } from './mutants';

const FOLDERS = ['src/host', 'src/features/trust'];
const BUDGET_MS = 60_000;

interface RandomMutant {
  file: string;
  /** From 1. */
  line: number;
  before: string;
  after: string;
}

/** What can go wrong in a line, or after the line that begins a function. */
type Fault = (line: string) => string[];

/** Replaces each match outside texts, patterns and comments, one at a time. */
const replacing =
  (pattern: RegExp, replace: (match: string) => string): Fault =>
  line =>
    [...line.matchAll(pattern)]
      .filter(({ index }) => isCode(line, index))
      .map(({ 0: match, index }) => line.slice(0, index) + replace(match) + line.slice(index + match.length));

function isCode(line: string, index: number): boolean {
  const before = line.slice(0, index);
  return !/^\s*(\/?\*|\/\/)|\/\/ /.test(before) && ["'", '"', '`', '/'].every(q => before.split(q).length % 2 === 1);
}

const COMPARISONS: Record<string, string> = {
  ' === ': ' !== ',
  ' !== ': ' === ',
  ' < ': ' <= ',
  ' <= ': ' < ',
  ' > ': ' >= ',
  ' >= ': ' > ',
  ' && ': ' || ',
  ' || ': ' && ',
  ' + ': ' - ',
  ' - ': ' + ',
};
const STATEMENT = /^ +(?:(?:await |void |delete )?[\w.?!]+(?:\(.*\)|(?:\[.*\])?)|[\w.[\]!]+ (?:=|\+=|\?\?=) .*);$/;
const FUNCTION = /^ *(?!if|for|while|switch|catch|return|constructor)[\w #]+\(.*\)(?:: [^{}]+)? \{$/;

const FAULTS: readonly Fault[] = [
  replacing(/ (?:[!=]==|[<>]=?|&&|\|\||[+-]) /g, match => COMPARISONS[match]!),
  replacing(/\b(?:true|false)\b/g, match => (match === 'true' ? 'false' : 'true')),
  replacing(/(?<![\w.])\d[\d_]*(?![\w.])/g, match => `${Number(match.replaceAll('_', '')) + 1}`),
  negated,
  line => (STATEMENT.test(line) ? [''] : []),
  line => (FUNCTION.test(line) && !line.includes(' = ') ? [`${line} return;`] : []),
];

/** The condition of an `if` on one line, negated. */
function negated(line: string): string[] {
  const start = line.indexOf('if (') + 3;
  if (start < 3 || !isCode(line, start)) return [];
  let depth = 0;
  for (let at = start; at < line.length; at++) {
    depth += line[at] === '(' ? 1 : line[at] === ')' ? -1 : 0;
    if (depth === 0) return [`${line.slice(0, start)}(!${line.slice(start, at + 1)})${line.slice(at + 1)}`];
  }
  return [];
}

/** The source at a place, or those in the folder there. */
function sourcesIn(place: string): string[] {
  if (statSync(inRepository(place)).isFile()) return [place];
  const all = readdirSync(inRepository(place), { recursive: true, encoding: 'utf8' }).sort();
  return all.filter(file => file.endsWith('.ts')).map(file => `${place}/${file.replaceAll('\\', '/')}`);
}

/** Every fault in a source. */
function mutantsOf(file: string): RandomMutant[] {
  const lines = readFileSync(inRepository(file), 'utf8').split('\n');
  return lines.flatMap((before, at) =>
    FAULTS.flatMap(fault => fault(before)).map(after => ({ file, line: at + 1, before, after })),
  );
}

function mutatedText({ file, line, after }: RandomMutant): string {
  const lines = readFileSync(inRepository(file), 'utf8').split('\n');
  return lines.with(line - 1, after).join('\n');
}

/** Whether a fault compiles, and to something else than the source: one in a type does nothing. */
async function isFault(mutant: RandomMutant): Promise<boolean> {
  const compiled = (text: string) => transform(text, { loader: 'ts', minifySyntax: true }).then(({ code }) => code);
  const original = await compiled(readFileSync(inRepository(mutant.file), 'utf8'));
  return compiled(mutatedText(mutant)).then(
    code => code !== original,
    () => false,
  );
}

/** Takes some of the items in an order that only the seed decides (mulberry32). */
function* shuffled<T>(items: readonly T[], seed: number): Generator<T> {
  const left = [...items];
  for (let state = seed; left.length > 0; ) {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    const [item] = left.splice(((mixed ^ (mixed >>> 14)) >>> 0) % left.length, 1);
    yield item!;
  }
}

/** Runs random mutants, and prints those that no test noticed. @throws Error for a count that is none. */
export async function runRandomMutants(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: { random: { type: 'string' }, seed: { type: 'string', default: '1' } },
    allowPositionals: true,
  });
  const [count, seed] = [Number(values.random), Number(values.seed)];
  if (!(count > 0)) throw new Error('--random takes a count');
  const places = positionals.length > 0 ? positionals : FOLDERS;
  const files = places.flatMap(sourcesIn);
  const chosen: RandomMutant[] = [];
  for (const mutant of shuffled(files.flatMap(mutantsOf), seed)) {
    if (chosen.length === count) break;
    if (await isFault(mutant)) chosen.push(mutant);
  }
  const folder = temporaryFolder();
  const forget = atExit(() => remove(folder));
  try {
    const tests = new Tests();
    const killers = await inParallel(
      chosen,
      async (mutant, at) => {
        const mutated = await compile(mutant.file, mutatedText(mutant), join(folder, String(at)));
        const killer = await tests.firstFailing(mutant.file, mutated);
        const verdict = killer ? `killed by ${killer}` : `SURVIVED\n  - ${mutant.before}\n  + ${mutant.after}`;
        console.log(`${at + 1}/${chosen.length} ${mutant.file}:${mutant.line}: ${verdict}`);
        return killer;
      },
      processesAtOnce(),
    );
    console.log(`${killers.filter(Boolean).length} of ${chosen.length} random mutants die (seed ${seed})`);
  } finally {
    forget();
    remove(folder);
  }
}

/** The unit tests, of which some fail without a mutant, too. */
class Tests {
  private readonly msOf = expectedMs();
  /** Whether a test passes without a mutant. */
  private readonly sound = new Map<string, Promise<boolean>>();

  /** The first test that fails because of a mutant. */
  async firstFailing(file: string, mutated: readonly string[]): Promise<string | undefined> {
    const { chosen } = choose(['unit'], [file], { msOf: this.msOf, budgetMs: BUDGET_MS });
    for (const test of chosen) if (!(await passes(test, mutated)) && (await this.isSound(test))) return test;
    return undefined;
  }

  private isSound(test: string): Promise<boolean> {
    const known = this.sound.get(test) ?? passes(test, undefined);
    this.sound.set(test, known);
    return known;
  }
}

async function passes(test: string, mutated: readonly string[] | undefined): Promise<boolean> {
  const job = { ...jobOf(test, '', mutated), env: {} };
  const { files } = await runJobs([job], { atOnce: 1, windows: 0 }, new AbortController().signal);
  return files.every(({ failures }) => failures.length === 0);
}
