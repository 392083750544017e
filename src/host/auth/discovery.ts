import type { FetchLike } from '@modelcontextprotocol/client';
import type { AuthSdk } from './sdk';

/** Whom to ask for access to an MCP server, and for what. */
export interface Discovery {
  /** Its issuer; where it has no metadata, its address. What credentials are kept by. */
  issuer: string;
  url: string;
  metadata: Awaited<ReturnType<AuthSdk['discoverOAuthServerInfo']>>['authorizationServerMetadata'];
  /** The resource indicator (RFC 8707) that tokens are asked for. */
  resource: string | undefined;
  /** All that the server knows, when it says so. */
  scopesSupported: readonly string[] | undefined;
}

/**
 * Finds the authorization server of an MCP server (spec: basic/authorization#discovery): its protected resource metadata,
 * then the metadata of the authorization server, by OAuth and by OpenID Connect. Asked anew each time, so that a server
 * that has moved to another one is noticed.
 */
export async function discover(
  sdk: AuthSdk,
  serverUrl: URL,
  resourceMetadataUrl: URL | undefined,
  fetchFn: FetchLike,
): Promise<Discovery> {
  const found = await sdk.discoverOAuthServerInfo(serverUrl, {
    ...(resourceMetadataUrl && { resourceMetadataUrl }),
    fetchFn,
  });
  const { authorizationServerUrl: url, authorizationServerMetadata: metadata, resourceMetadata } = found;
  // Throws when the metadata is of another resource. Sent as it stands there: some compare it letter by letter.
  await sdk.selectResourceURL(serverUrl, {} as Parameters<AuthSdk['selectResourceURL']>[1], resourceMetadata);
  return {
    issuer: metadata?.issuer ?? url,
    url,
    metadata,
    resource: resourceMetadata?.resource,
    scopesSupported: resourceMetadata?.scopes_supported,
  };
}
