// npm test -- --changed: which tests a change can touch. A bundle's list of parts (`inputs.json`, which esbuild.js writes)
// says what a test imports; what it reads or starts besides, it names.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { inRepository } from './paths';

/** Compiled files, and the sources that each was made of; paths from the root. */
export type Inputs = Record<string, string[]>;

export interface Choice {
  /** Sources of the tests that run. */
  chosen: string[];
  /** Sources of tests that include what changed and are left out all the same, for the time they take. */
  left: string[];
  /** Changed files that no test was found for. */
  unseen: string[];
}

export interface Repository {
  changed: readonly string[];
  inputs: Inputs;
  read(file: string): string;
  /** How long a test is expected to take. */
  msOf(test: string): number;
}

/** Changes of these can do anything to any test. */
const ANYTHING =
  /^(package-lock\.json|esbuild\.js|tsconfig.*|test\/setup\/(mocha|layers|lanes|portions|report|paths|processes).*)$/;

const isTest = (file: string) => file.endsWith('.test.ts');

/** Files that changed since `ref`, and new ones. */
export function changedSince(ref: string): string[] {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: inRepository(), encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
      .split('\0')
      .filter(Boolean);
  const tracked = git('diff', '--name-only', '--no-renames', '-z', ref);
  return [...new Set([...tracked, ...git('ls-files', '--others', '--exclude-standard', '-z')])].sort();
}

/** Where the branch left `main`. */
export const whereMainWasLeft = () =>
  execFileSync('git', ['merge-base', 'HEAD', 'main'], { cwd: inRepository(), encoding: 'utf8' }).trim();

/** What the last builds were made of. */
export function readInputs(): Inputs {
  const read = (folder: string) => JSON.parse(fs.readFileSync(inRepository(folder, 'inputs.json'), 'utf8')) as Inputs;
  return { ...read('dist'), ...read('out') };
}

/**
 * Chooses tests of a layer: those that changed, those that are made of what changed, those that name a program that is, and
 * those that name a changed file or its folder. The nearest come first, until they take `budgetMs`.
 */
export function choose(layer: string, repository: Repository, budgetMs: number): Choice {
  const { changed, inputs, msOf } = repository;
  const bundles = Object.entries(inputs).filter(
    ([, [entry = '']]) => isTest(entry) && entry.startsWith(`test/${layer}/`),
  );
  const touched = new Map<string, number>();
  const seen = new Set<string>();
  for (const [, [test = '', ...parts]] of bundles) {
    for (const file of changed) {
      if (test !== file && !parts.includes(file) && !ANYTHING.test(file) && !names(test, parts, file, repository))
        continue;
      seen.add(file);
      touched.set(test, Math.min(touched.get(test) ?? Number.POSITIVE_INFINITY, distance(test, file)));
    }
  }
  const sorted = [...touched].sort(([a, near], [b, far]) => near - far || msOf(a) - msOf(b)).map(([test]) => test);
  let sum = 0;
  const chosen = sorted.filter(test => {
    sum += msOf(test);
    return changed.includes(test) || sum <= budgetMs;
  });
  return {
    chosen: chosen.sort(),
    left: sorted.filter(test => !chosen.includes(test)).sort(),
    unseen: changed.filter(file => !seen.has(file)),
  };
}

/**
 * Whether a test reads or starts what changed: it, or a helper of it, has the name in quotes. What runs in an editor is
 * found by the name of the feature.
 */
function names(test: string, parts: readonly string[], changed: string, { inputs, read }: Repository): boolean {
  const [, concept] = /^src\/features\/(\w+?)s?\//.exec(changed) ?? [];
  const inEditor = !test.startsWith('test/unit/');
  if (concept && inEditor && path.posix.basename(test).toLowerCase().includes(concept.toLowerCase())) return true;
  const programs = Object.entries(inputs)
    .filter(([, made]) => !made.some(isTest) && made.includes(changed))
    .map(([compiled]) => path.posix.basename(compiled, compiled.startsWith('out/') ? '.js' : ''));
  const [folder = '', ...rest] = changed.split('/');
  const wanted = [...programs, path.posix.basename(changed), ...(rest.length > 0 ? [folder] : [])];
  // The helpers of every test name much that few tests use.
  const texts = [test, ...parts.filter(part => /^test\/(unit|editor|servers)\//.test(part))].map(read);
  const isNamed = (text: string, name: string) =>
    ["'", '"', '`'].some(quote => text.includes(quote + name + quote) || text.includes(`/${name}${quote}`));
  return wanted.some(name => texts.some(text => isNamed(text, name)));
}

/** How far a test stands from a file: the folders that one goes up and down between them. */
function distance(test: string, file: string): number {
  const [from, to] = [test, file].map(name =>
    path.posix
      .dirname(name)
      .split('/')
      .slice(isTest(name) ? 2 : 1),
  ) as [string[], string[]];
  const common = from.findIndex((folder, i) => folder !== to[i]);
  const shared = common < 0 ? from.length : common;
  const sameName = path.posix.basename(test, '.test.ts') === path.posix.basename(file, '.ts');
  return from.length + to.length - 2 * shared - (sameName ? 1 : 0);
}
