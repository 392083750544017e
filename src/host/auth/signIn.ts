import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { FetchLike, OAuthClientInformationMixed } from '@modelcontextprotocol/client';
import type { Redirect } from '../ports';
import { isLoopback } from './address';
import { INSECURE, refused } from './boundedFetch';
import type { AuthContext, Challenge } from './context';
import { type Credentials, type Keyring, received, type Tokens } from './credentials';
import type { Discovery } from './discovery';
import { DpopProofs } from './dpop';
import { cancelled, explainAuth, refusal, timedOut, wrongState } from './faults';
import { privateKeyJwt } from './privateKeyJwt';
import { clientFor } from './registration';

/** How long a person may take in the browser, unless the port says otherwise. */
const LIMIT_MINUTES = 10;

/**
 * Lets a person sign in: authorization code with PKCE (spec: basic/authorization). `state` and verifier are made for this
 * one sign-in and are worth nothing after it. Rejects with an `HttpFault`; what was kept before stays then.
 * @param scope what the tokens are to allow.
 */
export async function signIn(
  context: AuthContext,
  challenge: Challenge,
  scope: string | undefined,
  cancel: AbortSignal,
): Promise<Tokens> {
  const minutes = context.options.port.limitMinutes ?? LIMIT_MINUTES;
  const limit = AbortSignal.timeout(minutes * 60_000);
  const signal = AbortSignal.any([cancel, limit]);
  const fetchFn = context.fetchFor(signal);
  let asked = context.options.url.host;
  try {
    const discovery = await context.discover(challenge, fetchFn);
    asked = discovery.issuer;
    const keyring = await context.read();
    const wanted = withOfflineAccess(scope ?? discovery.scopesSupported?.join(' '), discovery);
    const state = randomBytes(24).toString('base64url');
    const { client, redirect } = await register(context, discovery, keyring, state, wanted, fetchFn);
    try {
      const tokens = await exchange(context, { discovery, client, redirect, state, scope: wanted, challenge }, signal);
      await keep(context, discovery.issuer, { client, redirectUri: redirect.uri, tokens });
      return tokens;
    } finally {
      redirect.close();
    }
  } catch (error) {
    if (limit.aborted) throw timedOut(minutes);
    if (cancel.aborted) throw cancelled();
    throw explainAuth(error, asked);
  }
}

/** Adds to what is kept by now: a person takes minutes, in which tokens are renewed and other windows sign in or out. */
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

async function exchange(context: AuthContext, attempt: Attempt, signal: AbortSignal): Promise<Tokens> {
  const { sdk, port, server, learn } = context.options;
  const { discovery, client, redirect, state, scope, challenge } = attempt;
  const { metadata, resource, url, issuer } = discovery;
  const common = {
    ...(metadata && { metadata }),
    clientInformation: client,
    ...(resource !== undefined && { resource }),
  };
  const { authorizationUrl, codeVerifier } = await sdk.startAuthorization(url, {
    ...common,
    redirectUrl: redirect.uri,
    ...(scope && { scope }),
    state,
  });
  learn([codeVerifier, state]);
  // Whatever else it is, the editor would open it.
  if (
    authorizationUrl.protocol !== 'https:' &&
    !(authorizationUrl.protocol === 'http:' && isLoopback(authorizationUrl))
  )
    throw refused(authorizationUrl, INSECURE);
  const scopes = scope?.split(' ') ?? [];
  const answer = await aborted(
    port.authorize({ server, issuer, scopes, url: authorizationUrl, redirect }, signal),
    signal,
  );
  if (!answer) throw cancelled();
  if (!isSame(answer.get('state') ?? '', state)) throw wrongState();
  const code = answer.get('code');
  const iss = answer.get('iss');
  if (code === null) throw refusal(answer);
  learn([code]);
  const dpop = challenge.dpop ? await DpopProofs.create() : undefined;
  const { clientId, privateKey } = context.settings ?? {};
  const tokens = await sdk.exchangeAuthorization(url, {
    ...common,
    authorizationCode: code,
    ...(iss !== null && { iss }),
    codeVerifier,
    redirectUri: redirect.uri,
    ...(clientId !== undefined &&
      privateKey !== undefined && { addClientAuthentication: privateKeyJwt(clientId, privateKey, issuer) }),
    ...(dpop && { dpop: dpop.session }),
    fetchFn: context.fetchFor(signal),
  });
  const isBound = dpop && tokens.token_type.toLowerCase() === 'dpop';
  return { ...(scope && { scope }), ...received(tokens), ...(isBound && { dpopKey: dpop.key }) };
}

/** Opens the ways back one after another, until the authorization server takes one. */
async function register(
  context: AuthContext,
  discovery: Discovery,
  keyring: Keyring,
  state: string,
  scope: string | undefined,
  fetchFn: FetchLike,
): Promise<{ client: OAuthClientInformationMixed; redirect: Redirect }> {
  const { port, server } = context.options;
  let refused: unknown;
  for (let way = 0; ; way++) {
    const redirect = await port.openRedirect(way, { server, state, uri: context.settings?.redirectUri });
    if (!redirect) throw refused;
    try {
      return { client: await clientFor(context, discovery, keyring, redirect.uri, scope, fetchFn), redirect };
    } catch (error) {
      redirect.close();
      // Some take no address but https and this machine's own.
      if ((error as Error).name !== 'RegistrationRejectedError') throw error;
      refused = error;
    }
  }
}

/** Without it some servers give no refresh token (OpenID Connect Core, 11). */
function withOfflineAccess(scope: string | undefined, { metadata }: Discovery): string | undefined {
  if (!scope || scope.split(' ').includes('offline_access')) return scope;
  return metadata?.scopes_supported?.includes('offline_access') ? `${scope} offline_access` : scope;
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function aborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
