import type { FetchLike, OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/client';
import { english, type Phrase, phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import type { OAuthSettings } from '../settings';
import {
  AuthContext,
  type AuthOptions,
  type Challenge,
  claimsOf,
  currentTokens,
  received,
  type Tokens,
} from './authContext';
import { accessRefused, credentialsRefused, otherIssuer, otherPerson, signInNeeded, wordsOf } from './authFaults';
import { clientAuthentication, clientOf, DpopProofs } from './clientAuthentication';
import { authorizationServer, type Discovery } from './discovery';
import { drop, refresh } from './refresh';
import { withReadableErrors } from './tokenErrors';

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:';
const ID_JAG = `${TOKEN_TYPE}id-jag`;

/** The identity provider at which a person signs in once for all servers of their organization, if the settings name one. */
export function providerOf(settings: OAuthSettings | undefined): IdentityProvider | undefined {
  const { grant, assertion, identityProvider } = settings ?? {};
  const issuer = identityProvider?.issuer;
  if (grant !== 'jwt_bearer' || assertion !== undefined || issuer === undefined) return undefined;
  return { ...identityProvider!, issuer };
}

/**
 * Gets tokens without asking a person: by client credentials with a secret or a private key, or by the assertion of a workload
 * or of an identity provider (RFC 6749, 4.4; RFC 7523). The request goes to the `issuer` in the settings entry; without one, to
 * the first that the server named, and to no other.
 * @param scope permissions to ask for. Default: those of the settings entry, or those that the server names.
 */
export async function grantedTokens(
  context: AuthContext,
  challenge: Challenge,
  signal: AbortSignal,
  scope?: string,
): Promise<Tokens> {
  const isKnown = context.settings?.issuer !== undefined || (await context.read()).issuer !== undefined;
  const asked = (held: AuthContext) => ask(held, challenge, signal, scope);
  // The first request fixes the issuer for all windows.
  return isKnown ? asked(context) : context.alone(asked);
}

async function ask(context: AuthContext, challenge: Challenge, signal: AbortSignal, given?: string): Promise<Tokens> {
  const settings = context.settings!;
  const fetchFn = context.fetchFor(signal);
  const discovery = await context.discover(challenge, fetchFn);
  const { issuer, audience, metadata, resource, url, isByHand } = discovery;
  const kept = await context.read();
  // An accepted name says nothing about the address that uses it.
  const isNamed = isByHand || (settings.issuer !== undefined && issuer === audience);
  if (!isNamed && kept.issuer !== undefined && kept.issuer !== issuer) throw otherIssuer(kept.issuer, issuer);
  const scope = given ?? settings.scopes?.join(' ') ?? challenge.scope ?? discovery.scopesSupported?.join(' ');
  const client = clientFor(context, discovery);
  const { body, identity } = await grantOf({ context, settings, discovery, scope, fetchFn, signal });
  if (resource !== undefined) body.set('resource', resource);
  const endpoint = metadata?.token_endpoint ?? new URL('/token', url).href;
  const headers = new Headers();
  await clientAuthentication(settings, client, audience)(headers, body, endpoint, metadata);
  const dpop = challenge.dpop ? await DpopProofs.create() : undefined;
  const tokens = {
    ...received(await requestTokens(endpoint, { headers, body, fetchFn, dpop })),
    // Says who signed in.
    ...(identity?.tokens?.id_token !== undefined && { id_token: identity.tokens.id_token }),
  };
  if (kept.issuer === undefined)
    await context.write({ issuer, byIssuer: { [issuer]: { client: { client_id: client.client_id } } } });
  return dpop && tokens.token_type.toLowerCase() === 'dpop' ? { ...tokens, dpopKey: dpop.key } : tokens;
}

function clientFor({ settings, options }: AuthContext, { metadata, issuer }: Discovery) {
  const { clientId, clientSecret } = settings ?? {};
  if (clientId !== undefined) return clientOf({ clientId, clientSecret });
  const { clientMetadataUrl } = options.port;
  if (clientMetadataUrl !== undefined && metadata?.client_id_metadata_document_supported)
    return { client_id: clientMetadataUrl };
  throw credentialsRefused(phrase('{0} requires a "clientId"', visible(issuer, 200)));
}

interface TokenQuestion {
  context: AuthContext;
  settings: OAuthSettings;
  discovery: Discovery;
  scope: string | undefined;
  fetchFn: FetchLike;
  signal: AbortSignal;
}

/** The grant of a token request, without client and resource. */
async function grantOf(asked: TokenQuestion): Promise<{ body: URLSearchParams; identity?: Identity }> {
  const { settings, scope } = asked;
  const scoped = (parameters: Record<string, string>, allowed = scope) =>
    new URLSearchParams({ ...parameters, ...(allowed && { scope: allowed }) });
  if (settings.grant === 'client_credentials') return { body: scoped({ grant_type: 'client_credentials' }) };
  const { assertion, identityProvider } = settings;
  if (assertion !== undefined && !identityProvider) return { body: scoped({ grant_type: JWT_BEARER, assertion }) };
  const identity = await proven(asked);
  const jag = await exchange(asked, identity);
  return { body: scoped({ grant_type: JWT_BEARER, assertion: jag.access_token }, jag.scope), identity };
}

/** The person's identity: from the settings entry, or from their sign-in at the identity provider. */
async function proven({ context, settings, signal }: TokenQuestion): Promise<Identity> {
  const { assertion, identityProvider } = settings;
  const { issuer, tokenUrl } = identityProvider ?? {};
  if (!identityProvider || (issuer ?? (assertion && tokenUrl)) === undefined)
    throw credentialsRefused(phrase('it lacks an "assertion", or the "issuer" of an "identityProvider"'));
  if (assertion !== undefined) return { token: assertion, type: 'id_token', client: clientOf(identityProvider) };
  const identity = await identityOf(new IdentityContext(context.options, providerOf(settings)!), signal);
  if (!identity) throw signInNeeded(false);
  return identity;
}

/** Enterprise-managed authorization (ext-auth, 4): the identity provider makes an assertion for this server. */
async function exchange({ context, settings, discovery, scope, ...asked }: TokenQuestion, identity: Identity) {
  const { issuer = '', tokenUrl, ...provider } = settings.identityProvider!;
  const place = new IdentityContext(context.options, { ...provider, issuer });
  const isGiven = settings.assertion !== undefined && tokenUrl !== undefined;
  const { metadata } = isGiven ? { metadata: undefined } : await place.discover({}, place.fetchFor(asked.signal));
  const headers = new Headers();
  const body = new URLSearchParams({
    grant_type: TOKEN_EXCHANGE,
    requested_token_type: ID_JAG,
    audience: discovery.audience,
    ...(discovery.resource !== undefined && { resource: discovery.resource }),
    ...(scope && { scope }),
    subject_token: identity.token,
    subject_token_type: TOKEN_TYPE + identity.type,
  });
  const endpoint = isGiven ? tokenUrl : metadata!.token_endpoint;
  await clientAuthentication(undefined, identity.client, issuer)(headers, body, endpoint, metadata);
  const fetchFn = isGiven ? asked.fetchFn : place.fetchFor(asked.signal);
  try {
    const jag = await requestTokens(endpoint, { headers, body, fetchFn });
    if ((jag as { issued_token_type?: unknown }).issued_token_type !== ID_JAG)
      throw new TokenError('invalid_answer', phrase('it gave no assertion'));
    context.options.learn([jag.access_token]);
    return jag;
  } catch (error) {
    if (!(error instanceof TokenError)) throw error;
    const at = visible(isGiven ? new URL(tokenUrl).host : issuer, 200);
    if (!identity.tokens || error.code !== 'invalid_grant')
      throw accessRefused(at, visible(error.code, 60), wordsOf(error));
    // The provider no longer accepts the sign-in.
    const { tokens } = identity;
    await place.alone(async held => drop(held, await held.read(), tokens));
    throw signInNeeded(true);
  }
}

/** An authorization server's error response to a token request (RFC 6749, 5.2). Has the name and code of the SDK's. */
class TokenError extends Error {
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

/** Requests tokens from a token endpoint (RFC 6749, 4.4). A refusal is final, unless it asks for a DPoP nonce. */
async function requestTokens(url: string, { headers, body, fetchFn, dpop }: TokenRequest): Promise<OAuthTokens> {
  headers.set('accept', 'application/json');
  const send = async () => {
    if (dpop) headers.set('dpop', await dpop.buildProof({ htm: 'POST', htu: url }));
    const response = await withReadableErrors(fetchFn)(url, { method: 'POST', headers, body });
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

/** How long an ID token must still be valid to be sent, in seconds. */
const MIN_LIFE_S = 30;

type IdentityProvider = NonNullable<OAuthSettings['identityProvider']> & { issuer: string };

/**
 * The person's sign-in at the identity provider of their organization (ext-auth: enterprise-managed authorization, 3). It is
 * kept once for all servers whose settings name the same provider and client.
 */
export class IdentityContext extends AuthContext {
  override readonly isIdentity = true;

  constructor(
    options: AuthOptions,
    private readonly provider: IdentityProvider,
    stillAlone?: () => Promise<void>,
  ) {
    super(options, stillAlone);
  }

  override get settings(): OAuthSettings {
    const { clientId, clientSecret } = this.provider;
    const redirectUri = this.options.settings?.redirectUri;
    return {
      clientId,
      ...(clientSecret !== undefined && { clientSecret }),
      ...(redirectUri !== undefined && { redirectUri }),
    };
  }

  /** Its endpoints come from its own metadata alone: whatever else a settings entry names never gets the ID token. */
  override async discover(_challenge: Challenge, fetchFn: FetchLike): Promise<Discovery> {
    const { issuer: url } = this.provider;
    const found = await authorizationServer(url, fetchFn);
    if (!found) throw credentialsRefused(phrase('{0} does not describe itself as an identity provider', url));
    return { ...found, resource: undefined, isOld: false, scopesSupported: ['openid'] };
  }

  protected override get base(): URL {
    return new URL(this.provider.issuer);
  }

  protected override get place(): [undefined, string] {
    const { issuer, clientId } = this.provider;
    return [undefined, JSON.stringify([issuer, clientId])];
  }

  protected override held(stillAlone: () => Promise<void>): IdentityContext {
    return new IdentityContext(this.options, this.provider, stillAlone);
  }
}

/** A proof for the identity provider of who the person and the client are. */
interface Identity {
  token: string;
  type: 'id_token' | 'refresh_token';
  client: OAuthClientInformationMixed;
  /** The provider's tokens with it, if the person signed in there. */
  tokens?: Tokens;
}

/** The kept proof of who the person is, renewed if it has expired. Undefined: they have to sign in. */
export async function identityOf(context: IdentityContext, signal: AbortSignal): Promise<Identity | undefined> {
  const kept = currentTokens(await context.read());
  const isValid = kept && isCurrent(kept);
  const tokens = kept && !isValid ? await refresh(context, { challenge: {}, failed: kept.access_token, signal }) : kept;
  if (!tokens) return undefined;
  const { issuer = '', byIssuer } = await context.read();
  const client = byIssuer[issuer]?.client;
  if (!client) return undefined;
  if (isCurrent(tokens)) return { token: tokens.id_token!, type: 'id_token', client, tokens };
  // Some providers issue no new ID token with a renewal, but accept the refresh token instead.
  const { refresh_token: token } = tokens;
  return token === undefined ? undefined : { token, type: 'refresh_token', client, tokens };
}

/** Checks an ID token of the provider itself, over TLS in place of a signature (OpenID Connect Core, 3.1.3.7). */
export function checkIdToken(tokens: Tokens, issuer: string, clientId: string, nonce: string): void {
  const { iss, aud, nonce: given } = claimsOf(tokens);
  const isOurs = iss === issuer && [aud].flat().includes(clientId) && given === nonce;
  if (!isOurs || !isCurrent(tokens)) throw otherPerson(issuer);
}

const isCurrent = (tokens: Tokens): boolean => Number(claimsOf(tokens).exp) > Date.now() / 1_000 + MIN_LIFE_S;
