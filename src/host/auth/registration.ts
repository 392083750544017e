import type { FetchLike, OAuthClientInformationMixed } from '@modelcontextprotocol/client';
import type { AuthContext } from './context';
import type { Keyring } from './credentials';
import type { Discovery } from './discovery';

/**
 * Who we are to an authorization server (spec: basic/authorization#client-registration-approaches): as in settings;
 * otherwise by a Client ID Metadata Document, if it accepts those; otherwise as we registered before, or register now.
 */
export async function clientFor(
  context: AuthContext,
  discovery: Discovery,
  { byIssuer }: Keyring,
  redirectUri: string,
  scope: string | undefined,
  fetchFn: FetchLike,
): Promise<OAuthClientInformationMixed> {
  const { settings, options } = context;
  const { sdk, port, clientName } = options;
  const { metadata, issuer, url } = discovery;
  if (settings?.clientId !== undefined) {
    const { clientId: client_id, clientSecret: client_secret } = settings;
    return { client_id, ...(client_secret !== undefined && { client_secret }) };
  }
  if (port.clientMetadataUrl !== undefined && metadata?.client_id_metadata_document_supported)
    return { client_id: port.clientMetadataUrl };
  const known = byIssuer[issuer];
  if (known && known.redirectUri === redirectUri && covers(known.client, scope)) return known.client;
  const isPublic = metadata?.token_endpoint_auth_methods_supported?.includes('none');
  const clientMetadata = sdk.resolveClientMetadata({
    redirectUrl: redirectUri,
    clientMetadata: {
      client_name: clientName,
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      ...(isPublic && { token_endpoint_auth_method: 'none' }),
    },
  });
  return sdk.registerClient(url, {
    ...(metadata && { metadata }),
    clientMetadata,
    ...(scope !== undefined && { scope }),
    fetchFn,
  });
}

/** Whether a client may ask for these scopes: some servers limit it to those with which it registered. */
function covers(client: OAuthClientInformationMixed, scope = ''): boolean {
  const { scope: registered } = client as { scope?: string };
  if (registered === undefined) return true;
  const known = new Set(registered.split(' '));
  return scope.split(' ').every(wanted => known.has(wanted));
}
