import {
  discoverAuthorizationServerMetadata,
  type FetchLike,
  type OAuthClientInformationMixed,
} from '@modelcontextprotocol/client';
import { phrase } from '../../base/phrase';
import type { OAuthSettings } from '../settings';
import { AuthContext, type AuthOptions, type Challenge } from './authContext';
import { credentialsRefused, otherPerson } from './authFaults';
import { claimsOf, currentTokens, type Tokens } from './credentials';
import type { Discovery } from './discovery';
import { refresh } from './refresh';

/** How long an ID token must still be valid to be sent, in seconds. */
const MIN_LIFE_S = 30;

/** An identity provider at which a person signs in. */
export type IdentityProvider = NonNullable<OAuthSettings['identityProvider']> & { issuer: string };

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
    const metadata = await discoverAuthorizationServerMetadata(url, { fetchFn });
    if (!metadata) throw credentialsRefused(phrase('{0} does not describe itself as an identity provider', url));
    return { issuer: metadata.issuer, url, metadata, resource: undefined, isOld: false, scopesSupported: ['openid'] };
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
export interface Identity {
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

/**
 * Checks an ID token that came from the provider itself, over TLS, which stands for its signature (OpenID Connect Core,
 * 3.1.3.7). Throws an `HttpFault`.
 */
export function checkIdToken(tokens: Tokens, issuer: string, clientId: string, nonce: string): void {
  const { iss, aud, nonce: given } = claimsOf(tokens);
  const isOurs = iss === issuer && [aud].flat().includes(clientId) && given === nonce;
  if (!isOurs || !isCurrent(tokens)) throw otherPerson(issuer);
}

function isCurrent(tokens: Tokens): boolean {
  return Number(claimsOf(tokens).exp) > Date.now() / 1_000 + MIN_LIFE_S;
}
