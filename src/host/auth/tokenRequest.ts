import type { FetchLike, OAuthTokens } from '@modelcontextprotocol/client';
import { english, type Phrase, phrase } from '../../base/phrase';
import type { DpopProofs } from './dpop';

/** An error response of a token endpoint (RFC 6749, 5.2). Has the name and code of the SDK's class. */
export class TokenError extends Error {
  override readonly name = 'OAuthError';
  /** Undefined if the description comes from the server. */
  readonly phrase: Phrase | undefined;

  constructor(
    readonly code: string,
    description: Phrase | string,
  ) {
    super(english(description));
    this.phrase = typeof description === 'string' ? undefined : description;
  }
}

/** Sends one request to a token endpoint (RFC 6749, 4.4). A refusal is not retried. */
export async function requestTokens(
  url: string,
  headers: Headers,
  body: URLSearchParams,
  fetchFn: FetchLike,
  dpop?: DpopProofs,
): Promise<OAuthTokens> {
  headers.set('accept', 'application/json');
  const send = async () => {
    if (dpop) headers.set('dpop', await dpop.buildProof({ htm: 'POST', htu: url }));
    const response = await fetchFn(url, { method: 'POST', headers, body });
    dpop?.observeNonce(response, url);
    return (await response.json().catch(() => ({}))) as Partial<OAuthTokens> & Record<string, unknown>;
  };
  let answer = await send();
  if (dpop && answer.error === 'use_dpop_nonce') answer = await send();
  const { access_token, token_type, error = 'invalid_answer', error_description } = answer;
  if (typeof access_token === 'string' && typeof token_type === 'string') return answer as OAuthTokens;
  const description = error_description === undefined ? phrase('it returned no token') : String(error_description);
  throw new TokenError(String(error), description);
}
