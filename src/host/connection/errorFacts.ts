// What the code asks of an error; `explainFailure.ts` says it to people, and is loaded with the first failure.
import { SdkHttpError } from '@modelcontextprotocol/client';
import { bugIn, messageOf } from '../../base/errors';
import { postStatusIn } from '../sdk/saidInWords';
import { type HttpFault, isHttpFault, StreamFault } from '../transport/httpFault';

/** The `HttpFault` among an error and its causes. */
export function faultOf(error: unknown): HttpFault | undefined {
  return causes(error).find(isHttpFault);
}

/** HTTP status behind an error of either HTTP transport. */
export function httpStatus(error: unknown): number | undefined {
  for (const cause of causes(error)) {
    // A fault explains itself, and its status may belong to another request.
    if (isHttpFault(cause)) return undefined;
    if (cause instanceof SdkHttpError) return cause.status;
    if (cause instanceof StreamFault && cause.status !== undefined) return cause.status;
    const status = postStatusIn(cause);
    if (status !== undefined) return status;
  }
  return undefined;
}

/** Whether the server has forgotten our session (spec until 2025-11-25: basic/transports#session-management). */
export const isSessionLost = (error: unknown): boolean => faultOf(error)?.code === 'SESSION_LOST';

/** The log level and text for an error that the SDK reports. The SDK puts whole messages into its errors. */
export function reported(error: unknown): ['error' | 'debug', string] {
  const bug = bugIn(error);
  return bug === undefined ? ['debug', messageOf(error)] : ['error', bug];
}

/** The error and what caused it, outermost first, including the parts of an `AggregateError`. */
export function causes(error: unknown, depth = 6): Error[] {
  if (!(error instanceof Error) || depth === 0) return [];
  const parts = error instanceof AggregateError ? error.errors : [];
  return [error, ...[error.cause, ...parts].flatMap(cause => causes(cause, depth - 1))];
}
