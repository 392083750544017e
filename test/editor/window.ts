import * as assert from 'node:assert/strict';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { Emitter } from '../../src/base/events';
import type { TestApi } from '../../src/extension';
import type { WatchList } from '../../src/features/resources/watchList';
import { isUserSettings } from '../../src/features/settings/settingsFiles';
import type { OpenRequests, ServerConnection, ServerState } from '../../src/host';
import { fixturePath, untilHolds, waitFor } from '../servers/spawn';
import { allowedBy } from '../setup/raw';

/** When servers were configured, in milliseconds since 1970. */
const configuredAt = new WeakMap<ServerConnection, number>();
let isFollowed = false;

/** The address of a resource, as the extension gives it. It has to be active. */
export const resourceUri: TestApi['resourceUri'] = (...resource) =>
  vscode.extensions.getExtension<TestApi>('mcp-host.mcp-host')!.exports.resourceUri(...resource);

/** The extension as it runs in this window. */
export async function api(): Promise<TestApi> {
  const extension = vscode.extensions.getExtension<TestApi>('mcp-host.mcp-host');
  assert.ok(extension, 'the extension is not installed');
  const found = await extension.activate();
  if (!isFollowed) {
    isFollowed = true;
    const { servers } = found;
    let at = 0;
    const note = () => {
      for (const server of servers.all) if (!configuredAt.has(server)) configuredAt.set(server, at);
    };
    note();
    // That is before the new ones have said anything.
    servers.onDidResolve(() => {
      at = Date.now();
    });
    servers.onDidChange(change => {
      if (!change) note();
    });
  }
  return found;
}

/** Asserts until it holds. Rejects with the last failure. */
export const eventually = (assertion: () => unknown): Promise<void> => untilHolds(assertion);

/** The requests to a server of this window without the policy, and in the form in which features get theirs. */
export const raw: OpenRequests = server =>
  vscode.extensions.getExtension<TestApi>('mcp-host.mcp-host')!.exports.requests(server);
export const unasked = allowedBy(raw);

/** For a tree of resources of which none is watched. */
export const nothingWatched: Pick<WatchList, 'has' | 'onDidChange'> = {
  has: () => false,
  onDidChange: new Emitter<void>().event,
};

/** Writes `mcpHost.servers`; undefined removes it. Resolves when the servers are in line with it, as `setting` does. */
export async function configure(
  servers: object | undefined,
  target = vscode.ConfigurationTarget.Global,
): Promise<void> {
  await setting('servers', servers, target);
}

/**
 * Writes a setting of ours. The editor refuses while it has not read yet what a test wrote into the file itself. Changes are taken
 * up together, a moment later: before that, the servers are those of the settings before.
 */
export async function setting(key: string, value: unknown, target = vscode.ConfigurationTarget.Global): Promise<void> {
  const { servers } = await api();
  let isTakenUp = true;
  const listeners = [
    vscode.workspace.onDidChangeConfiguration(event => {
      if (event.affectsConfiguration('mcpHost')) isTakenUp = false;
    }),
    servers.onDidChange(change => {
      if (!change) isTakenUp = true;
    }),
  ];
  const written = async () => {
    try {
      await vscode.workspace.getConfiguration('mcpHost').update(key, value, target);
      return {};
    } catch (error) {
      if (/file has unsaved changes/.test(String(error))) await revertSettings();
      else if (!/content of the file is newer/.test(String(error))) return { error };
      return undefined;
    }
  };
  try {
    const { error } = await waitFor<{ error?: unknown } | undefined>(written, {
      what: 'the editor to read its settings file',
    });
    if (error) throw error;
    await waitFor(() => isTakenUp, { what: `the servers to be in line with ${key}` });
  } finally {
    for (const listener of listeners) listener.dispose();
  }
}

