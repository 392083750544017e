// What the code asks of an error; `explainFailure.ts` says it to people, and is loaded with the first failure.
import { ProtocolError, SdkError, SdkHttpError } from '@modelcontextprotocol/client';
import { HostError, type HostErrorCode } from '../../base/errors';
import { isObject } from '../../base/json';
import { startOf } from '../../base/text';
import { postStatusIn, unknownVersionIn } from '../sdk/saidInWords';
import { isTransportFault, StreamFault, type TransportFault } from '../transport/transportFault';

/**
 * Whether an outdated verdict may have caused a failed start: the server was reached and rejected what it was sent. False if
 * it could not be launched or reached, asks for a sign-in, or is broken itself.
 */
export function contradicts(error: unknown): boolean {
  const status = httpStatus(error);
  if (status !== undefined) return status >= 400 && status < 500 && ![401, 403, 429].includes(status);
  return error instanceof ProtocolError || error instanceof SdkError || unknownVersionIn(error) !== undefined;
}

/** Faults of the server or the way to it. All others are ours, or those of a sign-in. */
const OF_SERVER = new Set<HostErrorCode>(['CLOSED', 'PROTOCOL', 'TOO_LARGE', 'UNREACHABLE']);

/** Whether a failed probe leaves the era open: it neither says what only a server of the modern era would, nor asks for a sign-in. */
export function leavesEraOpen(error: unknown): boolean {
  const fault = faultOf(error);
  if (fault) return OF_SERVER.has(fault.code);
  return httpStatus(error) !== 401 && !(error instanceof ProtocolError);
}

/** Whether this is how a server of the modern era alone refuses `initialize` (spec: basic/versioning#compatibility-matrix). */
export const refuses = (error: unknown): boolean => error instanceof ProtocolError || httpStatus(error) === 400;

/** The `TransportFault` among an error and its causes, or which took the place of an answer. */
export function faultOf(error: unknown): TransportFault | undefined {
  const fault = causes(error).find(isTransportFault) ?? (error instanceof ProtocolError ? error.data : undefined);
  return isTransportFault(fault) ? fault : undefined;
}

export function httpStatus(error: unknown): number | undefined {
  for (const cause of causes(error)) {
    // A fault explains itself, and its status may belong to another request.
    if (isTransportFault(cause)) return undefined;
    if (cause instanceof SdkHttpError) return cause.status;
    if (cause instanceof StreamFault && cause.status !== undefined) return cause.status;
    const status = postStatusIn(cause);
    if (status !== undefined) return status;
  }
  return undefined;
}

/** The error and what caused it, outermost first, including the parts of an `AggregateError`. */
export function causes(error: unknown, depth = 6): Error[] {
  if (!(error instanceof Error) || depth === 0) return [];
  const parts = error instanceof AggregateError ? error.errors : [];
  return [error, ...[error.cause, ...parts].flatMap(cause => causes(cause, depth - 1))];
}

/** Characters of a message that are redacted, which takes time, and that stay: so none of them ends within a secret that is known. */
const MAX_REDACTED = 20_000;
const MAX_MESSAGE = 16_000;

/**
 * Redacts what an error that is not ours and its causes say, in their messages and the texts of their data, before a part of it is cut
 * out elsewhere.
 */
export function redactCauses(error: unknown, redact: (text: string) => string): void {
  for (const cause of causes(error)) {
    if (cause instanceof HostError) continue;
    redactText(cause, 'message', redact);
    redactText(cause, 'data', redact);
    const { data } = cause as { data?: unknown };
    if (isObject(data)) for (const name of Object.keys(data)) redactText(data, name, redact);
  }
}

function redactText(object: object, name: string, redact: (text: string) => string): void {
  const members = object as Record<string, unknown>;
  const text = members[name];
  if (typeof text === 'string') members[name] = startOf(redact(startOf(text, MAX_REDACTED)), MAX_MESSAGE);
}
