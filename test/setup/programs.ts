import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import type { Metafile } from 'esbuild';
import { inRepository } from './paths';

/**
 * The files of dist/ that are loaded with a program, such as `extension.js`: itself, and the chunks that it needs.
 * @param outputs what a build has made; else that of dist/.
 */
export function loadedWith(program: string, outputs = built(), found = new Set<string>()): string[] {
  found.add(program);
  for (const { path, external, kind } of outputs[`dist/${program}`]?.imports ?? []) {
    const next = posix.basename(path);
    if (!external && kind === 'import-statement' && !found.has(next)) loadedWith(next, outputs, found);
  }
  return [...found];
}

const built = () => JSON.parse(readFileSync(inRepository('dist/programs.json'), 'utf8')) as Metafile['outputs'];
