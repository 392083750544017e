import { randomUUID } from 'node:crypto';
import type { CallToolResult } from '@modelcontextprotocol/client';

import vscode = require('vscode');

import { plain, visible } from '../../base/text';
import { t, window } from '../../editor/window';
import { appOf, type ServerConnection, type ServerId, type ServerSet } from '../../host';
import type { AppCall } from './appFrame';
import type { Apps } from './apps';

/** A call that a page of a tool shows, whose server may be gone. */
interface ShownCall extends Pick<AppCall, 'tool' | 'args'> {
  readonly server: { readonly id: ServerId };
  readonly result: CallToolResult;
}

/** Calls of answers in chat whose app can still be opened. */
const MAX_OFFERED = 50;

/** What becomes of the apps of calls that were made, as the setting `mcpHost.apps.open` says. Loads the rest with the first. */
export class CalledApps {
  readonly #offered = new Map<string, AppCall>();
  /** Tools of chats whose app has opened by itself. */
  readonly #opened = new Set<string>();

  constructor(
    private readonly servers: Pick<ServerSet, 'get'>,
    private readonly apps: () => Pick<Apps, 'open'>,
  ) {}

  /** The person ran a tool. Does nothing for one without an app. */
  async afterRun(call: AppCall): Promise<void> {
    if (appOf(call.tool) === undefined) return;
    const how = setting();
    if (how === 'beside') await this.apps().open(call);
    if (how !== 'ask') return;
    const open = t('Open App');
    const name = visible(call.tool.title ?? call.tool.name, 80);
    if ((await window.showInformationMessage(t('{0} has an app that shows its result.', name), open)) === open)
      await this.apps().open(call);
  }

  /** Whether a page of a tool offers the app of a result: also when the setting says that it opens by itself. */
  has({ server, tool }: ShownCall): boolean {
    return appOf(tool) !== undefined && setting() !== 'never' && this.servers.get(server.id) !== undefined;
  }

  /** The person wants the app of a result that a page of a tool shows. */
  openFor(call: ShownCall): void {
    this.#open(call, false);
  }

  /** The person ran a tool on its page, which keeps the focus. */
  afterPageRun(call: ShownCall): void {
    if (setting() === 'beside' && this.has(call)) this.#open(call, true);
  }

  #open({ server: { id }, tool, args, result }: ShownCall, preserveFocus: boolean): void {
    const server = this.servers.get(id);
    if (server) void this.apps().open({ server, tool, args, outcome: Promise.resolve(result) }, { preserveFocus });
  }

  /**
   * A model of `@mcp` has called a tool. The first app of each tool opens by itself.
   * @returns the button that opens it; undefined if there is none.
   */
  inChat(call: AppCall): vscode.Command | undefined {
    const how = setting();
    if (appOf(call.tool) === undefined || how === 'never') return undefined;
    const id = randomUUID();
    this.#offered.set(id, call);
    for (const old of [...this.#offered.keys()].slice(0, -MAX_OFFERED)) this.#offered.delete(old);
    const of = keyOf(call);
    if (how === 'beside' && !this.#opened.has(of)) {
      this.#opened.add(of);
      void this.apps().open(call, { preserveFocus: true });
    }
    const title = plain(t('Open App of {0}', visible(call.tool.title ?? call.tool.name, 60)));
    return { command: 'mcpHost.openApp', title, arguments: [id] };
  }

  /** Opens the app of a call that was made in a chat. */
  async open(id: unknown): Promise<void> {
    const call = this.#offered.get(String(id));
    if (call) await this.apps().open(call);
    else void window.showInformationMessage(t('The result of this call is no longer there. Run the tool again.'));
  }
}

const keyOf = ({ server, tool }: { server: Pick<ServerConnection, 'id'>; tool: { name: string } }) =>
  `${server.id}\n${tool.name}`;

function setting(): 'beside' | 'ask' | 'never' {
  const how: unknown = vscode.workspace.getConfiguration('mcpHost.apps').get('open');
  return how === 'ask' || how === 'never' ? how : 'beside';
}
