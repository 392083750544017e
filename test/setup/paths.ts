// Where things are. Compiled tests live at different depths under out/, so the root is found by walking up.
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';

/** The repository: the first folder above the compiled file that has a `package.json`. */
export const root = findRoot(__dirname);

/** A path inside the repository. */
export const inRepository = (...parts: string[]) => path.join(root, ...parts);

/** Downloads and installs that are kept between runs; ignored by git. */
export const cache = inRepository('.vscode-test');

/** Pictures and logs of the running layer: `artifacts/<layer>/`. */
export const artifacts = () => process.env.TEST_ARTIFACTS ?? inRepository('artifacts');

/** A new temporary folder. The name is short: sockets are made inside, and their paths are limited to 107 bytes. */
export const temporaryFolder = () => fs.realpathSync.native(fs.mkdtempSync(path.join(os.tmpdir(), 'mcph-')));

/** Removes a folder that a process may just have stopped writing to. */
export function remove(folder: string): void {
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/** Every compiled test below `folder`, in a stable order. */
export function testFiles(folder: string): string[] {
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.test.js'))
    .sort()
    .map(file => path.join(folder, file));
}

/** The source of a compiled test, from the root: `test/unit/base/text.test.ts`. */
export const sourceOf = (compiled: string) =>
  path.relative(inRepository('out'), compiled).replaceAll('\\', '/').replace(/\.js$/, '.ts');

function findRoot(folder: string): string {
  if (fs.existsSync(path.join(folder, 'package.json'))) return folder;
  const parent = path.dirname(folder);
  if (parent === folder) throw new Error(`no package.json above ${__dirname}`);
  return findRoot(parent);
}
