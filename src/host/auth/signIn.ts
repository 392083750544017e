import { randomBytes } from 'node:crypto';
import {
  exchangeAuthorization,
  type FetchLike,
  type OAuthClientInformationMixed,
  registerClient,
  resolveClientMetadata,
  startAuthorization,
} from '@modelcontextprotocol/client';
import { isSameSecret } from '../../base/fingerprint';
import { orAborted } from '../../base/queue';
import { isLoopback } from '../../base/text';
import type { Redirect } from '../definition/ports';
import type { OAuthSettings } from '../settings';
import { type AuthContext, type Challenge, type Credentials, type Keyring, received, type Tokens } from './authContext';
import {
  cancelled,
  explainAuth,
  noSignIn,
  noWayBack,
  otherIssuer,
  otherServer,
  refusal,
  timedOut,
  unnamedServer,
  unprotectedCodes,
  wrongState,
} from './authFaults';
import { clientAuthentication, clientOf, DpopProofs } from './clientAuthentication';
import { type Discovery, isFrom, isSameIssuer, protectsCodes } from './discovery';
import { checkIdToken } from './grantedTokens';
import { withReadableErrors } from './tokenErrors';

/** How long a person may take in the browser, unless the port says otherwise. */
const LIMIT_MINUTES = 10;

/**
 * Lets a person sign in: authorization code with PKCE (spec: basic/authorization). `state` and verifier are created for this
 * one sign-in and useless after it. Rejects with a `TransportFault`; earlier credentials then stay.
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
    if (!context.isIdentity && !protectsCodes(discovery, context.settings)) throw unprotectedCodes(discovery);
    const keyring = await context.read();
    checkSecretsPlace(context, discovery, keyring);
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
 * Rejects if the secret of a settings entry would go to another authorization server than the one that the person agreed to first:
 * the server alone says which that is, and may name another at any time.
 */
function checkSecretsPlace(
  { settings }: AuthContext,
  { issuer, isByHand }: Discovery,
  { issuer: agreed }: Keyring,
): void {
  if (settings?.clientSecret === undefined || settings.issuer !== undefined || isByHand) return;
  if (agreed !== undefined && !isSameIssuer(agreed, issuer)) throw otherIssuer(agreed, issuer);
}

/** Adds to the credentials stored by now: meanwhile, tokens are renewed and other windows sign in or out. */
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
  const { metadata, resource, url, audience, isByHand } = discovery;
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
  await context.checkBrowserAddress(authorizationUrl);
  const answer = await answered(context, attempt, authorizationUrl, cancel);
  checkOrigin(answer, attempt, context.settings);
  const code = answer.get('code');
  const iss = answer.get('iss');
  if (code === null) throw refusal(answer, discovery.issuer);
  learn([code]);
  const dpop = challenge.dpop ? await DpopProofs.create() : undefined;
  const tokens = await exchangeAuthorization(url, {
    ...common,
    authorizationCode: code,
    ...(iss !== null && !isByHand && { iss }),
    codeVerifier,
    redirectUri: redirect.uri,
    addClientAuthentication: clientAuthentication(context.settings, client, audience),
    ...(dpop && { dpop: dpop.session }),
    fetchFn: withReadableErrors(context.fetchFor(cancel)),
  });
  if (nonce !== undefined) checkIdToken(tokens, audience, client.client_id, nonce);
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
    const answer = await orAborted(port.authorize(request, signal), signal);
    if (answer) return answer;
  } catch (error) {
    if (limit.aborted && !cancel.aborted) throw timedOut(minutes);
    throw error;
  }
  throw cancelled();
}

/** Checks that an answer is to this request and of this server (RFC 6749, 3.1; RFC 9207, 2.4), before any use. */
function checkOrigin(
  answer: URLSearchParams,
  { discovery, state }: Attempt,
  settings: OAuthSettings | undefined,
): void {
  const isRepeated = ['state', 'code', 'error'].some(name => answer.getAll(name).length > 1);
  if (isRepeated || !isSameSecret(answer.get('state') ?? '', state)) throw wrongState();
  const { metadata, issuer } = discovery;
  const named = answer.getAll('iss');
  if (!metadata) return;
  if (named.length === 0) {
    if (metadata.authorization_response_iss_parameter_supported === true) throw unnamedServer(issuer);
  } else if (named.length > 1 || !isFrom(discovery, named[0]!, settings)) throw otherServer(discovery, named.join(' '));
}

/** Without it some servers give no refresh token (OpenID Connect Core, 11). */
function withOfflineAccess(scope: string | undefined, { metadata }: Discovery): string | undefined {
  if (!scope || scope.split(' ').includes('offline_access')) return scope;
  return metadata?.scopes_supported?.includes('offline_access') ? `${scope} offline_access` : scope;
}

const random = () => randomBytes(24).toString('base64url');

interface Registration {
  context: AuthContext;
  discovery: Discovery;
  keyring: Keyring;
  redirectUri: string;
  scope: string | undefined;
}

