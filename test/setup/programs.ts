import { readFileSync } from 'node:fs';
import { inRepository } from './paths';

/** The files of dist/ that are loaded with a program, such as `extension.js`: itself, and the chunks that it needs. */
export const loadedWith = (program: string): string[] =>
  (JSON.parse(readFileSync(inRepository('dist/programs.json'), 'utf8')) as Record<string, string[]>)[program] ?? [];
