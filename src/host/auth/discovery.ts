import type { FetchLike } from '@modelcontextprotocol/client';
import type { AuthSdk } from './sdk';

/** Which authorization server gives access to an MCP server, and what to request. */
export interface Discovery {
  /** Its issuer, or, if it has no metadata, its address. The key under which credentials are stored. */
  issuer: string;
  url: string;
  metadata: Awaited<ReturnType<AuthSdk['discoverOAuthServerInfo']>>['authorizationServerMetadata'];
  /** The resource indicator (RFC 8707) for which tokens are requested. */
  resource: string | undefined;
  /** All scopes that the server supports, if it lists them. */
  scopesSupported: readonly string[] | undefined;
}

/**
 * Finds the authorization server of an MCP server (spec: basic/authorization#discovery): its protected resource metadata,
 * then the metadata of the authorization server, by OAuth and by OpenID Connect. Done each time, so that a server's move to
 * another one is noticed.
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
  // Throws if the metadata is about another resource. Sent literally, because some servers compare it character by
  // character.
  await sdk.selectResourceURL(serverUrl, {} as Parameters<AuthSdk['selectResourceURL']>[1], resourceMetadata);
  return {
    issuer: metadata?.issuer ?? url,
    url,
    metadata,
    resource: resourceMetadata?.resource,
    scopesSupported: resourceMetadata?.scopes_supported,
  };
}
