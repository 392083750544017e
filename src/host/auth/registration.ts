import {
  type FetchLike,
  type OAuthClientInformationMixed,
  registerClient,
  resolveClientMetadata,
} from '@modelcontextprotocol/client';
import { isLoopback } from '../../base/networkAddress';
import type { Redirect } from '../definition/ports';
import type { AuthContext } from './authContext';
import { cancelled, noSignIn, noWayBack } from './authFaults';
import type { Credentials, Keyring } from './credentials';
import type { Discovery } from './discovery';
import { aborted } from './untilAborted';

/** The parameters of a registration. */
interface Registration {
  context: AuthContext;
  discovery: Discovery;
  keyring: Keyring;
  redirectUri: string;
  scope: string | undefined;
}

/**
 * Opens the redirects one after another until the authorization server accepts one. If it accepts none and does not register
 * clients, the person is asked for a client ID.
 */
export async function register(
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
    const entered = await aborted(port.askClient({ server, issuer, redirectUri: redirect.uri }, cancel), cancel);
    if (!entered) throw cancelled();
    const { clientId: client_id, clientSecret } = entered;
    if (clientSecret !== undefined) learn([clientSecret]);
    const client = { client_id, ...(clientSecret !== undefined && { client_secret: clientSecret }) };
    return { client, isEntered: true, redirect };
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
export function forgetClient(context: AuthContext, issuer: string, error: unknown): Promise<void> {
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
  if (settings?.clientId !== undefined) {
    const { clientId: client_id, clientSecret: client_secret } = settings;
    return { client: { client_id, ...(client_secret !== undefined && { client_secret }) } };
  }
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

/**
 * Whether sign-in is not offered: no metadata, and no registration endpoint at the default address of servers of 2025-03-26.
 */
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
