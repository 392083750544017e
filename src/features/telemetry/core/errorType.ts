/** A value of `error.type` has to be one of few: nothing that a server writes freely, and no part of a message. */
const CODE = /^[A-Za-z][A-Za-z0-9_]{0,59}$/;
const OTHER = '_OTHER';
const MAX_CAUSES = 5;

/** The `error.type` of a request that was not answered. */
export function errorType(reason: unknown, depth = MAX_CAUSES): string {
  // Whoever cancels gives a text, or none, or what an `AbortController` gives.
  if (!(reason instanceof Error) || reason.name === 'AbortError') return 'cancelled';
  const { code, status, cause } = reason as Error & { code?: unknown; status?: unknown };
  if (typeof status === 'number') return String(status);
  if (reason.name === 'TimeoutError' || code === 'REQUEST_TIMEOUT') return 'timeout';
  if (typeof code === 'string' && CODE.test(code)) return code;
  if (cause instanceof Error && depth > 0) return errorType(cause, depth - 1);
  return OTHER;
}

/** The code of a JSON-RPC error, as `rpc.response.status_code` has it. */
export function statusCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return Number.isSafeInteger(code) ? String(code) : undefined;
}
