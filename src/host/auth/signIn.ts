import { randomBytes, timingSafeEqual } from 'node:crypto';
import {
  exchangeAuthorization,
  type OAuthClientInformationMixed,
  startAuthorization,
} from '@modelcontextprotocol/client';
import { isLoopback } from '../../base/networkAddress';
import type { Redirect } from '../definition/ports';
import type { AuthContext, Challenge } from './authContext';
import {
  cancelled,
  explainAuth,
  otherServer,
  refusal,
  timedOut,
  unnamedServer,
  unprotectedCodes,
  wrongState,
} from './authFaults';
import { INSECURE, refused } from './boundedFetch';
import { clientAuthentication } from './clientAuthentication';
import { type Credentials, received, type Tokens } from './credentials';
import { type Discovery, protectsCodes } from './discovery';
import { DpopProofs } from './dpop';
import { checkIdToken } from './identityProvider';
import { forgetClient, register } from './registration';
import { aborted } from './untilAborted';

/** How long a person may take in the browser, unless the port says otherwise. */
const LIMIT_MINUTES = 10;

/**
 * Lets a person sign in: authorization code with PKCE (spec: basic/authorization). `state` and verifier are created for this
 * one sign-in and useless after it. Rejects with an `HttpFault`; earlier credentials then stay.
 * @param scope permissions to request.
 */
export async function signIn(
  context: AuthContext,
  challenge: Challenge,
  scope: string | undefined,
  cancel: AbortSignal,
): Promise<Tokens> {
  const fetchFn = context.fetchFor(cancel);
  let asked = context.options.url.host;
  try {
    const discovery = await context.discover(challenge, fetchFn);
    asked = discovery.issuer;
    // The metadata of identity providers often does not mention it, and what they give is not for the server.
    if (!context.isIdentity && !protectsCodes(discovery)) throw unprotectedCodes(asked);
    const keyring = await context.read();
    const wanted = withOfflineAccess(scope ?? discovery.scopesSupported?.join(' '), discovery);
    const state = random();
    const { redirect, ...known } = await register(
      { context, discovery, keyring, state, scope: wanted },
      fetchFn,
      cancel,
    );
    try {
      const tokens = await exchange(
        context,
        { ...known, discovery, redirect, state, scope: wanted, challenge },
        cancel,
      );
      await keep(context, discovery.issuer, { ...known, redirectUri: redirect.uri, tokens });
      return tokens;
    } catch (error) {
      await forgetClient(context, discovery.issuer, error).catch(() => {});
      throw error;
    } finally {
      redirect.close();
    }
  } catch (error) {
    if (cancel.aborted) throw cancelled();
    throw explainAuth(error, asked);
  }
}

/**
 * Adds to the credentials that are stored by now: a sign-in takes minutes, in which tokens are renewed and other windows sign
 * in or out.
 */
function keep(context: AuthContext, issuer: string, credentials: Credentials): Promise<void> {
  return context.alone(async held => {
    const { byIssuer } = await held.read();
    await held.write({ issuer, byIssuer: { ...byIssuer, [issuer]: credentials } });
  });
}

interface Attempt {
  discovery: Discovery;
  client: OAuthClientInformationMixed;
  redirect: Redirect;
  state: string;
  scope: string | undefined;
  challenge: Challenge;
}

async function exchange(context: AuthContext, attempt: Attempt, cancel: AbortSignal): Promise<Tokens> {
  const { learn } = context.options;
  const { discovery, client, redirect, state, scope, challenge } = attempt;
  const { metadata, resource, url, issuer } = discovery;
  const common = {
    ...(metadata && { metadata }),
    clientInformation: client,
    ...(resource !== undefined && { resource }),
  };
  const { authorizationUrl, codeVerifier } = await startAuthorization(url, {
    ...common,
    redirectUrl: redirect.uri,
    ...(scope && { scope }),
    state,
  });
  const nonce = context.isIdentity ? random() : undefined;
  if (nonce !== undefined) authorizationUrl.searchParams.set('nonce', nonce);
  learn([codeVerifier, state]);
  // The editor would open an address of any scheme.
  if (
    authorizationUrl.protocol !== 'https:' &&
    !(authorizationUrl.protocol === 'http:' && isLoopback(authorizationUrl))
  )
    throw refused(authorizationUrl, INSECURE);
  const answer = await answered(context, attempt, authorizationUrl, cancel);
  checkOrigin(answer, attempt);
  const code = answer.get('code');
  const iss = answer.get('iss');
  if (code === null) throw refusal(answer);
  learn([code]);
  const dpop = challenge.dpop ? await DpopProofs.create() : undefined;
  const tokens = await exchangeAuthorization(url, {
    ...common,
    authorizationCode: code,
    ...(iss !== null && { iss }),
    codeVerifier,
    redirectUri: redirect.uri,
    addClientAuthentication: clientAuthentication(context.settings, client, issuer),
    ...(dpop && { dpop: dpop.session }),
    fetchFn: context.fetchFor(cancel),
  });
  if (nonce !== undefined) checkIdToken(tokens, issuer, client.client_id, nonce);
  const isBound = dpop && tokens.token_type.toLowerCase() === 'dpop';
  return { ...(scope && { scope }), ...received(tokens), ...(isBound && { dpopKey: dpop.key }) };
}

/** Waits for the answer from the browser, up to the time limit. */
async function answered(
  context: AuthContext,
  { discovery: { issuer }, redirect, scope }: Attempt,
  url: URL,
  cancel: AbortSignal,
): Promise<URLSearchParams> {
  const { port, server } = context.options;
  const minutes = port.limitMinutes ?? LIMIT_MINUTES;
  const limit = AbortSignal.timeout(minutes * 60_000);
  const signal = AbortSignal.any([cancel, limit]);
  const request = { server, issuer, scopes: scope?.split(' ') ?? [], url, redirect, isShared: context.isIdentity };
  try {
    const answer = await aborted(port.authorize(request, signal), signal);
    if (answer) return answer;
  } catch (error) {
    if (limit.aborted && !cancel.aborted) throw timedOut(minutes);
    throw error;
  }
  throw cancelled();
}

/**
 * Checks that an answer, which may be an error, belongs to this request and comes from this authorization server (RFC 6749,
 * 3.1; RFC 9207, 2.4). Until then, none of it is used or shown.
 */
function checkOrigin(answer: URLSearchParams, { discovery, state }: Attempt): void {
  const isRepeated = ['state', 'code', 'error'].some(name => answer.getAll(name).length > 1);
  if (isRepeated || !isSame(answer.get('state') ?? '', state)) throw wrongState();
  const { metadata, issuer } = discovery;
  const named = answer.getAll('iss');
  if (!metadata) return;
  if (named.length === 0) {
    if (metadata.authorization_response_iss_parameter_supported === true) throw unnamedServer(issuer);
  } else if (named.length > 1 || named[0] !== metadata.issuer) throw otherServer(issuer);
}

/** Without it some servers give no refresh token (OpenID Connect Core, 11). */
function withOfflineAccess(scope: string | undefined, { metadata }: Discovery): string | undefined {
  if (!scope || scope.split(' ').includes('offline_access')) return scope;
  return metadata?.scopes_supported?.includes('offline_access') ? `${scope} offline_access` : scope;
}

const random = () => randomBytes(24).toString('base64url');

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
