import type { Progress } from '@modelcontextprotocol/client';

/** The values of a progress notification (spec: basic/utilities/progress); undefined if it is malformed. */
export function progressOf({ progress, total, message }: Record<string, unknown>): Progress | undefined {
  if (typeof progress !== 'number') return undefined;
  if (total !== undefined && typeof total !== 'number') return undefined;
  if (message !== undefined && typeof message !== 'string') return undefined;
  return { progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) };
}
