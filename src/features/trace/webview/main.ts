import { formatSize } from '../../../base/numberText';
import { connect, type Editor, el } from '../../../editor/webview/page';
import type { FromTracePage, ToTracePage, ViewRow } from '../traceMessages';
import type { ViewTexts } from '../traceTexts';
import { filled } from './cellFormats';
import { MessageDetails } from './messageDetails';
import { icon, iconButton } from './pictures';
import { type Filter, filtered, hasFailed, isHiddenPing, isJoinedAnswer, NO_FILTER } from './rowFilter';
import { Table } from './table';
import { Families } from './timeline';
import { Toolbar } from './toolbar';

let view: TraceView | undefined;
const editor = connect<ToTracePage, FromTracePage, ViewState>(message => {
  if (message.type !== 'start') {
    view?.receive(message);
    return;
  }
  view = new TraceView(message, editor);
  document.body.replaceChildren(view.element);
});
editor.postMessage({ type: 'ready' });

/** The state that is kept while the tab is in the background. */
interface ViewState {
  readonly filter?: Filter;
  /** Sequence number of the row that was chosen, with its details beside it. */
  readonly selected?: number;
  readonly isFollowing?: boolean;
  /** Rows are shown with their place in time. */
  readonly isWaterfall?: boolean;
  /** The share of the details, in percent. */
  readonly share?: number;
}

type Start = Extract<ToTracePage, { type: 'start' }>;

/** How long after the last key a search starts. */
const SEARCH_MS = 150;
const DEFAULT_SHARE = 42;

/** The page: filters, table and details for the rows that the editor sends. */
class TraceView {
  readonly element: HTMLElement;
  readonly #texts: ViewTexts;
  readonly #isFile: boolean;
  readonly #rows = new Map<number, ViewRow>();
  readonly #families = new Families(this.#rows);
  readonly #toolbar: Toolbar;
  readonly #table: Table;
  readonly #details: MessageDetails;
  readonly #splitter: Splitter;
  readonly #empty = el('div', 'empty');
  readonly #footer = el('footer');
  #state: ViewState;
  #filter: Filter;
  #isFollowing: boolean;
  #search = 0;
  #searchTimer: ReturnType<typeof setTimeout> | undefined;
  #matches = new Set<number>();
  /** The row whose details are shown or requested. */
  #selected: number | undefined;
  /** The row to select as soon as it arrives. */
  #reveal: number | undefined;
  #host: Extract<ToTracePage, { type: 'state' }> = { type: 'state', isOn: true, isPaused: false };

