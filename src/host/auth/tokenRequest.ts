import type { FetchLike, OAuthTokens } from '@modelcontextprotocol/client';
import type { DpopProofs } from './dpop';

/** What an authorization server answered in place of tokens (RFC 6749, 5.2). Has the name and code of the SDK's. */
export class TokenError extends Error {
  override readonly name = 'OAuthError';

  constructor(
    readonly code: string,
    description: string,
  ) {
    super(description);
  }
}

/** Asks a token endpoint (RFC 6749, 4.4), once: who is refused is not heard again. */
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
  const { access_token, token_type, error = 'invalid_answer', error_description = 'it gave no token' } = answer;
  if (typeof access_token === 'string' && typeof token_type === 'string') return answer as OAuthTokens;
  throw new TokenError(String(error), String(error_description));
}
