import type { ElicitRequestURLParams } from '@modelcontextprotocol/client';

/** `URL_ELICITATION_REQUIRED` (spec 2025-11-25: client/elicitation#url-elicitation-required-error). */
const REQUIRED = -32042;
const MAX_URLS = 5;
/** How often one request is repeated: a server that is never satisfied must not ask forever. */
const MAX_VISITS = 3;

/** Has the person visit pages. Resolves with true if the request that needs them should be repeated. */
export type Visit = (urls: readonly ElicitRequestURLParams[]) => Promise<boolean>;

/**
 * Sends a request, and sends it again if the server refused it until the person had visited a page and they have done so.
 */
export async function sendAfterVisits<T>(send: () => Promise<T>, visit: Visit): Promise<T> {
  for (let visits = 0; ; visits++) {
    try {
      return await send();
    } catch (error) {
      const urls = requiredUrls(error);
      if (urls.length === 0 || visits >= MAX_VISITS || !(await visit(urls))) throw error;
    }
  }
}

/** The pages that a refused request needs; none for any other error. */
export function requiredUrls(error: unknown): ElicitRequestURLParams[] {
  const { code, data } = (error ?? {}) as { code?: unknown; data?: { elicitations?: unknown } };
  if (code !== REQUIRED || !Array.isArray(data?.elicitations)) return [];
  return data.elicitations.filter(isUrlRequest).slice(0, MAX_URLS);
}

function isUrlRequest(value: Partial<ElicitRequestURLParams> | null): boolean {
  const { url, message, elicitationId } = value ?? {};
  return [url, message, elicitationId].every(text => typeof text === 'string');
}
