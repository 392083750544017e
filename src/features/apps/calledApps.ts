import { randomUUID } from 'node:crypto';
import type { CallToolResult } from '@modelcontextprotocol/client';

import vscode = require('vscode');

import { plain, visible } from '../../base/text';
import { pageIn } from '../../base/userInterface';
import { settingValue } from '../../editor/settingValues';
import { t, window } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';
import { appOf } from '../../host/catalog';
import type { ServerId } from '../../host/definition';
import type { AppCall } from './appFrame';
import type { Apps } from './apps';
import type { AppPlace } from './core/appSession';

/** A call that a page of a tool shows, whose server may be gone. */
interface ShownCall extends Pick<AppCall, 'tool' | 'args'> {
  readonly server: { readonly id: ServerId };
  readonly result: CallToolResult;
}

/** Calls of answers in chat whose app can still be opened. */
const MAX_OFFERED = 50;

/** Opens the apps of calls according to the setting `mcpHost.apps.open`. Loads the rest with the first. */
export class CalledApps {
  readonly #offered = new Map<string, AppCall>();
  /** Tools of chats whose app was opened automatically. */
  readonly #opened = new Set<string>();

  constructor(
    private readonly servers: Pick<ServerSet, 'get'>,
    private readonly apps: () => Pick<Apps, 'open'>,
  ) {}

  /** Whether a tool's page offers the app of a result, even if the setting opens it automatically. */
  has({ server, tool, result }: Pick<ShownCall, 'server' | 'tool'> & { readonly result?: CallToolResult }): boolean {
    const hasPage = appOf(tool) !== undefined || (result !== undefined && pageIn(result) !== undefined);
    return hasPage && setting() !== 'never' && this.servers.get(server.id) !== undefined;
  }

  /** The person wants the app of a result that a page of a tool shows. */
  openFor({ server: { id }, tool, args, result }: ShownCall): void {
    const server = this.servers.get(id);
    const call = server && { server, tool, args, outcome: Promise.resolve(result) };
    if (call) void this.apps().open(call, { place: placeOf(setting()), isOwn: true });
  }

  /** The person runs a tool on its page, which keeps the focus. */
  onPageRun(call: AppCall): void {
    const open = (result?: CallToolResult) => {
      const how = setting();
      if ((how === 'beside' || how === 'view') && this.has({ ...call, ...(result && { result }) }))
        void this.apps().open(call, { place: placeOf(how), preserveFocus: true });
    };
    if (appOf(call.tool) !== undefined) open();
    else void call.outcome.then(open, () => {});
  }

  /**
   * Called when a model of `@mcp` calls a tool. The first app of each tool opens automatically; the view has that of the last
   * call.
   * @param result given once it is there, if the tool has no app of its own: the page may be in it.
   * @returns the button that opens it; undefined if there is none.
   */
  inChat(call: AppCall, result?: CallToolResult): vscode.Command | undefined {
    const how = setting();
    const hasPage = result ? pageIn(result) !== undefined : appOf(call.tool) !== undefined;
    if (!hasPage || how === 'never') return undefined;
    const id = randomUUID();
    this.#offered.set(id, call);
    for (const old of [...this.#offered.keys()].slice(0, -MAX_OFFERED)) this.#offered.delete(old);
    const of = keyOf(call);
    if (how === 'view' || (how === 'beside' && !this.#opened.has(of))) {
      this.#opened.add(of);
      void this.apps().open(call, { place: placeOf(how), preserveFocus: true });
    }
    const title = plain(t('Open App of {0}', visible(call.tool.title ?? call.tool.name, 60)));
    return { command: 'mcpHost.openApp', title, arguments: [id] };
  }

  /** Opens the app of a call that was made in a chat. */
  async open(id: unknown): Promise<void> {
    const call = this.#offered.get(String(id));
    if (call) await this.apps().open(call, { place: placeOf(setting()), isOwn: true });
    else void window.showInformationMessage(t('The result of this call is no longer there. Run the tool again.'));
  }
}

const keyOf = ({ server, tool }: { server: Pick<ServerConnection, 'id'>; tool: { name: string } }) =>
  `${server.id}\n${tool.name}`;

const SETTINGS = ['beside', 'view', 'ask', 'never'] as const;
type Setting = (typeof SETTINGS)[number];

function setting(): Setting {
  const how = settingValue('apps.open');
  return SETTINGS.find(one => one === how) ?? 'beside';
}

const placeOf = (how: Setting): AppPlace => (how === 'view' ? 'view' : 'tab');
