import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/client';
import type { JWK_EC_Private } from 'jose';

/** The credentials that one authorization server gave for one MCP server. */
export interface Credentials {
  client: OAuthClientInformationMixed;
  /** The redirect URI with which the client is registered. */
  redirectUri?: string;
  /** A person registered the client, and typed it in. */
  isEntered?: boolean;
  tokens?: Tokens;
}

export interface Tokens extends OAuthTokens {
  /** When the access token expires, in milliseconds since 1970; undefined if unknown. */
  expiresAt?: number;
  /** Private key that the tokens are bound to (RFC 9449), as a JWK. */
  dpopKey?: JWK_EC_Private;
}

/** Everything stored for one MCP server: its credentials by issuer, and which of them are current. */
export interface Keyring {
  issuer?: string;
  byIssuer: Record<string, Credentials>;
}

/** Reads what was stored. Unreadable data counts as nothing stored. */
export function parseKeyring(text: string | undefined): Keyring {
  try {
    const kept = JSON.parse(text ?? '') as Partial<Keyring>;
    const byIssuer = Object.entries(kept.byIssuer ?? {}).filter(
      ([, { client }]) => typeof client.client_id === 'string',
    );
    return { ...(typeof kept.issuer === 'string' && { issuer: kept.issuer }), byIssuer: Object.fromEntries(byIssuer) };
  } catch {
    return { byIssuer: {} };
  }
}

/** The tokens of the current authorization server. */
export function currentTokens({ issuer, byIssuer }: Keyring): Tokens | undefined {
  return issuer === undefined ? undefined : byIssuer[issuer]?.tokens;
}

/** @param before the tokens before the renewal: what the answer leaves out stays as it was (RFC 6749, 6). */
export function received(tokens: OAuthTokens, before?: Tokens): Tokens {
  const { expires_in } = tokens;
  return {
    ...(before?.refresh_token !== undefined && { refresh_token: before.refresh_token }),
    ...(before?.scope !== undefined && { scope: before.scope }),
    ...(before?.id_token !== undefined && { id_token: before.id_token }),
    ...(before?.dpopKey && { dpopKey: before.dpopKey }),
    ...tokens,
    ...(expires_in !== undefined && { expiresAt: Date.now() + expires_in * 1_000 }),
  };
}

/** Everything in a keyring that must never be shown or written elsewhere. */
export function secretsOf({ byIssuer }: Keyring): string[] {
  return Object.values(byIssuer).flatMap(({ client, tokens }) =>
    [
      (client as { client_secret?: string }).client_secret,
      (client as { registration_access_token?: string }).registration_access_token,
      tokens?.access_token,
      tokens?.refresh_token,
      tokens?.id_token,
      tokens?.dpopKey?.d,
    ].filter(value => value !== undefined),
  );
}

/** Who signed in, according to the names in an ID token. It is not verified, because it is only shown. */
export function accountOf(tokens: Tokens | undefined): string | undefined {
  const { preferred_username, email, name } = claimsOf(tokens);
  return [preferred_username, email, name].find(value => typeof value === 'string') as string | undefined;
}

/** The claims of an ID token; empty if it is invalid. */
export function claimsOf(tokens: Tokens | undefined): Record<string, unknown> {
  try {
    return Object(JSON.parse(Buffer.from(tokens?.id_token?.split('.')[1] ?? '', 'base64url').toString()));
  } catch {
    return {};
  }
}