  constructor(
    { texts, isFile, server }: Start,
    private readonly editor: Editor<FromTracePage, ViewState>,
  ) {
    const state = editor.getState() ?? {};
    const post = (message: FromTracePage) => editor.postMessage(message);
    this.#texts = texts;
    this.#isFile = isFile;
    this.#state = state;
    this.#filter = server === undefined ? { ...NO_FILTER, ...state.filter } : { ...NO_FILTER, server };
    this.#isFollowing = !isFile && (state.isFollowing ?? true);
    this.#reveal = state.selected;
    this.#toolbar = new Toolbar(
      texts,
      {
        filter: filter => this.#setFilter(filter),
        waterfall: isWaterfall => this.#showWaterfall(isWaterfall),
        follow: isFollowing => this.#follow(isFollowing),
        post,
        leave: () => this.#table.element.focus(),
      },
      this.#filter,
      isFile,
    );
    this.#table = new Table(
      texts,
      {
        selected: (row, opened) => this.#select(row, opened),
        remark: ({ seq }) => post({ type: 'remark', seq }),
        atEnd: isAtEnd => {
          if (!isFile) this.#follow(isAtEnd, false);
        },
      },
      this.#families,
    );
    this.#details = new MessageDetails(texts, post, () => this.#close());
    const room = el('div', 'room');
    this.#splitter = new Splitter(texts.resize, room, state.share ?? DEFAULT_SHARE, share => this.#remember({ share }));
    room.append(
      el('div', 'tableroom', this.#table.element, this.#empty),
      this.#splitter.element,
      this.#details.element,
    );
    this.element = el('main', '', this.#toolbar.element, room, this.#footer);
    this.#toolbar.showFollow(this.#isFollowing);
    this.#showWaterfall(state.isWaterfall === true);
    addEventListener('keydown', event => this.#onKey(event));
    if (this.#filter.text) this.#askSearch();
    this.#draw();
  }

  receive(message: ToTracePage): void {
    switch (message.type) {
      case 'rows':
        for (const row of this.#rows.values()) {
          if (row.seq >= message.first) break;
          if (message.kept.includes(row.seq)) continue;
          this.#rows.delete(row.seq);
          this.#families.remove(row);
        }
        for (const row of message.rows) {
          this.#rows.set(row.seq, row);
          this.#families.add(row);
        }
        this.#toolbar.offer(this.#rows.values());
        this.#draw();
        this.#refreshDetails(message.rows);
        return;
      case 'matches':
        if (message.search !== this.#search) return;
        for (const seq of message.seqs) this.#matches.add(seq);
        this.#draw();
        return;
      case 'state':
        this.#host = message;
        this.#toolbar.showPause(message.isPaused);
        this.#draw();
        return;
      case 'details': {
        const row = this.#rows.get(message.seq);
        if (!row || message.seq !== this.#selected) return;
        const first = row.pair !== undefined && row.pair < row.seq ? this.#rows.get(row.pair) : undefined;
        this.#details.show(first ?? row, message);
        this.#splitter.element.hidden = false;
        return;
      }
      case 'reveal':
        this.#reveal = message.seq;
        this.#revealWanted(true);
        return;
      case 'filter':
        this.#setFilter({ ...NO_FILTER, server: message.server });
    }
  }

  #draw(): void {
    const all = this.#rows.values();
    const shown = filtered(all, this.#filter, this.#matches);
    this.#table.show(shown, this.#isFollowing);
    this.#revealWanted(false);
    this.#drawEmpty(shown.length);
    this.#drawFooter(shown.length);
  }

  /** @param forced select it even if the filter hides it, which clears the filter. */
  #revealWanted(forced: boolean): void {
    const seq = this.#reveal;
    const row = seq === undefined ? undefined : this.#rows.get(seq);
    if (!row) return;
    this.#reveal = undefined;
    if (!this.#table.has(row.seq)) {
      if (!forced) return;
      this.#setFilter({ ...NO_FILTER, pings: isHiddenPing(row, NO_FILTER) });
    }
    this.#table.select(row.seq);
    this.#select(row, false);
    if (forced) this.#table.element.focus();
  }

  #select({ seq }: ViewRow, opened: boolean): void {
    if (opened && this.#details.isOpen && this.#selected === seq) {
      this.editor.postMessage({ type: 'open', seq });
      return;
    }
    this.#selected = seq;
    this.#remember({ selected: seq });
    this.editor.postMessage({ type: 'details', seq });
  }

  /** The details have changed: the answer arrived, or the person has marked the row. */
  #refreshDetails(rows: readonly ViewRow[]): void {
    const seq = this.#selected;
    if (seq !== undefined && this.#details.isOpen && rows.some(row => row.seq === seq))
      this.editor.postMessage({ type: 'details', seq });
  }

  #close(): void {
    this.#details.hide();
    this.#splitter.element.hidden = true;
    this.#selected = undefined;
    const { selected: _, ...state } = this.#state;
    this.#state = state;
    this.editor.setState(state);
    this.#table.element.focus();
  }

  #setFilter(filter: Filter): void {
    const isAnotherText = filter.text !== this.#filter.text;
    this.#filter = filter;
    this.#toolbar.show(filter);
    this.#remember({ filter });
    if (isAnotherText) this.#askSearch();
    this.#draw();
  }

  #askSearch(): void {
    clearTimeout(this.#searchTimer);
    const search = ++this.#search;
    this.#matches = new Set();
    const { text } = this.#filter;
    this.#searchTimer = setTimeout(() => this.editor.postMessage({ type: 'search', search, text }), SEARCH_MS);
  }

  #showWaterfall(isWaterfall: boolean): void {
    this.#toolbar.showWaterfall(isWaterfall);
    this.#table.showWaterfall(isWaterfall);
    if (isWaterfall !== (this.#state.isWaterfall === true)) this.#remember({ isWaterfall });
  }

  #follow(isFollowing: boolean, moves = true): void {
    this.#isFollowing = isFollowing;
    this.#toolbar.showFollow(isFollowing);
    this.#remember({ isFollowing });
    if (moves && isFollowing) this.#draw();
  }

  #remember(change: ViewState): void {
    this.#state = { ...this.#state, ...change };
    this.editor.setState(this.#state);
  }

  #onKey(event: KeyboardEvent): void {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'f') {
      event.preventDefault();
      this.#toolbar.focus();
    } else if (event.key === 'Escape' && this.#details.isOpen) this.#close();
  }

  #drawEmpty(shown: number): void {
    const texts = this.#texts;
    this.#empty.hidden = shown > 0;
    if (shown > 0) return;
    const say = (title: string, text: string, ...more: HTMLElement[]) =>
      this.#empty.replaceChildren(el('h2', '', title), ...(text ? [el('p', '', text)] : []), ...more);
    const wide = (label: string, run: () => void) => el('div', '', iconButton('clear', label, run, false));
    if (this.#rows.size > 0)
      say(
        texts.noMatch,
        '',
        wide(texts.noFilter, () => this.#setFilter(NO_FILTER)),
      );
    else if (this.#host.isOn) say(texts.empty, this.#isFile ? '' : texts.emptyLong);
    else {
      const settings = iconButton(
        'open',
        texts.openSettings,
        () => this.editor.postMessage({ type: 'settings' }),
        false,
      );
      say(texts.off, texts.offLong, el('div', '', settings));
    }
  }

  #drawFooter(shown: number): void {
    const texts = this.#texts;
    let [errors, rows, size] = [0, 0, 0];
    for (const row of this.#rows.values()) {
      const isJoined = isJoinedAnswer(row);
      if (!isJoined && hasFailed(row)) errors++;
      if (!(isJoined && this.#filter.joined) && !isHiddenPing(row, this.#filter)) rows++;
      size += row.size;
    }
    const all = this.#rows.size;
    const { isOn, isPaused, note } = this.#host;
    const recording = isPaused ? 'paused' : 'live';
    const mode = this.#isFile ? 'file' : isOn ? recording : 'off';
    this.#footer.replaceChildren(
      el('span', 'fact', texts.about),
      el('span', { class: `fact mode ${mode}` }, texts[mode]),
      ...(shown === rows ? [] : [el('span', 'fact', filled(texts.shown, shown, rows))]),
      el('span', 'fact', all === 1 ? texts.oneMessage : filled(texts.count, all)),
      el('span', 'fact', formatSize(size)),
      ...(errors > 0
        ? [
            el(
              'span',
              { class: 'fact bad' },
              icon('error'),
              errors === 1 ? texts.oneError : filled(texts.errorCount, errors),
            ),
          ]
        : []),
      ...(note === undefined ? [] : [el('span', 'fact bad', note)]),
    );
  }
}

/** In percent of the space that table and details share. */
const [MIN, MAX, STEP] = [20, 80, 5];

/** The line between table and details: dragged, or moved with the arrow keys. */
class Splitter {
  readonly element: HTMLElement;

  constructor(
    label: string,
    private readonly room: HTMLElement,
    private share: number,
    private readonly onChange: (share: number) => void,
  ) {
    this.element = el('div', {
      role: 'separator',
      class: 'splitter',
      tabindex: '0',
      'aria-label': label,
      'aria-valuemin': String(MIN),
      'aria-valuemax': String(MAX),
      hidden: '',
    });
    this.#set(share);
    this.element.addEventListener('pointerdown', event => this.element.setPointerCapture(event.pointerId));
    this.element.addEventListener('pointermove', event => this.#onMove(event));
    this.element.addEventListener('keydown', event => this.#onKey(event));
  }

  get #isBeside(): boolean {
    return getComputedStyle(this.room).flexDirection === 'row';
  }

  #onMove({ pointerId, clientX, clientY }: PointerEvent): void {
    if (!this.element.hasPointerCapture(pointerId)) return;
    const { left, top, width, height } = this.room.getBoundingClientRect();
    this.#set(this.#isBeside ? 100 - ((clientX - left) / width) * 100 : 100 - ((clientY - top) / height) * 100);
    this.onChange(this.share);
  }

  #onKey(event: KeyboardEvent): void {
    const [more, less] = this.#isBeside ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
    const step = event.key === more ? STEP : event.key === less ? -STEP : 0;
    if (step === 0) return;
    event.preventDefault();
    this.#set(this.share + step);
    this.onChange(this.share);
  }

  #set(share: number): void {
    this.share = Math.round(Math.min(MAX, Math.max(MIN, share)));
    this.element.setAttribute('aria-valuenow', String(this.share));
    this.room.style.setProperty('--details', `${this.share}%`);
  }
}
