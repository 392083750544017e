// What the SDK and `fetch` say in words only. Nowhere else is anything decided by what an error says: these have neither a
// class nor a code, nor anything else, to be told by. The words are those of the versions in the lock file.

import { INTERNAL_ERROR } from '../../base/errors';

/** The status of a POST that was refused, over the older transport. */
export function postStatusIn({ message }: Error): number | undefined {
  const said = /^Error POSTing to endpoint \(HTTP (\d{3})\)/.exec(message)?.[1];
  return said === undefined ? undefined : Number(said);
}

/** What a server says that refused a POST over the older transport. */
export const postRefusalIn = ({ message }: Error): string | undefined =>
  /^Error POSTing to endpoint \(HTTP \d{3}\): (.*)$/s.exec(message)?.[1];

/** Whether a server that answers 400 with this body, which is not JSON-RPC, means that it has forgotten the session. */
export const speaksOfSession = (body: string): boolean => /session/i.test(body);

/** The version in the answer to `initialize`, if that is why the SDK refuses it. */
export const unknownVersionIn = (error: unknown): string | undefined =>
  error instanceof Error ? /protocol version is not supported: (.{1,100})/i.exec(error.message)?.[1] : undefined;

/** Whether what answered the older transport is no event stream. */
export const isNoEventStream = (error: Error): boolean => /content type/i.test(error.message);

/** SDK 2, FastMCP and SDK 2 for Python, tmcp. */
const ONLY_LEGACY =
  /(?:not |un)available on .{0,80}2026-07-28|no back-channel for server-initiated|asked the client for \w+.{0,40} not marked as replayable/is;

/** Whether a modern framework refuses a tool because it asks while it runs, as tools may in the legacy era alone. */
export const wantsLegacy = (said: string): boolean => ONLY_LEGACY.test(said);

/** Whether a bridge, such as mcp-proxy, says of itself that the program behind it has ended: in the words of both SDKs. */
export const isBridgeCut = ({ code, message }: { readonly code: number; readonly message: string }): boolean =>
  code === INTERNAL_ERROR && /^(MCP error -?\d+: )?(Not connected|Connection closed)$/.test(message);

/** Whether `fetch` got no answer. It says why, if at all, in its cause. */
export const isFetchFailure = (error: Error): boolean => error instanceof TypeError && error.message === 'fetch failed';

/** Whether `fetch` refuses the port (https://fetch.spec.whatwg.org/#port-blocking). */
export const isBlockedPort = ({ message }: Error): boolean => message === 'bad port';

/** The status with which a proxy refused to connect: undici's error has the code of any aborted request. */
export const proxyStatusIn = ({ message }: Error): string | undefined => /^Proxy response \((\d+)\)/.exec(message)?.[1];
