import { count, type MessageOf, messageReader, oneOf, text } from '../../base/messageReader';
import type { MessageKind } from './core/messageHead';
import type { TraceStatus } from './core/traceRows';
import type { ViewTexts } from './traceTexts';

/**
 * A message as the table shows it: without its body, and without secrets in any text. Members that do not apply are left
 * out.
 */
export interface ViewRow {
  readonly seq: number;
  /** In milliseconds since 1970, with fractions. */
  readonly at: number;
  readonly server: string;
  readonly direction: 'sent' | 'received';
  readonly kind: MessageKind;
  readonly method?: string;
  readonly subject?: string;
  readonly note?: string;
  readonly status?: TraceStatus;
  readonly ms?: number;
  /** In characters. */
  readonly size: number;
  /** Size of the answer to a request. */
  readonly answerSize?: number;
  /** Sequence number of the answer, or of the request. */
  readonly pair?: number;
  /** Sequence number of the request that this is part of. */
  readonly parent?: number;
  /** Who made the call of a tool, in words. */
  readonly caller?: string;
  /** A ping, or what takes its place in the modern era. */
  readonly isCheck?: boolean;
  /** The person keeps it in sight, whatever is filtered. */
  readonly isPinned?: boolean;
  /** The person's note. */
  readonly remark?: string;
}

/** One message in full, or as much of it as a preview shows. */
export interface ViewBody {
  readonly seq: number;
  readonly kind: MessageKind;
  readonly direction: 'sent' | 'received';
  readonly text: string;
  readonly size: number;
  /** There is more of it than the text. */
  readonly isCut: boolean;
}

/** Actions on a message besides opening and copying it. */
const MESSAGE_ACTIONS = ['curl', 'sdk', 'send', 'test', 'select', 'compare'] as const;
export type MessageAction = (typeof MESSAGE_ACTIONS)[number];

/** To the page. */
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

/** Reads a message of the page. */
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
