import { isObject, objectsOf, stringsOf } from '../../../base/json';
import {
  assistant,
  type CallPart,
  type ModelMessage,
  ownWords,
  type ResultPart,
  shorten,
  text,
  user,
} from '../../languageModel/core';
import type { FlowRead } from '../../trust/core';

/** One turn, kept in the chat's history as `record` of `ChatResult.metadata`: plain JSON, and bounded. */
export interface TurnRecord {
  /** The messages of a prompt that began the turn, in place of what the person typed. */
  readonly request?: readonly { readonly role: 'user' | 'assistant'; readonly text: string }[];
  readonly rounds: readonly RoundRecord[];
}

/** Metadata of our answers, for later turns and follow-ups. */
export interface ChatMetadata {
  /** Key of the chat session: the API has none, so the first answer makes one and later ones find it here. */
  chat: string;
  record?: TurnRecord;
  /** Servers whose prompt or tools were used. */
  servers: string[];
  /** Server content that the model has read so far. */
  reads?: readonly FlowRead[];
  /** Servers whose results have linked to resources so far. */
  linking?: string[];
}

export interface RecordedCall extends Omit<CallPart, 'kind'> {
  /** Names of the tools that a script has called. */
  readonly made?: readonly string[];
}

/** One answer of the model and the results of the calls in it. */
export interface RoundRecord {
  readonly text: string;
  readonly calls: readonly RecordedCall[];
  readonly results: readonly { readonly id: string; readonly text: string }[];
}

const MAX_TEXT = 20_000;
const MAX_INPUT = 10_000;
const MAX_RECORD = 200_000;
const MAX_REQUEST = 60_000;
const MAX_MESSAGES = 50;
const MAX_SERVERS = 50;
const NOT_FINISHED = 'The call was not finished.';

/** The bounded record as it is stored: the oldest rounds are dropped first. */
export function boundRecord(record: TurnRecord): TurnRecord {
  const rounds = record.rounds.map(round => ({
    text: shorten(round.text, MAX_TEXT),
    calls: round.calls.map(({ id, name, input, made }) => ({ id, name, input: bounded(input), ...(made && { made }) })),
    results: round.results.map(({ id, text: result }) => ({ id, text: shorten(result, MAX_TEXT) })),
  }));
  let size = 0;
  const first = rounds.findLastIndex(round => {
    size += JSON.stringify(round).length;
    return size > MAX_RECORD;
  });
  const asked = record.request?.slice(-MAX_MESSAGES) ?? [];
  const request = asked.map(({ role, text: body }) => ({ role, text: shorten(body, MAX_REQUEST / asked.length) }));
  return { ...(request.length > 0 && { request }), rounds: rounds.slice(first + 1) };
}

/** The `record` in a result's metadata. Undefined when unusable: it comes from a file. */
export function recordOf(metadata: { readonly [key: string]: unknown } | undefined): TurnRecord | undefined {
  const { record } = metadata ?? {};
  if (!isObject(record) || !Array.isArray(record.rounds)) return undefined;
  const request = objectsOf(record.request).map(({ role, text: body }) => ({
    role: role === 'assistant' ? ('assistant' as const) : ('user' as const),
    text: String(body ?? ''),
  }));
  const rounds = objectsOf(record.rounds).map(round => ({
    text: typeof round.text === 'string' ? round.text : '',
    calls: objectsOf(round.calls)
      .filter(({ id, name }) => typeof id === 'string' && typeof name === 'string')
      .map(({ id, name, input, made }) => ({
        id: id as string,
        name: name as string,
        input: isObject(input) ? input : {},
        ...(Array.isArray(made) && { made: stringsOf(made) }),
      })),
    results: objectsOf(round.results)
      .filter(({ id, text: result }) => typeof id === 'string' && typeof result === 'string')
      .map(({ id, text: result }) => ({ id: id as string, text: result as string })),
  }));
  return { ...(request.length > 0 && { request }), rounds };
}

export function linkingServers(metadata: { readonly [key: string]: unknown } | undefined): readonly string[] {
  return stringsOf(metadata?.linking).slice(0, MAX_SERVERS);
}

/**
 * The messages of a record's rounds. Each call gets its result, or one that says that it has none. Calls are named anew,
 * by `prefix`: models repeat ids from turn to turn, and providers refuse that.
 */
export function roundMessages(record: TurnRecord, prefix: string): readonly ModelMessage[] {
  const messages: ModelMessage[] = [];
  let count = 0;
  for (const round of record.rounds) {
    const calls: CallPart[] = [];
    const results: ResultPart[] = [];
    for (const { id: given, name, input } of round.calls) {
      const id = `${prefix}_${++count}`;
      const result = round.results.find(one => one.id === given)?.text || NOT_FINISHED;
      calls.push({ kind: 'call', id, name, input });
      results.push({ kind: 'result', id, parts: [text(result)] });
    }
    const prose = round.text.trim() === '' ? [] : [ownWords(round.text)];
    if (prose.length + calls.length > 0) messages.push(assistant(...prose, ...calls));
    if (results.length > 0) messages.push(user(...results));
  }
  return messages;
}

function bounded(input: object): object {
  try {
    const json = JSON.stringify(input);
    return json.length <= MAX_INPUT ? (JSON.parse(json) as object) : { leftOut: `${json.length} characters` };
  } catch {
    return { leftOut: 'arguments that are not JSON' };
  }
}
