// A whole VS Code for one test: server, browser, workbench, the packaged product, and a bridge into the extension host.
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { Page } from 'playwright-core';
import { processIsAlive, waitFor } from '../servers/spawn';
import { leavePage, sharedBrowser, takePage, workbenchUrl } from '../setup/browser';
import { bugsIn, evidenceIsSaved, onFailedTest } from '../setup/evidence';
import { artifacts, inRepository, remove, temporaryFolder } from '../setup/paths';
import { atExit } from '../setup/processes';
import { leaveServer, type ServerOptions, takeServer, type VSCodeServer } from '../setup/server';
import { type Settings, steady } from '../setup/settings';
import { openingWindow } from '../setup/spent';
import { productVsix } from '../setup/vsix';
import { copyWorkspace, sampleWorkspace } from '../setup/workspaces';
import { Bridge } from './bridge';
import { allowServers } from './consent';
import { keysInFront, noticeSoon } from './dom';
import { WorkbenchPage } from './page';

export const bridgeExtension = inRepository('test/extensions/bridge');
export const demoModelExtension = inRepository('test/extensions/demo-model');

/** Whether somebody will look at them: see `test.ts`. */
export const takesPictures = () => process.env.TEST_PICTURES !== '0';

export interface WorkbenchOptions {
  /** A folder of test/workspaces/, copied for this window. Default: `sample`, wired to the demo server. */
  workspace?: string;
  /** Changes the copied workspace before it is opened. */
  prepare?: (folder: string) => void;
  settings?: Settings;
  /** Leaves the servers of the sample workspace waiting for consent; else they are allowed, as a person would. */
  leaveConsent?: boolean;
  env?: NodeJS.ProcessEnv;
  /** The Node that runs the extension host. */
  node?: string;
  /** What the organization's file on this machine says; only on Linux with bubblewrap. */
  managed?: object;
  /** Leaves out the demo model: chat has no language model. */
  noModel?: boolean;
  /** Folders of further extensions; the bridge and the demo model are there. */
  unpacked?: string[];
  proposedApi?: string[];
  /** With the editor's own debugger for Node. */
  debugs?: boolean;
  /** See `ServerOptions`. */
  agentHost?: boolean;
  viewport?: { width: number; height: number };
  /** Changes the page before the workbench is loaded in it. */
  early?: (page: Page) => Promise<unknown>;
}

