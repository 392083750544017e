import type { FetchLike, OAuthTokens } from '@modelcontextprotocol/client';
import { english, type Phrase, phrase } from '../../base/phrase';
import type { DpopProofs } from './dpop';

/** What an authorization server answered in place of tokens (RFC 6749, 5.2). Has the name and code of the SDK's. */
export class TokenError extends Error {
  override readonly name = 'OAuthError';
  /** Unless it was the server that described it. */
  readonly phrase: Phrase | undefined;

  constructor(
    readonly code: string,
    description: Phrase | string,
  ) {
    super(english(description));
    this.phrase = typeof description === 'string' ? undefined : description;
  }
}

interface TokenRequest {
  readonly headers: Headers;
  readonly body: URLSearchParams;
  readonly fetchFn: FetchLike;
  readonly dpop?: DpopProofs | undefined;
}

/** Asks a token endpoint (RFC 6749, 4.4), once: who is refused is not heard again. */
export async function requestTokens(url: string, { headers, body, fetchFn, dpop }: TokenRequest): Promise<OAuthTokens> {
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
