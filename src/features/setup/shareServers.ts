import { existsSync } from 'node:fs';
import { mkdir, realpath, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import * as path from 'node:path';
import { readBytes, replaceFile } from '../../base/files';
import { rowText } from '../../base/text';
import { localized } from '../../editor/errorText';
import { settingValue } from '../../editor/settingValues';
import { type Mementos, ScopedStorage } from '../../editor/storage';
import { joined, type PlainRow, say, t, window } from '../../editor/window';
import { KeptRecords } from '../../host/definition';
import { bridgeIn, defaultHome } from '../agents';
import {
  type AgentFile,
  agentFiles,
  agentRefusals,
  type BridgeCommand,
  ENTRY,
  hasBridge,
  insertedBetween,
  trustFileOf,
  type WrittenEntry,
  withBridge,
  withoutBridge,
} from './core/agentFiles';

import vscode = require('vscode');

const SETTING = 'mcpHost.shareWithAgents';
const MAX_BYTES = 32 * 1024 * 1024;

interface Documents {
  showDiff(title: string, before: string, now: string): Promise<void>;
}

interface ShareOptions {
  readonly documents: Documents;
  readonly storage: Mementos;
  readonly mayShare: () => boolean;
}

type Row = PlainRow & { readonly file?: AgentFile; readonly has?: boolean; readonly share?: boolean };

/** Turns sharing on or off, or sets up an agent: writes its one entry or takes it out, after a look at the difference. */
export async function shareServers({ documents, storage, mayShare }: ShareOptions): Promise<void> {
  if (!mayShare()) throw new Error(t('Your organization does not let servers be shared with agents.'));
  const settings = vscode.workspace.getConfiguration();
  const isOn = settingValue('shareWithAgents') === true;
  const files = agentFiles({
    platform: process.platform,
    home: homedir(),
    env: process.env,
    folders: trustedFolders(),
  });
  const rows = await Promise.all(files.map(rowOf));
  const onOff: Row = isOn
    ? { label: t('Stop Sharing'), detail: t('Agents that use the servers now are disconnected.'), share: false }
    : { label: t('Share Only'), detail: t('Agents that have the entry already can use the servers.'), share: true };
  const title = t('Share Servers with Agents');
  const placeHolder = t('Select an agent to set up. You are asked before it can use any server.');
  const chosen = await window.showQuickPick<Row>([...rows, onOff], { title, placeHolder, matchOnDescription: true });
  if (chosen?.share !== undefined) await settings.update(SETTING, chosen.share, vscode.ConfigurationTarget.Global);
  const agent = chosen?.file && new AgentSetup(chosen.file, documents, writtenEntries(storage));
  if (agent) await (chosen.has ? agent.manage() : agent.add());
}

function trustedFolders(): string[] {
  const { isTrusted, workspaceFolders = [] } = vscode.workspace;
  return isTrusted ? workspaceFolders.filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath) : [];
}

async function rowOf(file: AgentFile): Promise<Row> {
  const text = await read(file.path).catch(() => undefined);
  const has = text !== undefined && hasBridge(text, file.format);
  const adds = file.inWorkspace ? t('Adds an entry that holds for this machine only') : t('Adds an entry');
  const detail = has ? t('Has the entry already. Select it to remove the entry.') : adds;
  return { label: rowText(file.agent), description: rowText(file.path, 200), detail, file, has };
}

class AgentSetup {
  constructor(
    private readonly file: AgentFile,
    private readonly documents: Documents,
    private readonly written: KeptRecords<WrittenEntry>,
  ) {}

