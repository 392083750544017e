import { dataWithoutBytes, withoutBytes } from '../base/bytesInText';
import { type HostError, INTERNAL_ERROR, SERVER_ERROR, URL_ELICITATION_REQUIRED } from '../base/errors';
import { withoutColours } from '../base/markdownCode';
import { revealedData } from '../base/modelData';
import { revealed } from '../base/text';
import { data as boundedData, boundedText } from './formsForModels';

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

/** A server's own error, with hidden characters made visible; of any other error the message for people. */
export function wireError(error: unknown): WireError {
  if (error instanceof WireError) return error;
  const { rpcError, code, message } = error as Partial<HostError>;
  // The host has asked the person already, as far as that is allowed: the client would ask by itself.
  if (rpcError?.code === URL_ELICITATION_REQUIRED) return new WireError(SERVER_ERROR, revealed(rpcError.message));
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

/** Characters of an error's message. */
const MAX_ERROR = 8_000;

export function errorWithoutBytes({ code, message, data }: WireError): WireError {
  return new WireError(
    code,
    withoutColours(boundedText(withoutBytes(message), MAX_ERROR)),
    dataWithoutBytes(boundedData(data)),
  );
}
