// The packages for npm: @mcp-host/api, the types of the API with a double for tests, and @mcp-host/test, the test runner without an
// editor. `npm run release` packs them.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { type BuildOptions, build, type Metafile, transform } from 'esbuild';
import { inRepository, remove, root, temporaryFolder } from '../setup/paths';
import { atExit, run } from '../setup/processes';
import { readRelease } from './releaseRules';

/** Packs the packages into a folder. @returns the paths of the tarballs. */
export async function packAll(folder: string): Promise<string[]> {
  const staging = temporaryFolder();
  const cancelRemove = atExit(() => remove(staging));
  try {
    const tarballs: string[] = [];
    for (const [name, make] of Object.entries({ api: makeApi, test: makeRunner })) {
      const made = path.join(staging, name);
      fs.mkdirSync(made);
      await make(made);
      fs.copyFileSync(inRepository('LICENSE'), path.join(made, 'LICENSE'));
      tarballs.push(await pack(made, folder));
    }
    return tarballs;
  } finally {
    cancelRemove();
    remove(staging);
  }
}

/** The types, and the double that `docs/api/testing.ts` is. */
async function makeApi(folder: string): Promise<void> {
  const source = inRepository('docs', 'api');
  for (const file of ['index.d.ts', 'README.md']) fs.copyFileSync(path.join(source, file), path.join(folder, file));
  const { code } = await transform(fs.readFileSync(path.join(source, 'testing.ts'), 'utf8'), {
    loader: 'ts',
    format: 'cjs',
    target: 'node18',
  });
  fs.writeFileSync(path.join(folder, 'testing.js'), code);
  const options = '--declaration --emitDeclarationOnly --strict --skipLibCheck --module node16 --target es2022';
  await run(
    process.execPath,
    [
      inRepository('node_modules/typescript/bin/tsc'),
      ...options.split(' '),
      ...['--types', 'vscode', '--typeRoots', inRepository('node_modules/@types')],
      ...['--outDir', folder, path.join(source, 'testing.ts')],
    ],
    { cwd: folder, timeoutMs: 120_000 },
  );
  writeManifest(path.join(source, 'package.json'), folder);
}

/** The programs that need no editor, for the Node that people have. */
async function makeRunner(folder: string): Promise<void> {
  const { testRunner } = (await import(inRepository('esbuild.js'))) as { testRunner(): BuildOptions[] };
  const { bundledPackages, notices } = (await import(inRepository('notices/notices.js'))) as {
    bundledPackages(metafiles: (Metafile | undefined)[]): object[];
    notices(packages: object[]): string;
  };
  const dist = path.join(folder, 'dist');
  fs.mkdirSync(dist);
  const metafiles: (Metafile | undefined)[] = [];
  for (const options of testRunner()) {
    const { metafile, outputFiles = [] } = await build({ ...options, absWorkingDir: root, write: false });
    metafiles.push(metafile);
    for (const { path: file, contents } of outputFiles)
      fs.writeFileSync(path.join(dist, path.basename(file)), contents);
  }
  fs.writeFileSync(path.join(folder, 'ThirdPartyNotices.txt'), notices(bundledPackages(metafiles)));
  const source = inRepository('build', 'mcptest');
  for (const file of ['bin.js', 'README.md']) fs.copyFileSync(path.join(source, file), path.join(folder, file));
  writeManifest(path.join(source, 'package.json'), folder);
}

/** With the version and repository of the extension. */
function writeManifest(source: string, folder: string): void {
  const { version, repository } = readRelease();
  const manifest = { ...(JSON.parse(fs.readFileSync(source, 'utf8')) as object), version, repository };
  fs.writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

async function pack(folder: string, destination: string): Promise<string> {
  fs.mkdirSync(destination, { recursive: true });
  const before = new Set(fs.readdirSync(destination));
  await run('npm', ['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', destination], {
    cwd: folder,
    timeoutMs: 120_000,
  });
  const made = fs.readdirSync(destination).find(file => !before.has(file));
  if (!made) throw new Error(`npm pack made nothing of ${folder} that was not in ${destination} before`);
  return path.join(destination, made);
}