  /** For an agent that has the entry. */
  async manage(): Promise<void> {
    const { agent, path: at } = this.file;
    const share: PlainRow = {
      label: t('Share the Servers'),
      detail: t('Turns sharing on, and leaves the file as it is.'),
    };
    const remove: PlainRow = {
      label: t('Remove Entry'),
      detail: t('Takes out of {0} what was added, and leaves everything else as it is.', at),
    };
    const isOn = settingValue('shareWithAgents') === true;
    const title = t('{0} has the entry already', agent);
    const chosen = await window.showQuickPick(isOn ? [remove] : [share, remove], { title });
    if (chosen === share) {
      await turnOn();
      void window.showInformationMessage(joined([t('{0} can use the servers.', agent), ...(await this.#refusals())]));
    }
    if (chosen === remove) await this.remove();
  }

  async add(): Promise<void> {
    const { agent, path: at, format, inWorkspace } = this.file;
    const before = await read(at);
    const now = withBridge(before ?? '', format, bridgeCommand());
    if (now === undefined) throw new Error(t('{0} is not in the expected format. Add the entry yourself.', at));
    await this.documents.showDiff(t('{0}: before ↔ proposed', at), before ?? '', now);
    const add = t('Add and Share');
    const question = t('Change {0} as shown, and share the servers of MCP Host with agents?', at);
    if ((await window.showInformationMessage(question, add)) !== add) return;
    await this.#assertStill(before);
    if (!inWorkspace) await mkdir(path.dirname(at), { recursive: true });
    await replaceFile(await this.#place(), now);
    await this.written.set('user', at, { inserted: insertedBetween(before ?? '', now), isNew: before === undefined });
    await turnOn();
    const remove = t('Remove Entry');
    const done = t('{0} finds the server "{1}" when it is started the next time.', agent, ENTRY);
    const message = joined([done, ...(await this.#refusals())]);
    if ((await window.showInformationMessage(message, remove)) === remove) await this.#takeOut();
  }

  async remove(): Promise<void> {
    const { path: at, format } = this.file;
    const before = await read(at);
    const now = withoutBridge(before ?? '', format, this.written.get('user', at));
    if (before === undefined || now === undefined) return this.#tellOfNone();
    await this.documents.showDiff(t('{0}: before ↔ proposed', at), before, now ?? '');
    const remove = t('Remove Entry');
    const question =
      now === null
        ? t('Delete {0}? It was created for the entry, and holds nothing else.', at)
        : t('Change {0} as shown?', at);
    if ((await window.showInformationMessage(question, remove)) !== remove) return;
    await this.#assertStill(before);
    await this.#takeOut();
  }

  async #takeOut(): Promise<void> {
    const { agent, path: at, format } = this.file;
    const now = withoutBridge((await read(at)) ?? '', format, this.written.get('user', at));
    if (now === undefined) return this.#tellOfNone();
    const place = await this.#place();
    if (now === null) await rm(place);
    else await replaceFile(place, now);
    await this.written.set('user', at, undefined);
    void window.showInformationMessage(
      t('The entry was removed. {0} no longer finds the server when it is started the next time.', agent),
    );
  }

  async #tellOfNone(): Promise<void> {
    const { path: at } = this.file;
    await this.written.set('user', at, undefined);
    void window.showInformationMessage(t('{0} no longer has the entry.', at));
  }

  async #assertStill(before: string | undefined): Promise<void> {
    const { path: at } = this.file;
    if ((await read(at)) !== before) throw new Error(t('{0} has changed meanwhile. Nothing was written.', at));
  }

  /** The person may have put their own files elsewhere, by a link. One of a repository leads to what is not its own. */
  async #place(): Promise<string> {
    const { path: at, inWorkspace } = this.file;
    return inWorkspace ? at : realpath(at).catch(() => at);
  }

  /** Why the agent will not start the server although the entry is there. */
  async #refusals() {
    const trustFile = trustFileOf(this.file);
    const [text = '', trust] = await Promise.all(
      [this.file.path, trustFile].map(one => (one === undefined ? undefined : read(one).catch(() => undefined))),
    );
    const refusals = agentRefusals({ file: this.file, text, trust, folders: trustedFolders() });
    return refusals.map(refusal => say`${localized(refusal)}`);
  }
}

const turnOn = () => vscode.workspace.getConfiguration().update(SETTING, true, vscode.ConfigurationTarget.Global);

/** A file in another encoding would be another one when it is written. */
async function read(at: string): Promise<string | undefined> {
  try {
    const bytes = await readBytes(at, MAX_BYTES);
    const text = bytes.toString('utf8');
    if (!Buffer.from(text, 'utf8').equals(bytes))
      throw new Error(t('{0} is not in UTF-8. Add the entry yourself.', at));
    return text;
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

/** What was written into the files of agents, by path: nothing but our own insertion. */
const writtenEntries = (storage: ShareOptions['storage']) =>
  new KeptRecords(new ScopedStorage(storage, 'mcpHost.agentEntries'), (stored): WrittenEntry | undefined => {
    const { inserted, isNew } = Object(stored) as Partial<WrittenEntry>;
    return typeof inserted === 'string' ? { inserted, isNew: isNew === true } : undefined;
  });
