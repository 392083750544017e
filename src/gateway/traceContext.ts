import { BAGGAGE_META_KEY, TRACEPARENT_META_KEY, TRACESTATE_META_KEY } from '@modelcontextprotocol/server';

/** W3C Trace Context: version, trace id, parent id, flags. Ids of zeros, and the version ff, are invalid. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
/** In characters: the least that every participant must propagate. */
const MAX_TRACESTATE = 512;
const MAX_BAGGAGE = 8_192;

/**
 * The trace context of a request, as it goes on to the server with the request (spec 2026-07-28: basic#_meta, "OpenTelemetry
 * trace context"). Undefined if there is none that follows W3C Trace Context and W3C Baggage.
 */
export function traceContext(meta: Readonly<Record<string, unknown>> = {}): Record<string, string> | undefined {
  const context: Record<string, string> = {};
  const { [TRACEPARENT_META_KEY]: parent, [TRACESTATE_META_KEY]: state, [BAGGAGE_META_KEY]: baggage } = meta;
  if (typeof parent === 'string' && TRACEPARENT.test(parent)) {
    context[TRACEPARENT_META_KEY] = parent;
    // Without its parent it has no meaning.
    if (isList(state, MAX_TRACESTATE)) context[TRACESTATE_META_KEY] = state;
  }
  if (isList(baggage, MAX_BAGGAGE)) context[BAGGAGE_META_KEY] = baggage;
  return Object.keys(context).length > 0 ? context : undefined;
}

/** Members of the form `key=value`, separated by commas, in printable ASCII. */
function isList(value: unknown, maxLength: number): value is string {
  if (typeof value !== 'string' || value.length > maxLength || !/^[\t\x20-\x7e]+$/.test(value)) return false;
  const members = value.split(',').filter(member => member.trim());
  return members.length > 0 && members.every(member => /^\s*[^\s=,;]+\s*=/.test(member));
}
