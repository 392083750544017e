// Patterns whose time does not grow as the text does, but with its square or worse: run by `npm run lint`. They read what servers,
// settings and files say, and a window waits for them. Prints each with its file, and exits with 1 when there is one.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'acorn';
import { full } from 'acorn-walk';
import { transformSync } from 'esbuild';
import { analyse } from 'scslre';
import { src } from './imports.mjs';

/** Files whose patterns may be of that kind, and what keeps their texts short. */
const SHORT = {
  'features/dev/core/buildProblems.ts': 'a line of a build has 2,000 characters at most',
  'features/languageModel/core/relevance.ts': 'a longer word has no stem',
  'features/tools/core/fieldChecks.ts': 'the person has typed the list',
  'features/trust/core/flow.ts': 'a word is cut before it is read',
  'host/connection/explainProgram.ts': 'a line is cut before it is read',
  'host/launch/knownPrograms.ts': 'a longer name is none of a program that is known',
};

const needed = new Set(Object.keys(SHORT));
for (const file of readdirSync(src, { recursive: true, encoding: 'utf8' }).map(file => file.replaceAll('\\', '/'))) {
  if (!file.endsWith('.ts')) continue;
  const slow = patternsIn(readFileSync(join(src, file), 'utf8')).filter(isSlow);
  if (slow.length > 0 && needed.delete(file)) continue;
  for (const { pattern, flags } of slow)
    complain(`src/${file}: /${pattern}/${flags} takes four times as long for twice the text, or longer`);
}
for (const file of needed)
  complain(`src/${file} has no such pattern any more: test/lint/patterns.mjs need not name it`);

function complain(what) {
  process.exitCode = 1;
  console.error(what);
}

function patternsIn(text) {
  const found = [];
  const { code } = transformSync(text, { loader: 'ts', target: 'esnext' });
  full(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }), ({ regex }) => regex && found.push(regex));
  return found;
}

/** Also when it is tried from each place of the text. What `v` adds to `u` is not known to the library. */
function isSlow({ pattern, flags }) {
  return (
    !flags.includes('v') && analyse({ source: pattern, flags }, { reportTypes: { Move: true } }).reports.length > 0
  );
}
