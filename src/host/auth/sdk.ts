/** The SDK's OAuth functions. They are in the host bundle already: this one is given them. */
export type AuthSdk = Pick<
  typeof import('@modelcontextprotocol/client'),
  | 'computeScopeUnion'
  | 'discoverOAuthServerInfo'
  | 'exchangeAuthorization'
  | 'extractWWWAuthenticateParams'
  | 'refreshAuthorization'
  | 'registerClient'
  | 'resolveClientMetadata'
  | 'selectResourceURL'
  | 'startAuthorization'
>;
