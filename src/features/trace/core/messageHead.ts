import { isObject, parsedJson } from '../../../base/json';
import type { TraceRecord } from '../../../host';

/** `error`: an answer with one. `batch`: several in one (2025-03-26). `unreadable`: no valid JSON-RPC. */
export type MessageKind = 'request' | 'notification' | 'answer' | 'error' | 'batch' | 'unreadable';

/** The table cells of a message, read without its body. Texts are the server's and unbounded: bound them. */
export interface MessageHead {
  readonly kind: MessageKind;
  /** As JSON: the id `1` differs from `"1"`. */
  readonly id?: string;
  readonly method?: string;
  /** The subject: the name of a tool or prompt, a URI. */
  readonly subject?: string;
  /** An answer that says that something went wrong, also in the result of a tool. */
  readonly failed?: boolean;
  /** Of an error. */
  readonly code?: unknown;
  /** A note on an error, or on requested input. */
  readonly note?: string;
  /** The id of the request that it calls off, as JSON. */
  readonly cancels?: string;
  /** The progress token, as JSON: of a request, or of the request that progress belongs to (spec: basic/utilities/progress). */
  readonly token?: string;
  /** A request made again with what its server has asked for (spec 2026-07-28: basic/patterns/mrtr). */
  readonly isContinued?: boolean;
}

type Json = Record<string, unknown>;

/** Truncated messages are judged by this much of their start. */
const MAX_START = 4_000;
const unreadable: MessageHead = { kind: 'unreadable' };

/** Reads a message for its row. Never throws: what is no message is `unreadable`. */
export function messageHead({ text, size }: Pick<TraceRecord, 'text' | 'size'>): MessageHead {
  if (text.length < size) return headOfStart(text.slice(0, MAX_START));
  const message = parsedJson(text);
  if (Array.isArray(message)) return { kind: 'batch' };
  return isObject(message) ? headOfMessage(message) : unreadable;
}

function headOfMessage({ id, method, params, result, error }: Json): MessageHead {
  if (typeof method === 'string') {
    const about = isObject(params) ? params : {};
    const { _meta, progressToken, inputResponses, requestState, requestId } = about;
    return {
      kind: id === undefined ? 'notification' : 'request',
      id: json(id),
      method,
      subject: subjectOf(method, about),
      token: json(isObject(_meta) && _meta.progressToken !== undefined ? _meta.progressToken : progressToken),
      isContinued: inputResponses !== undefined || requestState !== undefined,
      cancels: method === 'notifications/cancelled' ? json(requestId) : undefined,
    };
  }
  if (error !== undefined && error !== null) {
    const { code, message } = isObject(error) ? error : {};
    return { kind: 'error', id: json(id), failed: true, code, note: [code, message].filter(isShort).join(' ') };
  }
  if (id === undefined || result === undefined) return unreadable;
  return { kind: 'answer', id: json(id), ...outcome(isObject(result) ? result : {}) };
}

const json = (value: unknown): string | undefined => JSON.stringify(value);

function subjectOf(method: string, params: Json): string | undefined {
  const { name, uri, ref, level, progress, total, message, requestId, taskId, clientInfo } = params;
  const step = progress === undefined ? undefined : [progress, ...(total === undefined ? [] : [total])].join('/');
  const referred = isObject(ref) ? (ref.name ?? ref.uri) : undefined;
  const client = method === 'initialize' && isObject(clientInfo) ? clientInfo.name : undefined;
  const all = [name, uri, referred, level, step, message, taskId, client, requestId];
  const found = all.filter(isShort).map(String);
  return method === 'notifications/progress' ? found.join(' ') || undefined : found[0];
}

/** The outcome that a result declares (spec: server/tools#error-handling; `resultType` since 2026-07-28). */
function outcome({ isError, content, resultType }: Json): Pick<MessageHead, 'failed' | 'note'> {
  if (isError === true) {
    const first: unknown = Array.isArray(content) ? content[0] : undefined;
    const note = isObject(first) && typeof first.text === 'string' ? first.text : '';
    return { failed: true, note };
  }
  return typeof resultType === 'string' && resultType !== 'complete' ? { note: resultType } : {};
}

/** The members that come before the long one. Those after it are not there. */
function headOfStart(start: string): MessageHead {
  const members = start.split(/"(?:params|result|error)"\s*:/, 1)[0]!;
  const id = /"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)/.exec(members)?.[1];
  const method = /"method"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(members)?.[1];
  const key = id === undefined ? {} : { id };
  if (method !== undefined) return { kind: id === undefined ? 'notification' : 'request', method, ...key };
  const member = /"(result|error)"\s*:/.exec(start)?.[1];
  if (!member) return unreadable;
  return member === 'result' ? { kind: 'answer', ...key } : { kind: 'error', ...key, failed: true };
}

const isShort = (value: unknown) => (typeof value === 'string' && value !== '') || typeof value === 'number';
