// The packaged product, as a person installs it.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { isPreRelease, problemsOfVsix, readRelease } from '../release/releaseRules';
import { inRepository, remove, root, temporaryFolder } from './paths';
import { atExit, run } from './processes';
import { withPlainModes, zipEntries } from './zip';

/** The earliest time that a zip file knows, in seconds: the same in every build. */
const EPOCH = String(Date.UTC(1980, 0, 1) / 1000);

/**
 * Makes a VSIX of `folder`, the same byte for byte wherever and whenever it is made with the Node of the lock file on the
 * same platform: the packager takes times, order, time zone and modes from its surroundings.
 * @throws Error with the output of vsce, or with what is wrong with the VSIX.
 */
export async function packageVsix(vsix: string, folder = root): Promise<string> {
  fs.mkdirSync(path.dirname(vsix), { recursive: true });
  const vsce = inRepository('node_modules/@vscode/vsce/vsce');
  const preRelease = isPreRelease(readRelease(folder).version) ? ['--pre-release'] : [];
  const options = { env: { ...process.env, SOURCE_DATE_EPOCH: EPOCH, TZ: 'UTC', LC_ALL: 'C' }, timeoutMs: 300_000 };
  await run(process.execPath, ['esbuild.js', '--production'], { ...options, cwd: folder });
  const staged = stageOf(folder);
  const output = await run(
    process.execPath,
    [vsce, 'package', '--no-dependencies', ...preRelease, '--out', path.resolve(vsix)],
    { ...options, cwd: staged },
  ).finally(() => remove(staged));
  // That there is a newer vsce is a warning, too.
  if (/(WARNING|::warning::)(?!\W*The latest version of @vscode)/.test(output))
    throw new Error(`vsce warns:\n${output}`);
  const zip = withPlainModes(fs.readFileSync(vsix));
  const problems = problemsOfVsix(zip);
  if (problems.length > 0) throw new Error(`${path.basename(vsix)}:\n- ${problems.join('\n- ')}`);
  fs.writeFileSync(vsix, zip);
  return vsix;
}

/**
 * A folder with what `.vscodeignore` lets into the product: the packager compares every file around it with every pattern, which takes
 * half a minute where tests have installed servers.
 */
function stageOf(folder: string): string {
  const staged = temporaryFolder();
  const ignore = fs.readFileSync(path.join(folder, '.vscodeignore'), 'utf8');
  // `vscode:prepublish` finds nothing to build here.
  for (const [name, text] of Object.entries({ '.vscodeignore': ignore, 'esbuild.js': '' }))
    fs.writeFileSync(path.join(staged, name), text);
  const tops = [...ignore.matchAll(/^!([^/\r\n]+)/gm)].map(([, top = '']) => top.split('*'));
  const isShipped = (name: string) =>
    tops.some(([start = '', end]) =>
      end === undefined ? name === start : name.startsWith(start) && name.endsWith(end),
    );
  for (const name of fs.readdirSync(folder).filter(isShipped))
    fs.cpSync(path.join(folder, name), path.join(staged, name), { recursive: true });
  // Without what makes them readable, which takes 7 KB.
  for (const name of fs.readdirSync(staged, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.json')) continue;
    const file = path.join(staged, name);
    fs.writeFileSync(file, JSON.stringify(JSON.parse(fs.readFileSync(file, 'utf8'))));
  }
  return staged;
}

let made: Promise<string> | undefined;

/** The VSIX of this build: `TEST_VSIX` when the caller made it already, else packaged once into artifacts/. */
export const productVsix = async (): Promise<string> => {
  made ??= process.env.TEST_VSIX
    ? Promise.resolve(process.env.TEST_VSIX)
    : packageVsix(inRepository('artifacts', 'mcp-host.vsix'));
  return made;
};

/** A folder with the programs that are in it, for tests of the core: `TEST_PRODUCT`. It is gone when this process ends. */
export async function shippedFiles(): Promise<string> {
  const folder = temporaryFolder();
  atExit(() => remove(folder));
  for (const { name, content } of zipEntries(fs.readFileSync(await productVsix()))) {
    const file = /^extension\/dist\/([\w.-]+)$/.exec(name)?.[1];
    if (file) fs.writeFileSync(path.join(folder, file), content());
  }
  return folder;
}
