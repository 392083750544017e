import { existsSync } from 'node:fs';
import { mkdir, realpath, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import * as path from 'node:path';

import vscode = require('vscode');

import { readBounded } from '../../base/readBounded';
import { replaceFile } from '../../base/writeFiles';
import { rowText } from '../../editor/rowText';
import { type PlainRow, t, window } from '../../editor/window';
import { bridgeIn, defaultHome } from '../agents';
import { type AgentFile, agentFiles, type BridgeCommand, ENTRY, withBridge } from './core/agentFiles';

const SETTING = 'mcpHost.shareWithAgents';
const MAX_BYTES = 32 * 1024 * 1024;

/** Shows how a file would change. */
interface Documents {
  showDiff(title: string, before: string, now: string): Promise<void>;
}

type Row = PlainRow & { readonly file?: AgentFile; readonly share?: boolean };

/** Turns sharing on or off, or sets up an agent: writes its one entry, after a look at the difference. */
export async function shareServers(documents: Documents): Promise<void> {
  const settings = vscode.workspace.getConfiguration();
  const isOn = settings.get(SETTING) === true;
  const { isTrusted, workspaceFolders = [] } = vscode.workspace;
  const folders = isTrusted
    ? workspaceFolders.filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath)
    : [];
  const files = agentFiles({ platform: process.platform, home: homedir(), env: process.env, folders });
  const bridge = bridgeCommand();
  const rows = await Promise.all(files.map(file => rowOf(file, bridge)));
  const onOff: Row = isOn
    ? { label: t('Stop Sharing'), detail: t('Agents that use the servers now are disconnected.'), share: false }
    : { label: t('Share Only'), detail: t('Agents that have the entry already can use the servers.'), share: true };
  const title = t('Share Servers with Agents');
  const placeHolder = t('Select an agent to set up. You are asked before it can use any server.');
  const chosen = await window.showQuickPick<Row>([...rows, onOff], { title, placeHolder, matchOnDescription: true });
  if (chosen?.share !== undefined) await settings.update(SETTING, chosen.share, vscode.ConfigurationTarget.Global);
  else if (chosen?.file) await setUp(chosen.file, bridge, documents);
}

async function rowOf(file: AgentFile, bridge: BridgeCommand): Promise<Row> {
  const text = await read(file.path).catch(() => undefined);
  const isThere = text !== undefined && withBridge(text, file.format, bridge) === text;
  const detail = isThere
    ? t('Has the entry already')
    : file.inWorkspace
      ? t('Adds an entry that holds for this machine only')
      : t('Adds an entry');
  return { label: rowText(file.agent), description: rowText(file.path, 200), detail, file };
}

async function setUp(
  { agent, path: at, format, inWorkspace }: AgentFile,
  bridge: BridgeCommand,
  documents: Documents,
): Promise<void> {
  const before = await read(at);
  const now = withBridge(before ?? '', format, bridge);
  if (now === undefined) throw new Error(t('{0} is not in the expected format. Add the entry yourself.', at));
  const share = () => vscode.workspace.getConfiguration().update(SETTING, true, vscode.ConfigurationTarget.Global);
  if (now === before) {
    await share();
    void window.showInformationMessage(t('{0} has the entry already. The servers are shared.', agent));
    return;
  }
  await documents.showDiff(t('{0}: before ↔ proposed', at), before ?? '', now);
  const add = t('Add and Share');
  const question = t('Change {0} as shown, and share the servers of MCP Host with agents?', at);
  if ((await window.showInformationMessage(question, add)) !== add) return;
  if ((await read(at)) !== before) throw new Error(t('{0} has changed meanwhile. Nothing was written.', at));
  await mkdir(path.dirname(at), { recursive: true });
  // The person may have put their own files elsewhere, by a link. One of a repository leads to what is not its own.
  const place = inWorkspace ? at : await realpath(at).catch(() => at);
  await replaceFile(place, now);
  await share();
  const undo = t('Undo');
  const done = t('{0} finds the server "{1}" when it is started the next time.', agent, ENTRY);
  if ((await window.showInformationMessage(done, undo)) !== undo) return;
  if ((await read(at)) !== now) throw new Error(t('{0} has changed meanwhile. Nothing was written.', at));
  if (before === undefined) await rm(at);
  else await replaceFile(place, before);
}

async function read(at: string): Promise<string | undefined> {
  try {
    return await readBounded(at, MAX_BYTES);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** With the Node that agents find on the path; without one, with the editor's own. */
function bridgeCommand(): BridgeCommand {
  const args = [bridgeIn(defaultHome())];
  const names = process.platform === 'win32' ? ['node.exe', 'node.cmd'] : ['node'];
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter(Boolean);
  const hasNode = folders.some(folder => names.some(name => existsSync(path.join(folder, name))));
  return hasNode ? { command: 'node', args } : { command: process.execPath, args, env: { ELECTRON_RUN_AS_NODE: '1' } };
}
