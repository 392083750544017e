import { Owner } from '../../base/events';
import { plain, visible } from '../../base/text';
import { tabIcon, WebviewPage } from '../../editor/webviewPage';
import { t, window } from '../../editor/window';
import type { TraceRow } from './core/traceRows';
import { MAX_MARKS, MAX_REMARK, type Mark, type TraceSource } from './core/traceSource';
import { TraceFeed } from './traceFeed';
import { readableJson } from './traceFiles';
import {
  type FromTracePage,
  fromTracePage,
  type MessageAction,
  type ToTracePage,
  type ViewBody,
} from './traceMessages';

import { viewTexts } from './traceTexts';

import vscode = require('vscode');

/** How much of a message is shown next to the table, in characters. */
const MAX_PREVIEW = 40_000;

export interface PanelActions {
  /** The actions on a message besides opening and copying it. */
  of(row: TraceRow): readonly MessageAction[];
  act(action: MessageAction, row: TraceRow): Promise<void>;
  open(row: TraceRow, text: string): Promise<void>;
  copy(text: string): Promise<void>;
  export(): Promise<void>;
}

interface PanelOptions {
  readonly extensionUri: vscode.Uri;
  readonly source: TraceSource;
  readonly actions: PanelActions;
  readonly title: string;
  readonly isFile: boolean;
  /** Shown below the table. */
  readonly note?: string;
}

/** A tab with the table of messages. Its page has no data of its own: it is sent rows, and asks for bodies. */
export class TracePanel extends Owner {
  readonly #panel: vscode.WebviewPanel;
  readonly #page: WebviewPage<ToTracePage, FromTracePage>;
  readonly #feed: TraceFeed;
  readonly onDidDispose: vscode.Event<void>;
  /** The server whose messages it should show once it listens. */
  #server: string | undefined;
  #awaited: ((row: TraceRow) => boolean) | undefined;
  #reveal: number | undefined;
  /** The recording state that the page was last sent. */
  #toldOn: boolean | undefined;

