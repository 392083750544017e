import { visible } from '../base/text';

const MAX_DEPTH = 50;
const BASE64 = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/;

/**
 * What is wrong with the headers of a call, in which its arguments are repeated where the tool declares that with
 * `x-mcp-header` (spec 2026-07-28: basic/transports/streamable-http#custom-headers-from-tool-parameters); undefined if nothing
 * is. Whatever stands between a client and this server may have decided by them.
 */
export function parameterHeaderMismatch(inputSchema: unknown, args: unknown, headers: Headers): string | undefined {
  const visit = (schema: unknown, value: unknown, depth: number): string | undefined => {
    if (typeof schema !== 'object' || schema === null || depth > MAX_DEPTH) return undefined;
    const { 'x-mcp-header': name, type, properties } = schema as Record<string, unknown>;
    const problem = typeof name === 'string' ? problemOf(`Mcp-Param-${name}`, type, value, headers) : undefined;
    if (problem) return problem;
    for (const [key, child] of Object.entries(Object(properties) as object)) {
      const inner = Object.hasOwn(Object(value), key) ? (value as Record<string, unknown>)[key] : undefined;
      const found = visit(child, inner, depth + 1);
      if (found) return found;
    }
    return undefined;
  };
  return visit(inputSchema, args, 0);
}

function problemOf(header: string, type: unknown, value: unknown, headers: Headers): string | undefined {
  // No header is expected for what is not there, and none is defined for other values.
  if (typeof value !== 'string' && typeof value !== 'boolean' && typeof value !== 'number') return undefined;
  const said = headers.get(header);
  const name = visible(header, 100);
  if (said === null) return `the header ${name} is missing`;
  const decoded = decode(said);
  if (decoded === undefined) return `the header ${name} is not valid Base64`;
  const isSame =
    type === 'integer' && typeof value === 'number' ? Number(decoded) === value : decoded === String(value);
  return isSame ? undefined : `the header ${name} is not the value of the argument`;
}

/** The value of a header: as it is, unless it is marked as Base64. */
function decode(said: string): string | undefined {
  if (!said.startsWith('=?base64?') || !said.endsWith('?=')) return said;
  const encoded = BASE64.exec(said)?.[1];
  if (encoded === undefined) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64'));
  } catch {
    return undefined;
  }
}
