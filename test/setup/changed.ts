// npm test -- --changed: which tests a change can touch. What a test imports says most; what it reads or starts besides, it names.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { inRepository } from './paths';

/** Changes of these can do anything to any test. */
const ANYTHING =
  /^(package-lock\.json|esbuild\.js|tsconfig.*|test\/setup\/(child|mochaRun|layers|pool|report|paths|processes)\..*)$/;
/** The programs that tests start, by the files that they are made of. */
const PROGRAM =
  /^(test\/servers\/[^/]+|src\/demo\/server|src\/commandLine\/mcptest|src\/features\/agents\/core\/bridge\/main)\.ts$/;
const IMPORT = /(?:from |import |import\(|require\()'(\.{1,2}\/?[^']*)'/g;

export interface Choice {
  /** Sources of the tests that run, the nearest first. */
  chosen: string[];
  /** Sources of tests that it can touch too, but that would take longer. */
  left: string[];
  /** Changed files that no test was found for. */
  unseen: string[];
}

/** Files that changed since `ref`, and new ones; no file that only has another name. */
export function changedSince(ref: string): string[] {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: inRepository(), encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
      .split('\0')
      .filter(Boolean);
  const [told, tracked] = [git('diff', '--name-status', '-M100%', '-z', ref), [] as string[]];
  for (let at = 0; at < told.length; ) {
    const isRenamed = told[at]!.startsWith('R');
    if (!isRenamed) tracked.push(told[at + 1]!);
    at += isRenamed ? 3 : 2;
  }
  return [...new Set([...tracked, ...git('ls-files', '--others', '--exclude-standard', '-z')])].sort();
}

/** Where the branch left `main`. */
export const whereMainWasLeft = () =>
  execFileSync('git', ['merge-base', 'HEAD', 'main'], { cwd: inRepository(), encoding: 'utf8' }).trim();

const texts = new Map<string, string>();
function read(file: string): string {
  const text = texts.get(file) ?? fs.readFileSync(inRepository(file), 'utf8');
  texts.set(file, text);
  return text;
}

const parts = new Map<string, ReadonlySet<string>>();

/** A source and all that it imports of ours, through an `index.ts` too. */
function partsOf(file: string): ReadonlySet<string> {
  const known = parts.get(file) ?? add(file, new Set());
  parts.set(file, known);
  return known;
}

function add(file: string, found: Set<string>): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, name = ''] of read(file).matchAll(IMPORT)) {
    const base = path.posix.join(path.posix.dirname(file), name);
    const part = [`${base}.ts`, `${base}/index.ts`].find(one => fs.existsSync(inRepository(one)));
    if (part) add(part, found);
  }
  return found;
}

/**
 * Chooses tests of layers: those that changed, those that are made of what changed, and those that name it, its folder or a program
 * that is made of it. The nearest come first, those that changed themselves before all, as far as they take `budgetMs` together;
 * the first runs however long it takes.
 */
export function choose(
  layers: readonly string[],
  changed: readonly string[],
  {
    msOf,
    budgetMs,
    isWanted = () => true,
  }: { msOf(test: string): number; budgetMs: number; isWanted?(test: string): boolean },
): Choice {
  const sources = (folder: string) =>
    fs
      .readdirSync(inRepository(folder), { recursive: true, encoding: 'utf8' })
      .map(file => `${folder}/${file.replaceAll('\\', '/')}`);
  const tests = layers
    .flatMap(layer => sources(`test/${layer}`))
    .filter(file => file.endsWith('.test.ts') && isWanted(file));
  const programs = [...sources('test/servers'), ...sources('src')].filter(file => PROGRAM.test(file));
  const touched = new Map<string, number>();
  const seen = new Set<string>();
  for (const file of changed) {
    const made = programs
      .filter(program => partsOf(program).has(file))
      .map(program => path.posix.basename(program, '.ts'));
    for (const test of tests) {
      const isTouched = tests.includes(file) ? test === file : partsOf(test).has(file) || ANYTHING.test(file);
      if (!isTouched && (tests.includes(file) || !names(test, file, made))) continue;
      seen.add(file);
      touched.set(test, Math.min(touched.get(test) ?? Number.POSITIVE_INFINITY, distance(test, file)));
    }
  }
  const sorted = [...touched].sort(([a, near], [b, far]) => near - far || msOf(a) - msOf(b)).map(([test]) => test);
  let sum = 0;
  const chosen = sorted.filter((test, at) => {
    if (at > 0 && sum + msOf(test) > budgetMs) return false;
    sum += msOf(test);
    return true;
  });
  return {
    chosen,
    left: sorted.filter(test => !chosen.includes(test)),
    unseen: changed.filter(file => !seen.has(file)),
  };
}

/** Whether a test, or a helper of it, has the name of what changed in quotes. What runs in an editor is found by its feature. */
function names(test: string, changed: string, programs: readonly string[]): boolean {
  const [, concept] = /^src\/features\/(\w+?)s?\//.exec(changed) ?? [];
  const isInEditor = !test.startsWith('test/unit/');
  if (concept && isInEditor && path.posix.basename(test).toLowerCase().includes(concept.toLowerCase())) return true;
  const [folder = '', ...rest] = changed.split('/');
  const wanted = [...programs, path.posix.basename(changed), ...(rest.length > 0 ? [folder] : [])];
  // The helpers of every test name much that few tests use.
  const own = [...partsOf(test)].filter(part => /^test\/(unit|editor|servers)\//.test(part)).map(read);
  const isNamed = (text: string, name: string) =>
    ["'", '"', '`'].some(quote => text.includes(quote + name + quote) || text.includes(`/${name}${quote}`));
  return wanted.some(name => own.some(text => isNamed(text, name)));
}

/** How far a test stands from a file: the folders that one goes up and down between them. */
function distance(test: string, file: string): number {
  if (test === file) return Number.NEGATIVE_INFINITY;
  const [from, to] = [test, file].map((name, at) =>
    path.posix
      .dirname(name)
      .split('/')
      .slice(at === 0 ? 2 : 1),
  );
  const common = from!.findIndex((folder, i) => folder !== to![i]);
  const shared = common < 0 ? from!.length : common;
  const isSameName = path.posix.basename(test, '.test.ts') === path.posix.basename(file, '.ts');
  return from!.length + to!.length - 2 * shared - (isSameName ? 1 : 0);
}
