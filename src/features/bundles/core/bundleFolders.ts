import { sep } from 'node:path';

/** The folder of unpacked bundles, in the storage of the extension. */
export const BUNDLES = 'bundles';

/** The name of a bundle's folder: to be read by people, and another for each content. */
export const bundleFolderName = (name: string, version: string, sha256: string): string =>
  `${fit(name, 40)}-${fit(version, 20)}-${sha256.slice(0, 16)}`;

const fit = (text: string, length: number) =>
  text
    .replace(/[^\w.-]+/g, '-')
    .slice(0, length)
    .replace(/^[.-]+|(?<![.-])[.-]+$/g, '')
    .toLowerCase() || 'bundle';

/** The name of the unpacked bundle that an entry of settings runs, as written there; undefined when it runs none. */
export function bundleOf(entry: unknown, folder: string): string | undefined {
  const start = `${folder.replace(/\$(?=\{)/g, '$$$$')}${sep}`;
  const { command, args, env } = Object(entry) as Record<string, unknown>;
  const texts = [command, ...(Array.isArray(args) ? args : []), ...Object.values(Object(env))];
  for (const text of texts) {
    const at = typeof text === 'string' ? text.indexOf(start) : -1;
    const [name] = at < 0 ? [] : (/^[\w.-]+/.exec((text as string).slice(at + start.length)) ?? []);
    if (name !== undefined && !name.startsWith('.')) return name;
  }
  return undefined;
}
