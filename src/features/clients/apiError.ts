import type { McpHostError, McpHostErrorCode } from '../../../docs/api';
import { type HostError, messageOf } from '../../base/errors';

/** An error for an extension. In English, for its log. */
export class ApiError extends Error implements McpHostError {
  override readonly name = 'McpHostError';
  readonly rpcCode?: number;

  constructor(
    readonly code: McpHostErrorCode,
    message: string,
    options: ErrorOptions & { readonly rpcCode?: number | undefined } = {},
  ) {
    super(message, options);
    if (options.rpcCode !== undefined) this.rpcCode = options.rpcCode;
  }
}

/** The codes of the host that mean something to an extension. */
const CODES = new Map<string, McpHostErrorCode>([
  ...(['BUSY', 'CANCELLED', 'CHANGED', 'NOT_READY', 'PROTOCOL', 'TIMEOUT'] as const).map(code => [code, code] as const),
  ['DENIED', 'REFUSED'],
  ['NOT_ALLOWED', 'REFUSED'],
  // The server waits for the person.
  ['NEEDS_INPUT', 'NOT_READY'],
  ['NEEDS_TRUST', 'NOT_READY'],
  ['UNAUTHORIZED', 'NOT_READY'],
]);

/** Converts whatever was thrown into an error for an extension. */
export function apiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const { code = '', rpcCode } = (error ?? {}) as Partial<HostError>;
  return new ApiError(CODES.get(code) ?? 'FAILED', messageOf(error, 1_000), { cause: error, rpcCode });
}

/** A JSON copy of a value from an extension, which later changes do not affect. */
export function copyOf<T>(value: T): T {
  try {
    return JSON.parse(JSON.stringify(value)) as T;
  } catch (error) {
    throw new ApiError('INVALID', 'What was given cannot be written as JSON.', { cause: error });
  }
}
