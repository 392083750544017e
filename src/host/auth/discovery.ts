import { discoverOAuthServerInfo, type FetchLike, selectResourceURL } from '@modelcontextprotocol/client';

/** Which authorization server gives access to an MCP server, and what to request. */
export interface Discovery {
  /** Its issuer, or, if it has no metadata, its address. The key under which credentials are stored. */
  issuer: string;
  url: string;
  metadata: Awaited<ReturnType<typeof discoverOAuthServerInfo>>['authorizationServerMetadata'];
  /**
   * The resource indicator (RFC 8707) in every request for tokens. Undefined at an identity provider: what that gives is for
   * this host, not for a server.
   */
  resource: string | undefined;
  /** Whether the server may be of the revision 2025-03-26, which had no resource metadata. */
  isOld: boolean;
  /** All scopes that the server supports, if it lists them. */
  scopesSupported: readonly string[] | undefined;
}

/**
 * Finds the authorization server of an MCP server (spec: basic/authorization#discovery): its protected resource metadata,
 * then the metadata of the authorization server, by OAuth and by OpenID Connect. Repeated for each sign-in, so that a change
 * of the authorization server is noticed.
 */
export async function discover(
  serverUrl: URL,
  resourceMetadataUrl: URL | undefined,
  fetchFn: FetchLike,
): Promise<Discovery> {
  const found = await discoverOAuthServerInfo(serverUrl, {
    ...(resourceMetadataUrl && { resourceMetadataUrl }),
    fetchFn,
  });
  const { authorizationServerUrl: url, authorizationServerMetadata: metadata, resourceMetadata } = found;
  // Throws if the metadata is about another resource. Sent literally, because some servers compare it character by
  // character.
  await selectResourceURL(serverUrl, {} as Parameters<typeof selectResourceURL>[1], resourceMetadata);
  return {
    issuer: metadata?.issuer ?? url,
    url,
    metadata,
    resource: resourceMetadata?.resource ?? canonical(serverUrl),
    isOld: !resourceMetadata && !resourceMetadataUrl,
    scopesSupported: resourceMetadata?.scopes_supported,
  };
}

/** The canonical URI of a server (spec: basic/authorization#canonical-server-uri). Its query may hold a key, and stays here. */
function canonical({ origin, pathname }: URL): string {
  return pathname === '/' ? origin : origin + pathname;
}

/** Whether the authorization server declares PKCE. Old servers may have no metadata that could declare it. */
export function protectsCodes({ metadata, isOld }: Discovery): boolean {
  return metadata ? (metadata.code_challenge_methods_supported?.includes('S256') ?? false) : isOld;
}
