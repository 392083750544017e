import type { ElicitRequestURLParams } from '@modelcontextprotocol/client';
import { URL_ELICITATION_REQUIRED } from '../../base/errors';

const MAX_URLS = 5;

/** The pages that a refused request requires; empty for any other error. */
export function requiredUrls(error: unknown): ElicitRequestURLParams[] {
  const { code, data } = (error ?? {}) as { code?: unknown; data?: { elicitations?: unknown } };
  if (code !== URL_ELICITATION_REQUIRED || !Array.isArray(data?.elicitations)) return [];
  return data.elicitations.filter(isUrlRequest).slice(0, MAX_URLS);
}

function isUrlRequest(value: Partial<ElicitRequestURLParams> | null): boolean {
  const { url, message, elicitationId } = value ?? {};
  return [url, message, elicitationId].every(text => typeof text === 'string');
}
