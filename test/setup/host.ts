// Which VS Code the editor tests and `npm start` use: a desktop one, or the server from npm.
import * as fs from 'node:fs';
import { downloadAndUnzipVSCode } from '@vscode/test-electron';
import { editorVersion } from './editorVersions';
import { isServerInstalled } from './installServer';
import { cache, inRepository } from './paths';

/** How long the one look-up may take that finds out whether VS Code can be downloaded. */
const lookUpMs = 3_000;

/**
 * `VSCODE_TEST_HOST` = `desktop` | `server` | `auto`. The default, `auto`, takes a desktop VS Code where it can be shown
 * and is given (`VSCODE_EXECUTABLE`), downloaded already, or can be downloaded; what was chosen once stays chosen, and
 * on CI nothing is looked up, so that the same inputs give the same host.
 */
export async function chooseHost(): Promise<'desktop' | 'server'> {
  const wanted = process.env.VSCODE_TEST_HOST ?? 'auto';
  if (wanted === 'desktop' || wanted === 'server') return wanted;
  if (wanted !== 'auto') throw new Error(`VSCODE_TEST_HOST is "${wanted}"; it may be desktop, server or auto`);
  if (process.env.VSCODE_EXECUTABLE) return 'desktop';
  if (!canShowWindows()) return 'server';
  if (isDownloaded()) return 'desktop';
  if (process.env.CI || isServerInstalled()) return 'server';
  return (await canDownload()) ? 'desktop' : 'server';
}

/** Whether there is a screen. */
export const canShowWindows = () =>
  process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);

/** The desktop executable: the given one, else a download of `VSCODE_VERSION` (default: stable), kept in .vscode-test/. */
export async function desktopExecutable(): Promise<string> {
  const { VSCODE_EXECUTABLE, VSCODE_VERSION = 'stable' } = process.env;
  const version = editorVersion(VSCODE_VERSION)?.version ?? VSCODE_VERSION;
  return VSCODE_EXECUTABLE ?? downloadAndUnzipVSCode({ version, cachePath: cache });
}

const isDownloaded = () =>
  fs.existsSync(cache) && fs.readdirSync(cache).some(name => /^vscode-(linux|darwin|win32)/.test(name));

/** Asks for the list of versions with the code that would do the download: proxies and hosts are its business. */
async function canDownload(): Promise<boolean> {
  const lookUp = inRepository('node_modules/@vscode/test-electron/out/download.js');
  const { fetchStableVersions } = (await import(lookUp)) as {
    fetchStableVersions(released: boolean, timeoutMs: number): Promise<string[]>;
  };
  return fetchStableVersions(true, lookUpMs).then(
    versions => versions.length > 0,
    () => false,
  );
}
