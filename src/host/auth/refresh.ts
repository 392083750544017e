import { refreshAuthorization } from '@modelcontextprotocol/client';
import {
  type AuthContext,
  type Challenge,
  currentTokens,
  type Keyring,
  parseKeyring,
  received,
  type Tokens,
} from './authContext';
import { explainAuth, refusalIn } from './authFaults';
import { clientAuthentication, type DpopProofs } from './clientAuthentication';
import { withReadableErrors } from './tokenErrors';

interface RefreshOptions {
  readonly challenge: Challenge;
  /** The access token that is no longer valid. */
  readonly failed: string | undefined;
  readonly proofs?: (tokens: Tokens) => DpopProofs | undefined;
  readonly signal: AbortSignal;
}

/**
 * Renews the stored tokens, in one window at a time, because most refresh tokens can be used only once. Tokens that another
 * window has got meanwhile are used. Undefined if there is nothing to renew, or if the authorization server refuses, and a
 * person has to sign in again. Any other failure is no answer about the sign-in: it rejects, and the tokens stay.
 */
export function refresh(context: AuthContext, options: RefreshOptions): Promise<Tokens | undefined> {
  return context.alone(async held => {
    const keyring = await held.read();
    const tokens = currentTokens(keyring);
    if (!tokens || tokens.access_token !== options.failed) return tokens;
    if (tokens.refresh_token === undefined) return drop(held, keyring, tokens);
    try {
      return await renew(held, keyring, options);
    } catch (error) {
      const code = refusalIn(error);
      if (code === undefined) throw explainAuth(error, keyring.issuer!);
      return drop(held, await held.read(), tokens, code === 'invalid_client' || code === 'unauthorized_client');
    }
  });
}

async function renew(
  context: AuthContext,
  keyring: Keyring,
  { challenge, proofs, signal }: RefreshOptions,
): Promise<Tokens | undefined> {
  const fetchFn = context.fetchFor(signal);
  const { issuer, audience, url, metadata, resource } = await context.discover(challenge, fetchFn);
  const kept = keyring.byIssuer[keyring.issuer!]!;
  const tokens = kept.tokens!;
  // The server has moved to another authorization server, which must not get this refresh token.
  if (issuer !== keyring.issuer) return drop(context, keyring, tokens);
  const dpop = proofs?.(tokens);
  const fresh = await refreshAuthorization(url, {
    ...(metadata && { metadata }),
    clientInformation: kept.client,
    refreshToken: tokens.refresh_token!,
    ...(resource !== undefined && { resource }),
    addClientAuthentication: clientAuthentication(context.settings, kept.client, audience),
    ...(dpop && { dpop: dpop.session }),
    fetchFn: withReadableErrors(fetchFn),
  });
  const renewed = received(fresh, tokens);
  await context.write({ issuer, byIssuer: { ...keyring.byIssuer, [issuer]: { ...kept, tokens: renewed } } });
  return renewed;
}

/** Deletes tokens that are no longer valid, unless others have replaced them, which are returned. */
export async function drop(
  context: AuthContext,
  keyring: Keyring,
  dead: Tokens,
  clientToo = false,
): Promise<Tokens | undefined> {
  const tokens = currentTokens(keyring);
  if (tokens?.access_token !== dead.access_token) return tokens;
  const { issuer = '', byIssuer } = keyring;
  const { [issuer]: kept, ...others } = byIssuer;
  const { tokens: _, ...client } = kept!;
  await context.write(clientToo ? { byIssuer: others } : { issuer, byIssuer: { ...others, [issuer]: client } });
  return undefined;
}

/** Deletes a sign-in, then revokes its tokens if possible (RFC 7009). @returns whether the server was notified. */
export function signOut(context: AuthContext, challenge: Challenge, signal: AbortSignal): Promise<boolean> {
  return context.alone(async held => {
    const keyring = await held.read();
    await held.write(parseKeyring(undefined));
    try {
      // Even without the lock, because the revoked tokens are no longer stored anywhere.
      return await revoke(context, challenge, keyring, signal);
    } catch {
      // It is deleted here in any case.
      return false;
    }
  });
}

async function revoke(
  context: AuthContext,
  challenge: Challenge,
  { issuer = '', byIssuer }: Keyring,
  signal: AbortSignal,
): Promise<boolean> {
  const { client, tokens } = byIssuer[issuer] ?? {};
  if (!client || !tokens) return false;
  const fetchFn = context.fetchFor(signal);
  const discovery = await context.discover(challenge, fetchFn);
  // The SDK's type for the metadata of an OpenID provider lacks it.
  const endpoint = (discovery.metadata as { revocation_endpoint?: string } | undefined)?.revocation_endpoint;
  if (discovery.issuer !== issuer || endpoint === undefined) return false;
  const authenticate = clientAuthentication(context.settings, client, discovery.audience);
  let told = false;
  // The refresh token first, because the others usually become invalid with it.
  for (const type of ['refresh_token', 'access_token'] as const) {
    const token = tokens[type];
    if (token === undefined) continue;
    const body = new URLSearchParams({ token, token_type_hint: type });
    const headers = new Headers();
    await authenticate(headers, body, endpoint, discovery.metadata);
    told = (await fetchFn(endpoint, { method: 'POST', headers, body })).ok || told;
  }
  return told;
}
