import { SdkHttpError } from '@modelcontextprotocol/client';
import { type HostErrorOptions, messageOf, type RpcError } from '../../base/errors';
import { parsedJson } from '../../base/json';
import { type Phrase, phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import type { ServerDefinition } from '../definition/definition';
import { codeText, saidOf } from '../reading/answers';
import { postRefusalIn } from '../sdk/saidInWords';
import { hasAuthorization } from './account';
import { causes } from './errorFacts';

type Explanation = Omit<HostErrorOptions, 'server' | 'action' | 'cause'>;

/** The request that was refused. */
interface Post extends Pick<ServerDefinition, 'entry'> {
  /** Whether it belongs to the start of the server. */
  readonly isStart: boolean;
}

export const REFUSED = phrase('It refused the connection. Its log may say why.');

/** Explains a refused POST: the server's own JSON-RPC error says more than the status, unless that leads to a sign-in. */
export function explainRefusal(status: number, error: unknown, circumstances: Post): Explanation {
  const said = causes(error).map(rpcErrorIn).find(Boolean);
  if (!said || status === 401 || status === 403)
    return explainStatus(status, circumstances, said ? messageOf(saidOf(said), 300) : textIn(error));
  return {
    code: 'PROTOCOL',
    status,
    rpcError: said,
    reason: phrase('it answered with error {0}, {1} (HTTP {2})', said.code, messageOf(saidOf(said), 300), status),
    ...(circumstances.isStart && { remedy: REFUSED }),
  };
}

/** Says what a server answered. Some have no codes, and send 0. */
export function saidError(error: RpcError): Phrase {
  const said = messageOf(saidOf(error));
  return error.code === 0
    ? phrase('it answered with an error, {0}', said)
    : phrase('it answered with error {0}, {1}', codeText(error.code), said);
}

/** What a server said with an HTTP error, if that is text and no page. */
function textIn(error: unknown): string {
  const { data } = Object(causes(error).find(cause => cause instanceof SdkHttpError)) as { data?: { text?: unknown } };
  const text = typeof data?.text === 'string' ? data.text.trim() : '';
  return text.startsWith('<') ? '' : visible(text, 300);
}

function explainStatus(status: number, { entry }: Post, said: string): Explanation {
  if (status === 401 || status === 403) {
    const asked = hasAuthorization(entry)
      ? phrase('it does not accept the Authorization header of its settings entry (HTTP 401)')
      : phrase('it requires you to sign in (HTTP 401)');
    const refused = said ? phrase('it refuses access (HTTP 403): {0}', said) : phrase('it refuses access (HTTP 403)');
    return {
      code: status === 401 ? 'UNAUTHORIZED' : 'FORBIDDEN',
      status,
      reason: status === 401 ? asked : refused,
      remedy: phrase('Add credentials to "headers" in its settings entry, for example an Authorization header.'),
    };
  }
  return {
    code: 'HTTP_STATUS',
    status,
    // With 404, the words of a web server add nothing.
    reason:
      said && status !== 404
        ? phrase('its URL answered with HTTP {0}: {1}', status, said)
        : phrase('its URL answered with HTTP {0}', status),
    remedy:
      status === 404
        ? phrase('Check the path in the URL: it often ends in /mcp or /sse.')
        : phrase('Check the URL, and check that the server is healthy.'),
  };
}

/** The JSON-RPC error in the body of a refused POST. */
function rpcErrorIn(error: Error): RpcError | undefined {
  const body = error instanceof SdkHttpError ? error.data?.text : postRefusalIn(error);
  if (typeof body !== 'string') return undefined;
  const { jsonrpc, error: said } = Object(parsedJson(body)) as { jsonrpc?: unknown; error?: unknown };
  const { code, message, data } = Object(said) as Partial<Record<keyof RpcError, unknown>>;
  if (jsonrpc !== '2.0' || typeof code !== 'number') return undefined;
  return { code, message: String(message), data };
}
