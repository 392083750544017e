// npm run release [-- vX.Y.Z]: makes what is published, in artifacts/release/: the VSIX, the packages for npm, the notes, the bill
// of materials and checksums. Packages twice, from two folders, and compares byte for byte. With a tag it refuses what must not be
// published under it; without one it only tells what stands in the way.
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { inRepository, remove, root, temporaryFolder } from '../setup/paths';
import { atExit, endWithStarter } from '../setup/processes';
import { packageVsix } from '../setup/vsix';
import { zipEntries } from '../setup/zip';
import { packAll } from './packages';
import { isPreRelease, notesOf, obstacles, type Release, readRelease } from './releaseRules';

const NOT_COPIED = new Set([
  'node_modules',
  '.git',
  'dist',
  'out',
  'artifacts',
  '.vscode-test',
  'ThirdPartyNotices.txt',
]);

/** Packages a copy of the repository in another folder, whose files have other times and modes. */
async function packageCopy(): Promise<Buffer> {
  const folder = temporaryFolder();
  const cancelRemove = atExit(() => remove(folder));
  try {
    for (const name of fs.readdirSync(root).filter(entry => !NOT_COPIED.has(entry) && !entry.endsWith('.vsix')))
      fs.cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
    for (const file of fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const copied = path.join(folder, file);
      if (fs.statSync(copied).isFile()) fs.chmodSync(copied, 0o600);
    }
    fs.symlinkSync(inRepository('node_modules'), path.join(folder, 'node_modules'), 'junction');
    return fs.readFileSync(await packageVsix(path.join(folder, 'artifacts', 'copy.vsix'), folder));
  } finally {
    cancelRemove();
    remove(folder);
  }
}

/** What differs in two packages. */
function differing(one: Buffer, other: Buffer): string {
  const contents = new Map(zipEntries(other).map(({ name, content }) => [name, content()]));
  const names = zipEntries(one).filter(({ name, content }) => !contents.get(name)?.equals(content()));
  return names.map(({ name }) => name).join(', ') || 'in times, modes, order or compression';
}

async function billOfMaterials(release: Release): Promise<string> {
  const { programs } = (await import(inRepository('esbuild.js'))) as { programs(production: boolean): BuildOptions[] };
  const notices = (await import(inRepository('notices/notices.js'))) as {
    bundledPackages(metafiles: (Metafile | undefined)[]): object[];
    billOfMaterials(packages: object[], release: Release): object;
  };
  const builds = programs(true).map(options => build({ ...options, absWorkingDir: root, write: false }));
  const packages = notices.bundledPackages((await Promise.all(builds)).map(({ metafile }) => metafile));
  return `${JSON.stringify(notices.billOfMaterials(packages, release), null, 2)}\n`;
}

async function main([tag]: string[]): Promise<void> {
  const release = readRelease();
  const changelog = fs.readFileSync(inRepository('CHANGELOG.md'), 'utf8');
  const inTheWay = obstacles(tag ?? `v${release.version}`, release, changelog, process.env.GITHUB_REPOSITORY);
  if (tag && inTheWay.length > 0) throw new Error(`${tag} can't be published:\n- ${inTheWay.join('\n- ')}`);

  const folder = inRepository('artifacts', 'release');
  remove(folder);
  const name = `${release.name}-${release.version}.vsix`;
  const vsix = fs.readFileSync(await packageVsix(path.join(folder, name)));
  const copy = await packageCopy();
  if (!vsix.equals(copy)) throw new Error(`${name}: a second build differs from the first: ${differing(vsix, copy)}`);

  const notes = notesOf(changelog, release.version) ?? notesOf(changelog, 'Unreleased') ?? '';
  fs.writeFileSync(path.join(folder, 'notes.md'), `${notes}\n`);
  fs.writeFileSync(path.join(folder, 'sbom.cdx.json'), await billOfMaterials(release));
  const packages = (await packAll(folder)).map(file => path.basename(file));
  const hashOf = (file: string) =>
    createHash('sha256')
      .update(fs.readFileSync(path.join(folder, file)))
      .digest('hex');
  const hash = hashOf(name);
  fs.writeFileSync(
    path.join(folder, 'SHA256SUMS'),
    [name, ...packages].map(file => `${hashOf(file)}  ${file}\n`).join(''),
  );
  const kind = isPreRelease(release.version) ? 'a pre-release' : 'a release';
  console.log(`${name}, ${kind}: ${Math.ceil(vsix.length / 1024)} KB, two builds are equal, SHA-256 ${hash}`);
  for (const file of packages)
    console.log(`${file}: ${Math.ceil(fs.statSync(path.join(folder, file)).size / 1024)} KB`);
  for (const why of inTheWay) console.log(`Before it can be published: ${why}.`);
}

endWithStarter();
main(process.argv.slice(2)).catch(error => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
