// Which files of src import which: for the rules of layers (architecture.mjs) and for the picture of them (layersPicture.mjs).
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

export const src = resolve(import.meta.dirname, '../../src');
// As the formatter writes them. A `require` is a door: what is behind it is loaded later.
const IMPORT = /^(?:import|export) (?:type )?(?:[^'";]*? from )?'(\.[^']*)';$|\b(require|import)\('(\.[^']*)'\)/gm;

/** Paths below src, without `.ts`. Web windows have files in place of others: those are left out. */
export const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map(file => file.replaceAll('\\', '/'))
  .filter(file => file.endsWith('.ts') && !file.startsWith('web/'))
  .map(file => file.slice(0, -'.ts'.length));

/** By file, the files of ours that it imports; types count, doors do not. */
export const imports = new Map(files.map(file => [file, importsOf(file)]));

/** The name of the feature that a file belongs to. */
export const featureOf = file => /^features\/([^/]+)\//.exec(file)?.[1];

/** The folder that may not be in a circle with another: each feature, those of src/host, and the folders beside them. */
export function roomOf(file) {
  const feature = featureOf(file);
  // What makes and loads the features is above all, as one; what lies in src/host itself is above its folders.
  return feature ? `features/${feature}` : (/^(host\/[^/]+|[^/]+)\//.exec(file)?.[1] ?? 'src');
}

function importsOf(file) {
  const text = readFileSync(join(src, `${file}.ts`), 'utf8');
  return [...text.matchAll(IMPORT)].flatMap(([, imported, door]) => {
    if (door) return [];
    const path = resolve(dirname(join(src, file)), imported);
    const found = [path, join(path, 'index')].find(candidate => existsSync(`${candidate}.ts`));
    return found ? [relative(src, found).replaceAll('\\', '/')] : [];
  });
}
