import * as fs from 'node:fs';
import { inRepository } from '../setup/paths';

const END = '<!-- end -->';

/** Writes what a part of `npm run compat` has found into a page, between the line that names its command and the end. */
export function recordTable(page: string, command: string, text: string): void {
  const file = inRepository(page);
  const begin = `<!-- made by ${command} -->`;
  const [before, rest] = fs.readFileSync(file, 'utf8').split(begin);
  const after = rest?.slice(rest.indexOf(END));
  if (after === undefined) throw new Error(`${page} has no place between ${begin} and ${END}`);
  fs.writeFileSync(file, `${before}${begin}\n\n${text}\n\n${after}`);
}
