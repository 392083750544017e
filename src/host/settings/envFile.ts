import { parseEnv } from 'node:util';

/**
 * Reads a `.env` file in the dialect of Node (`util.parseEnv`): `NAME=value`, quotes, comments, `export`, values of several
 * lines in quotes. Variables in values are not expanded. Other lines are skipped.
 */
export function parseEnvFile(text: string): Record<string, string> {
  return parseEnv(text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')) as Record<string, string>;
}
