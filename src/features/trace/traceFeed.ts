import { setImmediate as turn } from 'node:timers/promises';
import { Owner } from '../../base/events';
import { Coalescer } from '../../base/queue';
import { beginningOf, visible } from '../../base/text';
import { type TraceRow, TraceRows } from './core/traceRows';
import type { TraceSource } from './core/traceSource';
import type { ToTracePage, ViewRow } from './traceMessages';
import { callerText } from './traceTexts';

/** The webview gets updates at most ten times a second. */
const EVERY_MS = 100;
/** How many characters of messages are read or searched before yielding to other work. */
const SLICE = 1_000_000;
/** How many characters an update reads while messages come: their calls lose no more than a tenth of the time. */
const LIVE_SLICE = 100_000;
/** Only this much of a text is searched. */
const MAX_TEXT = 1_000;

/** Reads messages as they come and sends rows to a webview: new ones, changed ones, and what a search finds. */
export class TraceFeed extends Owner {
  readonly rows = new TraceRows(record => this.source.callerOf(record));
  readonly #updates = new Coalescer(() => void this.#update(false), { quietMs: EVERY_MS, maxMs: EVERY_MS });
  #search = { number: 0, needles: [] as string[] };
  #isPaused = false;
  #isShown = false;
  #isUpdating = false;
  /** The number of the first message that the page has been sent. */
  #first: number | undefined;

  constructor(
    private readonly source: TraceSource,
    /** Resolves when the page has taken it. */
    private readonly post: (message: ToTracePage) => Promise<void>,
    private readonly onRows: (rows: readonly TraceRow[]) => void,
  ) {
    super();
    this.own(
      source.onDidChange(() => {
        if (this.#isShown && !this.#isPaused) this.#updates.trigger();
      }),
    );
    this.own(
      source.marks.onDidChange(seq => {
        const row = this.rows.get(seq);
        if (row && this.#isShown) void this.#post([row], this.rows.bounds(this.source.records()));
      }),
    );
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** The webview is ready, and has no rows yet. */
  async show(): Promise<void> {
    this.#isShown = true;
    await this.#alone(() => this.#post([...this.rows.all()], this.rows.bounds(this.source.records())));
    if (!this.#isPaused) await this.#update(true);
  }

  hide(): void {
    this.#isShown = false;
    this.#updates.cancel();
  }

  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    if (!isPaused) void this.#update(true);
  }

  /** Reads messages now, even while paused. */
  refresh(): Promise<void> {
    return this.#update(true);
  }

  /** Reports which rows have this text in their messages, new ones included. An empty text ends the search. */
  async search(number: number, text: string): Promise<void> {
    const needle = text.toLowerCase();
    // As it appears in JSON, with its quotes escaped.
    this.#search = { number, needles: needle ? [...new Set([needle, JSON.stringify(needle).slice(1, -1)])] : [] };
    await this.#find([...this.rows.all()]);
  }

  override dispose(): void {
    super.dispose();
    this.hide();
  }

  /** @param all at once; otherwise a part, and the rest in its time: drawing without pause would slow down the window. */
  async #update(all: boolean): Promise<void> {
    if (this.#isUpdating || !this.#isShown) return;
    await this.#alone(async () => {
      // A page that is hidden meanwhile gets everything when it is back.
      while (this.#isShown) {
        const { rows, isCut, ...bounds } = this.rows.update(
          this.source.records(),
          all ? SLICE : LIVE_SLICE,
          this.source.ends,
        );
        if (rows.length === 0 && bounds.first === this.#first && bounds.kept.length === 0) return;
        this.#keepAnswers(rows);
        await this.#post(rows, bounds);
        if (rows.length === 0) return;
        this.onRows(rows);
        await this.#find(rows);
        if (!all || !isCut) break;
        await turn();
      }
      // What has come meanwhile, and was not told as this one was running.
      if (this.#isShown && !this.#isPaused) this.#updates.trigger();
    });
  }

  /** Rows are sent by one at a time: a page that has not taken the last ones gets no more. */
  async #alone(send: () => Promise<void>): Promise<void> {
    this.#isUpdating = true;
    try {
      await send();
    } finally {
      this.#isUpdating = false;
    }
  }

  /** Those to marked requests stay with them. */
  #keepAnswers(rows: readonly TraceRow[]): void {
    const { marks } = this.source;
    for (const { record, pair } of rows) {
      const partner = pair !== undefined && marks.of(record.seq) ? this.rows.get(pair) : undefined;
      if (partner) marks.keep([partner.record]);
    }
  }

  async #post(rows: readonly TraceRow[], bounds: Pick<Extract<ToTracePage, { type: 'rows' }>, 'first' | 'kept'>) {
    const step = 5_000;
    this.#first = bounds.first;
    for (let at = 0; at === 0 || at < rows.length; at += step) {
      await this.post({ type: 'rows', rows: rows.slice(at, at + step).map(row => this.#viewRow(row)), ...bounds });
    }
  }

  async #find(rows: readonly TraceRow[]): Promise<void> {
    const { number, needles } = this.#search;
    if (needles.length === 0) return;
    let [seqs, size] = [[] as number[], 0];
    for (const { record } of rows) {
      const text = record.text.toLowerCase();
      if (needles.some(needle => text.includes(needle))) seqs.push(record.seq);
      size += text.length;
      if (size < SLICE) continue;
      await this.post({ type: 'matches', search: number, seqs });
      [seqs, size] = [[], 0];
      if (number !== this.#search.number) return;
    }
    await this.post({ type: 'matches', search: number, seqs });
  }

  #viewRow({ record, id: _, caller, ...row }: TraceRow): ViewRow {
    const { seq, at, server, direction, size } = record;
    const shown = (text: string | undefined, length: number) => {
      if (!text) return undefined;
      const start = beginningOf(text, MAX_TEXT);
      return visible(this.source.readable({ ...record, text: start, size: start.length }), length);
    };
    return {
      seq,
      at,
      server,
      direction,
      size,
      ...row,
      method: shown(row.method, 100),
      subject: shown(row.subject, 200),
      note: shown(row.note, 300),
      caller: caller && callerText(caller),
      ...this.source.marks.of(seq),
      answerSize: row.kind === 'request' && row.pair !== undefined ? this.rows.get(row.pair)?.record.size : undefined,
    };
  }
}
