import { count, type MessageOf, messageReader, oneOf, text } from '../../base/messageReader';
import type { TraceRecord } from '../../host';
import type { MessageKind } from './core/messageHead';
import type { TraceRow } from './core/traceRows';
import type { Mark } from './core/traceSource';
import type { ViewTexts } from './traceTexts';

/** A message as the table shows it: without its body, and without secrets in any text. */
export interface ViewRow
  extends Pick<TraceRecord, 'at' | 'direction' | 'seq' | 'server' | 'size'>,
    Omit<TraceRow, 'caller' | 'id' | 'record'>,
    Mark {
  readonly answerSize?: number | undefined;
  /** Who made the call of a tool, in words. */
  readonly caller?: string | undefined;
}

/** One message in full, or as much of it as a preview shows. */
export interface ViewBody extends Pick<TraceRecord, 'direction' | 'seq' | 'size' | 'text'> {
  readonly kind: MessageKind;
  /** There is more of it than the text. */
  readonly isCut: boolean;
}

/** Actions on a message besides opening and copying it. */
const MESSAGE_ACTIONS = ['curl', 'sdk', 'send', 'test', 'select', 'compare'] as const;
export type MessageAction = (typeof MESSAGE_ACTIONS)[number];

export type ToTracePage =
  | { type: 'start'; texts: ViewTexts; isFile: boolean; server?: string }
  /** New rows and changed ones; those before `first` are gone, but for those that are kept. */
  | { type: 'rows'; rows: readonly ViewRow[]; first: number; kept: readonly number[] }
  | { type: 'state'; isOn: boolean; isPaused: boolean; note?: string }
  /** Rows whose messages contain the text of this search. */
  | { type: 'matches'; search: number; seqs: readonly number[] }
  | { type: 'details'; seq: number; bodies: readonly ViewBody[]; actions: readonly MessageAction[] }
  | { type: 'reveal'; seq: number }
  | { type: 'filter'; server: string };

/** The longest text to search for. */
const MAX_SEARCH = 1_000;

export const fromTracePage = messageReader({
  ready: {},
  clear: {},
  export: {},
  settings: {},
  log: {},
  health: {},
  pause: { isPaused: value => (typeof value === 'boolean' ? value : undefined) },
  search: { search: count, text: value => text(value)?.slice(0, MAX_SEARCH) },
  details: { seq: count },
  pin: { seq: count },
  remark: { seq: count },
  open: { seq: count },
  copy: { seq: count },
  act: { seq: count, action: oneOf(...MESSAGE_ACTIONS) },
});
export type FromTracePage = MessageOf<typeof fromTracePage>;
