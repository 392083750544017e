import { METHOD_NOT_FOUND, UNSUPPORTED_PROTOCOL_VERSION } from '../../base/errors';

/** Lists, which a server may not have. */
const LIST = /^(tools|prompts|resources|resources\/templates)\/list$/;

/** A request of the host, and the code of the error that answers it. */
interface Refused {
  readonly method: string | undefined;
  readonly code: unknown;
  /** Whether it asks at the beginning of a session, before the era of the server is known. */
  readonly isProbe: boolean;
}

/**
 * Whether an error says only that a server does not know what the host asked to find out what it can do: nothing has failed.
 * At the beginning, any error but that of the versions means so (spec: basic/versioning).
 */
export function isNotSupported({ method = '', code, isProbe }: Refused): boolean {
  if (method === 'server/discover' && isProbe) return code !== UNSUPPORTED_PROTOCOL_VERSION;
  return code === METHOD_NOT_FOUND && LIST.test(method);
}