  constructor(private readonly options: PanelOptions) {
    super();
    const { extensionUri, source, title } = options;
    this.#panel = this.own(window.createWebviewPanel('mcpHost.trace', plain(title), vscode.ViewColumn.Active));
    this.#panel.iconPath = tabIcon(extensionUri, 'trace');
    this.onDidDispose = this.#panel.onDidDispose;
    this.#feed = this.own(
      new TraceFeed(
        source,
        message => this.#page.deliver(message),
        rows => this.#onRows(rows),
      ),
    );
    this.#page = this.own(
      new WebviewPage(this.#panel, {
        extension: extensionUri,
        title,
        script: 'trace-view.js',
        styles: ['trace.css'],
        read: fromTracePage,
        receive: message => this.#receive(message),
        onUnload: () => this.#feed.hide(),
      }),
    );
    // It fires for each message.
    this.own(source.onDidChange(() => this.#toldOn !== source.isOn && this.#tellState()));
    this.own(this.#panel.onDidDispose(() => this.dispose()));
  }

  /** Brings it to the front, showing the messages of this server if one is given. */
  show(server?: string): void {
    this.#panel.reveal();
    if (!this.#page.isReady) this.#server = server;
    else if (server !== undefined) this.#page.post({ type: 'filter', server });
  }

  /** Selects the first new row that matches, as soon as it arrives. */
  revealNext(fits: (row: TraceRow) => boolean): void {
    this.#awaited = fits;
    this.#panel.reveal();
  }

  #onRows(rows: readonly TraceRow[]): void {
    const found = this.#awaited && rows.find(this.#awaited);
    if (!found) return;
    this.#awaited = undefined;
    this.#reveal = found.record.seq;
    this.#tellReveal();
  }

  #tellReveal(): void {
    if (this.#reveal === undefined || !this.#page.isReady) return;
    this.#page.post({ type: 'reveal', seq: this.#reveal });
    this.#reveal = undefined;
  }

  #tellState(): void {
    const { source, note } = this.options;
    if (this.#page.isReady) this.#toldOn = source.isOn;
    this.#page.post({
      type: 'state',
      isOn: source.isOn,
      isPaused: this.#feed.isPaused,
      ...(note !== undefined && { note }),
    });
  }

  async #receive(message: FromTracePage): Promise<void> {
    const { source, actions } = this.options;
    switch (message.type) {
      case 'ready':
        return this.#start();
      case 'search':
        return this.#feed.search(message.search, message.text);
      case 'pause':
        this.#feed.pause(message.isPaused);
        return this.#tellState();
      case 'clear':
        source.clear();
        return this.#feed.refresh();
      case 'export':
        return actions.export();
      case 'log':
        return vscode.commands.executeCommand('mcpHost.showServerLog');
      case 'health':
        return vscode.commands.executeCommand('mcpHost.showHealth');
      case 'settings':
        return vscode.commands.executeCommand('workbench.action.openSettings', 'mcpHost.trace');
    }
    const row = this.#feed.rows.get(message.seq);
    if (!row) return;
    if (message.type === 'details') this.#tellDetails(row);
    else if (message.type === 'pin') this.#mark(row, { isPinned: !source.marks.of(message.seq)?.isPinned });
    else if (message.type === 'remark') await this.#writeOn(message.seq);
    else if (message.type === 'open') await actions.open(row, source.readable(row.record));
    else if (message.type === 'copy') await actions.copy(readableJson(source.readable(row.record)));
    else if (message.type === 'act' && actions.of(row).includes(message.action)) await actions.act(message.action, row);
  }

  /** Asks what the person wants to write on a row. Nothing removes what is there. */
  async #writeOn(seq: number): Promise<void> {
    const { marks } = this.options.source;
    const { remark = '' } = marks.of(seq) ?? {};
    const written = await window.showInputBox({
      title: t('Note on This Message'),
      prompt: remark === '' ? t('It is saved with an exported trace.') : t('Leave it empty to remove the note.'),
      value: remark,
      validateInput: text =>
        text.length > MAX_REMARK ? t('A note can have at most {0} characters.', MAX_REMARK) : undefined,
    });
    const row = this.#feed.rows.get(seq);
    if (written !== undefined && row) this.#mark(row, { remark: visible(written.trim(), MAX_REMARK) });
  }

  #mark({ record, pair }: TraceRow, mark: Mark): void {
    const { marks } = this.options.source;
    const partner = pair === undefined ? undefined : this.#feed.rows.get(pair);
    if (!marks.of(record.seq) && marks.isFull) {
      throw new Error(
        t('{0} rows are already pinned or have a note. Unpin some or remove their notes first.', MAX_MARKS),
      );
    }
    marks.change([record, ...(partner ? [partner.record] : [])], mark);
  }

  async #start(): Promise<void> {
    const { isFile } = this.options;
    const server = this.#server === undefined ? {} : { server: this.#server };
    this.#server = undefined;
    this.#page.post({ type: 'start', texts: viewTexts(), isFile, ...server });
    this.#tellState();
    await this.#feed.show();
    this.#tellReveal();
  }

  #tellDetails(row: TraceRow): void {
    const partner = row.pair === undefined ? undefined : this.#feed.rows.get(row.pair);
    const [first, second] = partner && partner.record.seq < row.record.seq ? [partner, row] : [row, partner];
    this.#page.post({
      type: 'details',
      seq: row.record.seq,
      bodies: [first, ...(second ? [second] : [])].map(one => this.#body(one)),
      actions: this.options.actions.of(first),
    });
  }

  #body({ record, kind }: TraceRow): ViewBody {
    const { seq, direction, size } = record;
    const text = this.options.source.readable(record);
    const isCut = text.length > MAX_PREVIEW;
    return { seq, kind, direction, size, isCut, text: readableJson(isCut ? `${text.slice(0, MAX_PREVIEW)}…` : text) };
  }
}