export interface Workbench {
  /** The workbench as a person drives it. */
  readonly wb: WorkbenchPage;
  /** Playwright's page, for what the driver does not cover. */
  readonly page: Page;
  /** The extension host. Another one after `reload`. */
  readonly host: Bridge;
  /** The copied workspace. */
  readonly folder: string;
  readonly server: VSCodeServer;
  /** Saves `artifacts/<layer>/<name>.png`, unless `TEST_PICTURES` is 0. */
  picture(name: string): Promise<void>;
  /** Saves `artifacts/<layer>/<name>.png` and every log beside it, of what went wrong. */
  save(name: string): Promise<void>;
  /** Reloads the window and waits for the new extension host. */
  reload(): Promise<void>;
  /** Kills the extension host, and waits for the one that the editor starts in its place. */
  killHost(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Resolves when the workbench is drawn and the extension host runs. Close it, also when the test fails.
 * @param begin what comes first in the window: when that fails, it is closed.
 */
export async function openWorkbench(
  { workspace, ...options }: WorkbenchOptions = {},
  begin?: (w: Workbench) => Promise<void>,
): Promise<Workbench> {
  const window = new Window(workspace);
  try {
    await openingWindow(() => window.open(options));
    await begin?.(window);
    return window;
  } catch (error) {
    await window.save('window-that-did-not-open').catch(() => undefined);
    await window.close();
    throw error;
  }
}

/** Opens a window with the chat view and the scripted model, once this many servers are ready: it offers their tools. */
export const openChat = (ready: number, options?: WorkbenchOptions): Promise<Workbench> =>
  openWorkbench({ viewport: { width: 1500, height: 950 }, ...options }, async w => {
    await w.page.locator(`[id="mcp-host.mcp-host.mcpHost.status"][aria-label*=": ${ready} ready, 0 failed"]`).waitFor();
    await w.host.command('workbench.action.chat.open');
    await w.wb.chat.pickModel('Demo Model');
  });

class Window implements Workbench {
  wb!: WorkbenchPage;
  page!: Page;
  host!: Bridge;
  server!: VSCodeServer;
  readonly folder: string;

  private readonly temporary = temporaryFolder();
  private serverOptions: ServerOptions = {};
  /** The process of the extension host. */
  private hostPid?: number;
  /** Whether something went wrong with it. */
  private isSaved = false;
  private readonly endEvidence = onFailedTest(name => this.save(name));
  private readonly cancelRemove = atExit(() => remove(this.temporary));

  constructor(private readonly workspace = 'sample') {
    this.folder = path.join(this.temporary, workspace);
  }

  /** @param options what is left of them is the server's: windows with the same share one. */
  async open({
    prepare,
    viewport,
    leaveConsent,
    noModel,
    early,
    unpacked = [],
    ...options
  }: Omit<WorkbenchOptions, 'workspace'>): Promise<void> {
    const { workspace, folder } = this;
    const opened = workspace === 'sample' ? sampleWorkspace(folder) : copyWorkspace(workspace, folder);
    prepare?.(folder);
    this.serverOptions = {
      ...options,
      settings: { ...steady, ...options.settings },
      vsix: [await productVsix()],
      unpacked: [bridgeExtension, ...(noModel ? [] : [demoModelExtension]), ...unpacked],
    };
    const [server, browser] = await Promise.allSettled([takeServer(this.serverOptions), sharedBrowser()]);
    if (server.status === 'fulfilled') this.server = server.value;
    for (const start of [server, browser]) if (start.status === 'rejected') throw start.reason;
    this.page = await takePage(this.server, viewport ?? { width: 1400, height: 900 });
    noticeSoon(this.page);
    keysInFront(this.page);
    await early?.(this.page);
    this.wb = new WorkbenchPage(this.page, () => this.host);
    await this.page.goto(workbenchUrl(this.server, opened), { waitUntil: 'commit' });
    await this.connected();
    await this.host.eval(vscode => vscode.env.clipboard.writeText('')); // the window before may have left something there
    if (workspace === 'sample' && !leaveConsent) await allowServers(this);
  }

  async reload(): Promise<void> {
    fs.rmSync(this.server.bridge, { force: true });
    // By the editor's own command: reloading the page would cut off what the window saves when it closes.
    const loaded = this.page.waitForEvent('load');
    this.host.command('workbench.action.reloadWindow').catch(() => undefined); // the extension host ends meanwhile
    await loaded;
    this.host.close();
    await this.connected();
  }

  async killHost(): Promise<void> {
    fs.rmSync(this.server.bridge, { force: true });
    if (this.hostPid) process.kill(this.hostPid, 'SIGKILL');
    this.host.close();
    await this.connected();
  }

  async picture(name: string): Promise<void> {
    await this.page.mouse.move(2, 2); // no hover in the picture
    if (!takesPictures()) return;
    // VS Code says this for up to 5 s after each activation event, whether anything is activated or not. Not by a style
    // sheet of Playwright's, which goes into every frame and is a complaint there.
    await this.setOpacity('.statusbar-item:has([aria-label^="Activating Extensions"])', '0');
    await this.page.screenshot({ path: path.join(artifacts(), `${name}.png`) });
    await this.setOpacity('.statusbar-item', '');
  }

  private async setOpacity(selector: string, opacity: string): Promise<void> {
    await this.page.locator(selector).evaluateAll((items, value) => {
      for (const item of items as unknown as { style: { opacity: string } }[]) item.style.opacity = value;
    }, opacity);
  }

  async save(name: string): Promise<void> {
    this.isSaved = true;
    if (this.page) {
      await this.page.screenshot({ path: path.join(artifacts(), `${name}.png`) });
      // For whoever has only the output: what the trees, notifications and dialogs said.
      console.log(`--- ${name}\n${await this.wb.shown()}\n---`);
    }
    if (this.server) fs.cpSync(this.server.logsDir, path.join(artifacts(), `${name}.logs`), { recursive: true });
  }

  async close(): Promise<void> {
    await evidenceIsSaved();
    this.endEvidence();
    this.host?.close();
    if (this.page) await leavePage(this.page, { keep: !this.isSaved });
    const bugs = this.server ? bugsIn(this.server.logsDir) : [];
    if (this.server) await this.leave(this.server, bugs.length > 0);
    this.cancelRemove();
    remove(this.temporary);
    if (bugs.length > 0) throw new Error(bugs.join('\n'));
  }

  /** The server would keep the extension host for a window that has lost its connection only. */
  private async leave(server: VSCodeServer, isLast: boolean): Promise<void> {
    const { hostPid } = this;
    if (!hostPid || isLast) return server.stop();
    try {
      process.kill(hostPid, 'SIGKILL');
    } catch {
      // It has ended with its window.
    }
    await waitFor(() => !processIsAlive(hostPid), { what: 'the extension host to end' });
    await leaveServer(server, this.serverOptions);
  }

  private async connected(): Promise<void> {
    this.hostPid = undefined;
    this.host = await Bridge.connect(this.server.bridge);
    this.hostPid = await this.host.eval(() => process.pid);
    await this.wb.ready();
  }
}
