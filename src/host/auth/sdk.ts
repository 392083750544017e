/** The SDK's OAuth functions, which are handed to this bundle because the host bundle has them already. */
export type AuthSdk = Pick<
  typeof import('@modelcontextprotocol/client'),
  | 'computeScopeUnion'
  | 'discoverAuthorizationServerMetadata'
  | 'discoverOAuthServerInfo'
  | 'exchangeAuthorization'
  | 'extractWWWAuthenticateParams'
  | 'refreshAuthorization'
  | 'registerClient'
  | 'resolveClientMetadata'
  | 'selectResourceURL'
  | 'startAuthorization'
>;