/** What the editor refused to write stays in its copy of the file, and it would refuse whatever comes next. */
async function revertSettings(): Promise<void> {
  for (const document of vscode.workspace.textDocuments) {
    if (!document.isDirty || !document.uri.path.endsWith('/settings.json')) continue;
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  }
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

/** States that may be over before anybody looks. */
type Passing = 'starting' | 'reconnecting';

/** Waits until a server is in a state; returns the server. */
export async function reaches(id: string, kind: Exclude<ServerState['kind'], Passing>): Promise<ServerConnection> {
  const { servers } = await api();
  const state = () => servers.get(id)?.state;
  await waitFor(() => state()?.kind === kind, {
    what: () => `${id} to be ${kind}; it is ${JSON.stringify(state())}`,
  });
  return servers.get(id)!;
}

/** Does something, and looks in the very moment in which a server comes to a state that does not last. */
export async function passes<T>(
  id: string,
  kind: Passing,
  { when, look }: { when: () => unknown; look: (server: ServerConnection) => T | Promise<T> },
): Promise<T> {
  const { servers } = await api();
  let seen: { value: T | Promise<T> } | undefined;
  const listening = servers.onDidChange(change => {
    if (change?.what !== 'state' || change.server.id !== id || change.server.state.kind !== kind) return;
    seen ??= { value: look(change.server) };
  });
  try {
    await when();
    return await (await waitFor(() => seen, { what: `${id} to be ${kind}` })).value;
  } finally {
    listening.dispose();
  }
}

/** Allows a server to start, as a person does in its review, and waits until it is ready. */
export async function allow(id: string): Promise<ServerConnection> {
  await consent(id);
  return reaches(id, 'ready');
}

/** Only that: what it does then may be over at once. */
export async function consent(id: string): Promise<void> {
  const server = await reaches(id, 'needsTrust');
  const { consents } = (await api()).trust();
  const review = consents.review(server.definition);
  assert.ok(review, `${id} needs no approval`);
  await consents.allow(review);
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

/** The row of a server in the Servers view, and its tooltip as it is when shown. */
export async function rowOf(id: string): Promise<{ item: vscode.TreeItem; tooltip: () => string }> {
  const { tree } = await api();
  const node = tree.getChildren().find(({ server }) => server.id === id);
  assert.ok(node, `${id} has no row`);
  const item = tree.getTreeItem(node);
  const tooltip = () => {
    const { value } = tree.resolveTreeItem(item, node).tooltip as vscode.MarkdownString;
    return value.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
  };
  return { item, tooltip };
}

/**
 * Text of a server's log channel, once it matches. Of earlier servers of this name, whose lines its file still has, there is
 * nothing. The editor shows lines after they are written: what is to be counted has to come before the end of the match.
 */
export async function logged(id: string, pattern: RegExp): Promise<string> {
  const { servers } = await api();
  await vscode.commands.executeCommand('mcpHost.showServerLog', { server: servers.get(id) });
  const text = () => {
    const server = servers.get(id);
    const since = (server && configuredAt.get(server)) ?? 0;
    return linesSince(since, vscode.workspace.textDocuments.find(isLogOf(id))?.getText() ?? '');
  };
  let found = '';
  const isLogged = () => {
    found = text();
    return pattern.test(found);
  };
  await waitFor(isLogged, { what: () => `${pattern} in the log of ${id}, which has:\n${text()}` });
  return found;
}

/** A log from the first line on that was written at this time or later. */
function linesSince(since: number, log: string): string {
  const lines = log.split('\n');
  const first = lines.findIndex(line => {
    const [, day, time] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d{3}) /.exec(line) ?? [];
    return day !== undefined && Date.parse(`${day}T${time}`) >= since;
  });
  return first < 0 ? '' : lines.slice(first).join('\n');
}

/** What we have against a file at the moment: it follows settings and servers. */
export const problemsIn = (file: vscode.Uri): vscode.Diagnostic[] =>
  vscode.languages.getDiagnostics(file).filter(({ source }) => source === 'MCP Host');

/**
 * The quick fixes at a place. The editor forgets the commands of its answer a tenth of a second later, which on a busy machine
 * is before the answer arrives: there is no answer then, and the question is to be asked again.
 */
export async function quickFixesAt(file: vscode.Uri, range: vscode.Range): Promise<vscode.CodeAction[] | undefined> {
  const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
    'vscode.executeCodeActionProvider',
    file,
    range,
    vscode.CodeActionKind.QuickFix.value,
  );
  return actions.every(({ edit, command }) => edit ?? command) ? actions : undefined;
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
  await waitFor(() => !document.isDirty, { what: 'the settings to be saved' });
  await closeEditors();
}

/** Resolves when no editor is open, also none that came while the others were closed. */
export async function closeEditors(): Promise<void> {
  const tabs = () => vscode.window.tabGroups.all.flatMap(group => group.tabs);
  const areClosed = async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    return tabs().length === 0;
  };
  await waitFor(areClosed, { what: () => `all editors to be closed: ${tabs().map(({ label }) => label)}` });
}

/**
 * Waits until the editor's watcher of files is there for all that was asked of it so far: before, it misses changes. What it looks
 * at for that is removed again.
 */
export async function watches(folder: string): Promise<void> {
  const pattern = new vscode.RelativePattern(vscode.Uri.file(folder), '**/probe-*');
  const watcher = vscode.workspace.createFileSystemWatcher(pattern);
  let isThere = false;
  const listening = watcher.onDidCreate(() => {
    isThere = true;
  });
  const probes: vscode.Uri[] = [];
  try {
    const isSeen = async () => {
      const probe = vscode.Uri.file(path.join(folder, `probe-${probes.length}`));
      probes.push(probe);
      await vscode.workspace.fs.writeFile(probe, new Uint8Array());
      return isThere;
    };
    await waitFor(isSeen, { what: `the watcher of ${folder}` });
  } finally {
    listening.dispose();
    watcher.dispose();
    for (const probe of probes) await vscode.workspace.fs.delete(probe);
  }
}
