import * as assert from 'node:assert/strict';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { Emitter } from '../../src/base/events';
import type { TestApi } from '../../src/extension';
import type { WatchedResources } from '../../src/features/resources/core/watchedResources';
import { isUserSettings } from '../../src/features/settings/settingsFiles';
import type { ServerConnection, ServerState } from '../../src/host';
import type { HostModule } from '../../src/host/loadHost';
import { fixturePath, waitFor } from '../servers/spawn';

/** The extension as it runs in this window. */
export async function api(): Promise<TestApi> {
  const extension = vscode.extensions.getExtension<TestApi>('mcp-host.mcp-host');
  assert.ok(extension, 'the extension is not installed');
  return extension.activate();
}

/** The host bundle that ships. Loaded late, as it brings the SDK: see `activation.test.ts`. */
export function loadHost(): HostModule {
  const extension = vscode.extensions.getExtension('mcp-host.mcp-host');
  assert.ok(extension, 'the extension is not installed');
  return require(path.join(extension.extensionPath, 'dist', 'host.js')) as HostModule;
}

/** For a tree of resources of which none is watched. */
export const nothingWatched: WatchedResources = { has: () => false, onDidChange: new Emitter<void>().event };

/**
 * Writes `mcpHost.servers`; undefined removes it. The editor refuses while it has not read yet what a test wrote into the file
 * itself.
 */
export async function configure(
  servers: object | undefined,
  target = vscode.ConfigurationTarget.Global,
): Promise<void> {
  await setting('servers', servers, target);
}

/** Writes another setting of ours, as `configure` does. */
export async function setting(key: string, value: unknown, target = vscode.ConfigurationTarget.Global): Promise<void> {
  const written = async () => {
    try {
      await vscode.workspace.getConfiguration('mcpHost').update(key, value, target);
      return true;
    } catch (error) {
      if (/content of the file is newer/.test(String(error))) return false;
      throw error;
    }
  };
  await waitFor(written, { what: 'the editor to read its settings file' });
}

/** Settings entry of a fixture, run with Node as the demo is: Electron's or the one that runs this. */
export function fixture(
  name: string,
  ...args: string[]
): { command: string; args: string[]; env: Record<string, string> } {
  return run(fixturePath(name), ...args);
}

export function run(
  script: string,
  ...args: string[]
): { command: string; args: string[]; env: Record<string, string> } {
  return { command: process.execPath, args: [script, ...args], env: { ELECTRON_RUN_AS_NODE: '1' } };
}

/** What the rows of servers made by `run` have in their context: whether they are run by a Node of that name. */
export const CODE = /^node(\.exe)?$/i.test(path.basename(process.execPath)) ? '.code' : '';

/** Waits until a server is in a state; returns the server. */
export async function reaches(id: string, kind: ServerState['kind'], timeoutMs = 15_000): Promise<ServerConnection> {
  const { servers } = await api();
  const state = () => servers.get(id)?.state;
  await waitFor(() => state()?.kind === kind, {
    timeoutMs,
    what: () => `${id} to be ${kind}; it is ${JSON.stringify(state())}`,
  });
  return servers.get(id)!;
}

/** Allows a server to start, as a person does in its review, and waits until it is ready. */
export async function allow(id: string): Promise<ServerConnection> {
  const server = await reaches(id, 'needsTrust');
  const { consents } = (await api()).trust();
  const review = consents.review(server.definition);
  assert.ok(review, `${id} needs no approval`);
  await consents.allow(review);
  return reaches(id, 'ready');
}

/** Waits until a server is ready and none of its lists is loading. */
export async function loads(id: string): Promise<ServerConnection> {
  const server = await reaches(id, 'ready');
  const lists = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const;
  await waitFor(() => lists.every(kind => server.catalog.list(kind).status !== 'loading'), {
    what: `the lists of ${id}`,
  });
  return server;
}

/** Text of a server's log channel, once it matches. */
export async function logged(id: string, pattern: RegExp): Promise<string> {
  const { servers } = await api();
  await vscode.commands.executeCommand('mcpHost.showServerLog', { server: servers.get(id) });
  const text = () => vscode.workspace.textDocuments.find(isLogOf(id))?.getText() ?? '';
  await waitFor(() => pattern.test(text()), { what: () => `${pattern} in the log of ${id}, which has:\n${text()}` });
  return text();
}

/** Sets the level of a server's log channel as the gear of the output view does. */
export async function setLogLevel(id: string, level: vscode.LogLevel): Promise<void> {
  const { servers } = await api();
  await vscode.commands.executeCommand('mcpHost.showServerLog', { server: servers.get(id) });
  const shown = () => vscode.window.visibleTextEditors.some(({ document }) => isLogOf(id)(document));
  await waitFor(shown, { what: () => `the log of ${id} to be shown` });
  await vscode.commands.executeCommand(`workbench.action.output.activeOutputLogLevel.${level}`);
}

/** The editor leaves characters that no file name may have out of the channel's document; old ones the ending too. */
const isLogOf =
  (id: string) =>
  ({ uri }: vscode.TextDocument): boolean =>
    uri.scheme === 'output' &&
    decodeURIComponent(uri.path)
      .replace(/\.log$/, '')
      .endsWith(`.MCP ${id}`);

/** The settings file of the user, shown, once it has this in it. */
export async function userSettings(part: string): Promise<vscode.TextDocument> {
  await vscode.commands.executeCommand('workbench.action.openSettingsJson');
  const shown = () => {
    const { document } = vscode.window.activeTextEditor ?? {};
    return document && isUserSettings(document) && document.getText().includes(part) ? document : undefined;
  };
  return waitFor(shown, {
    what: () => `the user's settings; there are ${vscode.workspace.textDocuments.map(({ uri }) => uri)}`,
  });
}

/** Writes into the settings file of the user by hand, which is closed then. */
export async function writeInUserSettings(
  ...parts: readonly (readonly [before: string, text: string])[]
): Promise<void> {
  const document = await userSettings(parts[0]![0]);
  const isEdited = await vscode.window.activeTextEditor!.edit(change => {
    for (const [before, text] of parts) change.insert(document.positionAt(document.getText().indexOf(before)), text);
  });
  assert.ok(isEdited);
  // By the command: in a remote window `save` of the document does not find it.
  await vscode.commands.executeCommand('workbench.action.files.save');
  assert.ok(!document.isDirty);
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
}

/** Waits until the editor's watcher of files is there for all that was asked of it so far: before, it misses changes. */
export async function watches(folder: string): Promise<void> {
  const pattern = new vscode.RelativePattern(vscode.Uri.file(folder), '**/probe-*');
  const watcher = vscode.workspace.createFileSystemWatcher(pattern);
  let isThere = false;
  const listening = watcher.onDidCreate(() => {
    isThere = true;
  });
  try {
    let probes = 0;
    const isSeen = async () => {
      await vscode.workspace.fs.writeFile(vscode.Uri.file(path.join(folder, `probe-${probes++}`)), new Uint8Array());
      return isThere;
    };
    await waitFor(isSeen, { what: `the watcher of ${folder}` });
  } finally {
    listening.dispose();
    watcher.dispose();
  }
}
