// The headless browser, and the address of the workbench in it.
import type { Browser, BrowserContext, Page, ViewportSize } from 'playwright-core';
import { chromium as playwright } from 'playwright-core';
import { defaultTimeoutMs } from '../drivers/dom';
import { chromium } from './chromium';
import type { VSCodeServer } from './server';

/**
 * What the browser does not do. It takes one list only, so this one repeats Playwright's own (`chromiumSwitches.ts`), and adds to it:
 * a script that is read as it comes is parsed in each window, although the process has it compiled already.
 */
const withoutFeatures = [
  'ScriptStreaming',
  'AimEnabled AvoidCorsURLLoaderRestartOnRedirect AvoidUnnecessaryBeforeUnloadCheckSync DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable HttpsUpgrades LensOverlay MediaRouter NetworkTimeServiceQuerying OptimizationHints',
  'PaintHolding PreconnectToSearch TcpPortRandomizationWin ThirdPartyStoragePartitioning',
].flatMap(names => names.split(' '));

/** Without what the tests have no use for; it can reach this machine only. */
export const frugal = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-dev-shm-usage'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync', '--process-per-site'],
  `--disable-features=${withoutFeatures}`,
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE [::1], EXCLUDE ::1, EXCLUDE localhost',
];

/** Chromium without a window. */
async function launchBrowser(): Promise<Browser> {
  return playwright.launch({
    ...(await chromium()),
    headless: true,
    timeout: 120_000, // a busy machine is no reason to fail
    // Signals are dealt with in one place (processes.ts); Playwright's own exit hook still ends the browser.
    handleSIGHUP: false,
    handleSIGINT: false,
    handleSIGTERM: false,
    args: frugal,
  });
}

const shared: { launched?: Promise<Browser> | undefined; idle?: Profile | undefined } = {};
const profiles = new WeakMap<Page, Profile>();

/** One browser for all windows of this process, each with a context of its own. A crashed one is replaced. */
export function sharedBrowser(): Promise<Browser> {
  const before = shared.launched ?? launchBrowser();
  shared.launched = before.then(running => (running.isConnected() ? running : launchBrowser()), launchBrowser);
  return shared.launched;
}

/** A profile for windows that come one after the other. */
interface Profile {
  context: BrowserContext;
  /**
   * A page that keeps the process of the workbench alive between two windows, with what has been compiled there: a third of
   * what a window costs.
   */
  anchor: Page;
}

/**
 * An empty page for the workbench of a server, in a profile that has nothing of the windows before: no storage, no cookies, no
 * worker.
 */
export async function takePage({ authority }: VSCodeServer, viewport: ViewportSize): Promise<Page> {
  const browser = await sharedBrowser();
  const { idle } = shared;
  shared.idle = undefined;
  const isThere = idle?.context.browser() === browser && !idle.anchor.isClosed();
  const profile = idle && isThere ? idle : await newProfile(browser, authority);
  const { context, anchor } = profile;
  await context.clearCookies();
  const session = await context.newCDPSession(anchor);
  await session.send('Storage.clearDataForOrigin', { origin: `http://${authority}`, storageTypes: 'all' });
  await session.detach();
  const page = await context.newPage();
  profiles.set(page, profile);
  await page.setViewportSize(viewport);
  return page;
}

async function newProfile(browser: Browser, authority: string): Promise<Profile> {
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  context.setDefaultTimeout(defaultTimeoutMs);
  const anchor = await context.newPage();
  anchor.once('crash', () => void anchor.close().catch(() => undefined)); // with the workbench, whose process it shares
  await anchor.goto(`http://${authority}/version`);
  return { context, anchor };
}

/**
 * Closes the page of a window, with those that it has opened. The profile waits for the next window.
 * @param keep false after a failure: the next window gets another profile, and with it another process.
 */
export async function leavePage(page: Page, { keep }: { keep: boolean }): Promise<void> {
  const profile = profiles.get(page);
  const context = page.context();
  try {
    if (!keep || shared.idle || !profile || profile.anchor.isClosed()) return await context.close();
    await Promise.all(context.pages().map(each => each !== profile.anchor && each.close()));
    shared.idle = profile;
  } catch {
    await context.close().catch(() => undefined); // the browser may have crashed
  }
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
