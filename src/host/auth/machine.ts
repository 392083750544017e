import type { FetchLike } from '@modelcontextprotocol/client';
import { authenticate } from './clientAuthentication';
import type { AuthContext, Challenge } from './context';
import { received, type Tokens } from './credentials';
import type { Discovery } from './discovery';
import { DpopProofs } from './dpop';
import { otherIssuer } from './faults';
import { privateKeyJwt } from './privateKeyJwt';
import type { OAuthSettings } from './settings';
import { requestTokens } from './tokenRequest';

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:';

/** Whether the settings entry has everything that is needed, so that nobody has to sign in. */
export function isMachine(settings: OAuthSettings | undefined): boolean {
  return settings?.grant === 'client_credentials' || settings?.grant === 'jwt_bearer';
}

/**
 * Gets tokens with the credentials of the settings entry alone: client credentials with a secret or a private key, or the
 * assertion of a workload or of an identity provider (RFC 6749, 4.4; RFC 7523). They go to the `issuer` in the entry; if
 * there is none, to the one that the server named first, and to no other.
 */
export async function machineTokens(context: AuthContext, challenge: Challenge, signal: AbortSignal): Promise<Tokens> {
  const isKnown = context.settings?.issuer !== undefined || (await context.read()).issuer !== undefined;
  // The first time decides the issuer, for all windows.
  return isKnown ? ask(context, challenge, signal) : context.alone(held => ask(held, challenge, signal));
}

async function ask(context: AuthContext, challenge: Challenge, signal: AbortSignal): Promise<Tokens> {
  const settings = context.settings!;
  const fetchFn = context.fetchFor(signal);
  const discovery = await context.discover(challenge, fetchFn);
  const { issuer, metadata, resource, url } = discovery;
  const kept = await context.read();
  if (settings.issuer === undefined && kept.issuer !== undefined && kept.issuer !== issuer)
    throw otherIssuer(kept.issuer, issuer);
  const body = await grantOf(settings, discovery, fetchFn);
  const scope = settings.scopes?.join(' ') ?? challenge.scope ?? discovery.scopesSupported?.join(' ');
  if (scope) body.set('scope', scope);
  if (resource !== undefined) body.set('resource', resource);
  const endpoint = metadata?.token_endpoint ?? new URL('/token', url).href;
  const headers = new Headers();
  const client = clientOf(settings);
  if (settings.privateKey === undefined) authenticate(client, discovery, headers, body);
  else await privateKeyJwt(client.client_id, settings.privateKey, issuer)(headers, body, endpoint, metadata);
  const dpop = challenge.dpop ? await DpopProofs.create() : undefined;
  const tokens = received(await requestTokens(endpoint, headers, body, fetchFn, dpop));
  if (kept.issuer === undefined)
    await context.write({ issuer, byIssuer: { [issuer]: { client: { client_id: client.client_id } } } });
  return dpop && tokens.token_type.toLowerCase() === 'dpop' ? { ...tokens, dpopKey: dpop.key } : tokens;
}

const clientOf = ({ clientId = '', clientSecret }: OAuthSettings) => ({
  client_id: clientId,
  ...(clientSecret !== undefined && { client_secret: clientSecret }),
});

async function grantOf(settings: OAuthSettings, discovery: Discovery, fetchFn: FetchLike): Promise<URLSearchParams> {
  if (settings.grant === 'client_credentials') return new URLSearchParams({ grant_type: 'client_credentials' });
  const assertion = settings.assertion ?? '';
  if (!settings.identityProvider) return new URLSearchParams({ grant_type: JWT_BEARER, assertion });
  // Enterprise-managed authorization: the identity provider turns a person's ID token into an assertion for this server.
  const { tokenUrl, clientId } = settings.identityProvider;
  const { access_token } = await requestTokens(
    tokenUrl,
    new Headers(),
    new URLSearchParams({
      grant_type: TOKEN_EXCHANGE,
      requested_token_type: `${TOKEN_TYPE}id-jag`,
      audience: discovery.issuer,
      ...(discovery.resource !== undefined && { resource: discovery.resource }),
      subject_token: assertion,
      subject_token_type: `${TOKEN_TYPE}id_token`,
      client_id: clientId,
    }),
    fetchFn,
  );
  return new URLSearchParams({ grant_type: JWT_BEARER, assertion: access_token });
}
