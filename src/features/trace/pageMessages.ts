import type { MessageKind } from './core/messageHead';
import type { TraceStatus } from './core/traceRows';
import type { ViewTexts } from './texts';

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
  /** What the person has written on it. */
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

/** What can be done with a message besides opening and copying it. */
const MESSAGE_ACTIONS = ['curl', 'sdk', 'send', 'test', 'select', 'compare'] as const;
export type MessageAction = (typeof MESSAGE_ACTIONS)[number];

/** To the webview. */
export type ToView =
  | { type: 'start'; texts: ViewTexts; isFile: boolean; server?: string }
  /** New rows and changed ones; those before `first` are gone, but for those that are kept. */
  | { type: 'rows'; rows: readonly ViewRow[]; first: number; kept: readonly number[] }
  | { type: 'state'; isOn: boolean; isPaused: boolean; note?: string }
  /** Rows whose messages contain the text of this search. */
  | { type: 'matches'; search: number; seqs: readonly number[] }
  | { type: 'details'; seq: number; bodies: readonly ViewBody[]; actions: readonly MessageAction[] }
  | { type: 'reveal'; seq: number }
  | { type: 'filter'; server: string };

/** From the webview. */
export type ToHost =
  | { type: 'ready' | 'clear' | 'export' | 'settings' }
  | { type: 'pause'; isPaused: boolean }
  | { type: 'search'; search: number; text: string }
  | { type: 'details'; seq: number }
  | { type: 'pin'; seq: number }
  | { type: 'remark'; seq: number }
  | { type: 'open'; seq: number }
  | { type: 'copy'; seq: number }
  | { type: 'act'; seq: number; action: MessageAction };

/** The longest text to search for. */
const MAX_SEARCH = 1_000;

/** A value from the webview, if it is a valid message. */
export function fromView(value: unknown): ToHost | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { type, seq, search, text, action, isPaused } = value as Record<string, unknown>;
  switch (type) {
    case 'ready':
    case 'clear':
    case 'export':
    case 'settings':
      return { type };
    case 'pause':
      return typeof isPaused === 'boolean' ? { type, isPaused } : undefined;
    case 'search':
      return Number.isSafeInteger(search) && typeof text === 'string'
        ? { type, search: search as number, text: text.slice(0, MAX_SEARCH) }
        : undefined;
    case 'details':
    case 'pin':
    case 'remark':
    case 'open':
    case 'copy':
      return Number.isSafeInteger(seq) ? { type, seq: seq as number } : undefined;
    case 'act': {
      const known = MESSAGE_ACTIONS.find(name => name === action);
      return known && Number.isSafeInteger(seq) ? { type, seq: seq as number, action: known } : undefined;
    }
    default:
      return undefined;
  }
}
