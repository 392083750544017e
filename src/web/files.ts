// In place of: base/files
import { appendFile, rename, writeFile } from 'node:fs/promises';
import { PhraseError, phrase } from '../base/phrase';

/** Only programs have an `envFile`. */
export const readBounded = (path: string): Promise<never> =>
  Promise.reject(new PhraseError(phrase('{0} is not on a disk', path)));

/** In the extension's own storage, which has no links and no modes. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${crypto.randomUUID()}.tmp`;
  await writeFile(draft, text);
  await rename(draft, path);
}

/** The editor writes the whole file or nothing. */
export async function appendLines(path: string, lines: string[]): Promise<void> {
  await appendFile(path, lines.join(''));
  lines.length = 0;
}
