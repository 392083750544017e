import type { AuthContext, Challenge } from './authContext';
import { clientAuthentication } from './clientAuthentication';
import { type Keyring, parseKeyring } from './credentials';

/**
 * Ends a sign-in: deletes it, then revokes the tokens if the authorization server has a revocation endpoint (RFC 7009).
 * @returns whether it was notified.
 */
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
  const authenticate = clientAuthentication(context.settings, client, issuer);
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
