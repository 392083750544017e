import { rename, writeFile } from 'node:fs/promises';

/** In the extension's own storage, which has no links and no modes. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${crypto.randomUUID()}.tmp`;
  await writeFile(draft, text);
  await rename(draft, path);
}
