// The headless browser, and the address of the workbench in it.
import type { Browser } from 'playwright-core';
import { chromium as playwright } from 'playwright-core';
import { chromium } from './chromium';
import { processWide } from './processWide';
import type { VSCodeServer } from './server';

/** Chromium without a window, which can reach this machine only. */
export async function launchBrowser(): Promise<Browser> {
  return playwright.launch({
    ...(await chromium()),
    headless: true,
    // Signals are dealt with in one place (processes.ts); Playwright's own exit hook still ends the browser.
    handleSIGHUP: false,
    handleSIGINT: false,
    handleSIGTERM: false,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-dev-shm-usage'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE [::1], EXCLUDE ::1, EXCLUDE localhost',
    ],
  });
}

const shared = processWide('browser', () => ({ launched: undefined as Promise<Browser> | undefined }));

/** One browser for all windows of this process, each with a context of its own. A crashed one is replaced. */
export function sharedBrowser(): Promise<Browser> {
  const before = shared.launched ?? launchBrowser();
  shared.launched = before.then(running => (running.isConnected() ? running : launchBrowser()), launchBrowser);
  return shared.launched;
}

/** After the last window: the browser would keep this process alive. */
export async function closeSharedBrowser(): Promise<void> {
  const running = await shared.launched?.catch(() => undefined);
  await running?.close().catch(() => undefined);
}

/**
 * The address that opens a folder, or a `.code-workspace` file, in the server's workbench.
 * @param payload pairs of options for the workbench; a key counts once.
 */
export function workbenchUrl({ authority }: VSCodeServer, workspace: string, payload: [string, string][] = []): string {
  const query = new URLSearchParams({
    [workspace.endsWith('.code-workspace') ? 'workspace' : 'folder']: workspace,
    payload: JSON.stringify([['skipWelcome', 'true'], ...payload]),
  });
  return `http://${authority}/?${query}`;
}

/** A file of this machine as the workbench of the server names it. */
export const remoteUri = ({ authority }: VSCodeServer, file: string) =>
  `vscode-remote://${authority}${encodeURI(file)}`;