/** Tries redirects until the server accepts one. Asks for a client ID if it accepts none and registers no clients. */
async function register(
  of: Omit<Registration, 'redirectUri'> & { state: string },
  fetchFn: FetchLike,
  cancel: AbortSignal,
): Promise<Pick<Credentials, 'client' | 'isEntered'> & { redirect: Redirect }> {
  const { context, discovery, keyring, state } = of;
  const { port, server, learn } = context.options;
  const { issuer } = discovery;
  const before = keyring.byIssuer[issuer]?.redirectUri;
  const open = (way: number) =>
    port
      .openRedirect(way, { server, state, uri: context.settings?.redirectUri, before })
      .catch((error: unknown) => Promise.reject(noWayBack(error)));
  for (let way = 0; ; way++) {
    const redirect = await open(way);
    if (!redirect) break;
    try {
      const known = await clientFor({ ...of, redirectUri: redirect.uri }, fetchFn);
      if (known) return { ...known, redirect };
    } catch (error) {
      redirect.close();
      if (lacksRegistration(error, of.discovery)) throw noSignIn(error);
      // Some accept only https addresses and this machine's own.
      if ((error as Error).name !== 'RegistrationRejectedError') throw error;
    }
    redirect.close();
  }
  const redirect = await open(0);
  if (!redirect) throw noWayBack();
  try {
    const entered = await orAborted(port.askClient({ server, issuer, redirectUri: redirect.uri }, cancel), cancel);
    if (!entered) throw cancelled();
    if (entered.clientSecret !== undefined) learn([entered.clientSecret], true);
    return { client: clientOf(entered), isEntered: true, redirect };
  } catch (error) {
    redirect.close();
    throw error;
  }
}

/**
 * Forgets a client that may be why a sign-in failed, so that the next one starts anew. An authorization server that has deleted
 * a client reports that only to the person in the browser. So automatic registrations are forgotten after every failure, and a
 * client ID that a person entered only if it was refused.
 */
function forgetClient(context: AuthContext, issuer: string, error: unknown): Promise<void> {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  const isRefused = /^(invalid|unauthorized)_client$/.test(String(cause?.code ?? code));
  return context.alone(async held => {
    const { issuer: current, byIssuer } = await held.read();
    const { [issuer]: kept, ...others } = byIssuer;
    if (!kept || kept.tokens || (kept.isEntered && !isRefused)) return;
    await held.write({ ...(current !== undefined && { issuer: current }), byIssuer: others });
  });
}

/**
 * Our client at an authorization server (spec: basic/authorization/client-registration): from settings or as a person entered
 * it; otherwise by a Client ID Metadata Document, if supported; otherwise by an earlier or a new registration. Undefined:
 * none of these. Rejects with the SDK's `RegistrationRejectedError`.
 */
async function clientFor(
  { context, discovery, keyring, redirectUri, scope }: Registration,
  fetchFn: FetchLike,
): Promise<Pick<Credentials, 'client' | 'isEntered'> | undefined> {
  const { settings, options } = context;
  const { port, clientName } = options;
  const { metadata, issuer, url } = discovery;
  if (settings?.clientId !== undefined) return { client: clientOf({ ...settings, clientId: settings.clientId }) };
  const known = keyring.byIssuer[issuer];
  if (known?.isEntered) return { client: known.client, isEntered: true };
  const { clientMetadataUrl } = port;
  // The document names no other redirect URIs than those of this machine.
  if (clientMetadataUrl !== undefined && metadata?.client_id_metadata_document_supported && isOwn(redirectUri))
    return { client: { client_id: clientMetadataUrl } };
  if (known && known.redirectUri === redirectUri && covers(known.client, scope)) return { client: known.client };
  if (metadata && metadata.registration_endpoint === undefined) return undefined;
  const isPublic = metadata?.token_endpoint_auth_methods_supported?.includes('none');
  const clientMetadata = resolveClientMetadata({
    redirectUrl: redirectUri,
    clientMetadata: {
      client_name: clientName,
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      ...(isPublic && { token_endpoint_auth_method: 'none' }),
    },
  });
  const client = await registerClient(url, {
    ...(metadata && { metadata }),
    clientMetadata,
    ...(scope !== undefined && { scope }),
    fetchFn,
  });
  return { client };
}

/** No sign-in is offered: no metadata, and no registration at the default address of servers of 2025-03-26. */
function lacksRegistration(error: unknown, { metadata, isOld }: Discovery): boolean {
  const { name, status } = error as { name?: unknown; status?: unknown };
  if (metadata || !isOld) return false;
  return name === 'RegistrationRejectedError' ? [401, 404, 405, 501].includes(Number(status)) : name === 'SyntaxError';
}

const isOwn = (redirectUri: string) => redirectUri.startsWith('http:') && isLoopback(new URL(redirectUri));

/** Whether a client may ask for these scopes: some servers limit it to those with which it registered. */
function covers(client: OAuthClientInformationMixed, scope = ''): boolean {
  const { scope: registered } = client as { scope?: string };
  if (registered === undefined) return true;
  const known = new Set(registered.split(' '));
  return scope.split(' ').every(wanted => known.has(wanted));
}
