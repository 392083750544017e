import { parsedJson } from '../../base/json';
import { EventReader } from './eventReader';

/**
 * What a body holds, whatever it says that it is: a value of JSON, or the values of an event stream or of lines. Undefined if
 * it is none of them.
 */
export function bodyValue(body: string): unknown {
  const text = body.startsWith('\ufeff') ? body.slice(1) : body;
  const value = parsedJson(text);
  if (value !== undefined) return value;
  if (!/^\s*(?:data|event|id|retry)?:/m.test(text) && !/^\s*[{[]/.test(text)) return undefined;
  const events = new EventReader(Number.POSITIVE_INFINITY);
  const read = [...events.read(Buffer.from(text)), events.end()];
  const values = read.flatMap(event => (event === undefined ? [] : [parsedJson(event.data)]));
  const good = values.filter(one => one !== undefined);
  return good.length > 0 ? good.flat() : undefined;
}

/** The media type of a response, without its parameters. A header that came twice counts once. */
export function mediaType({ headers }: { readonly headers: Headers }): string | undefined {
  return headers.get('content-type')?.split(/[;,]/, 1)[0]?.trim().toLowerCase();
}
