import { type HostError, INTERNAL_ERROR } from '../base/errors';
import { revealedData } from '../base/modelData';
import { revealed } from '../base/text';

/** An error in the form in which it goes over the wire (spec: JSON-RPC 2.0, error object). */
export class WireError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
    this.name = 'WireError';
  }
}

/**
 * A server's own error with its code, message and data, with hidden characters made visible; for any other error, the
 * message for people.
 */
export function wireError(error: unknown): WireError {
  if (error instanceof WireError) return error;
  const { rpcError, code, message } = error as Partial<HostError>;
  if (rpcError && Number.isSafeInteger(rpcError.code))
    return new WireError(rpcError.code, revealed(rpcError.message), revealedData(rpcError.data));
  return new WireError(
    INTERNAL_ERROR,
    revealed(message ?? String(error)),
    code === undefined ? undefined : { reason: code },
  );
}

/** Whether a person has to do something before the call can be made; the model then gets the remedy. */
export function needsPerson(error: unknown): error is HostError {
  const { name, code = '' } = error as Partial<HostError>;
  return (
    name === 'HostError' && ['CHANGED', 'NEEDS_INPUT', 'NEEDS_TRUST', 'NOT_ALLOWED', 'UNAUTHORIZED'].includes(code)
  );
}
