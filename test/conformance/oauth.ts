// What a scenario says of credentials, as "oauth" of a settings entry.

/** The parts of `MCP_CONFORMANCE_CONTEXT` that are credentials. */
export interface AuthContext {
  client_id?: string;
  client_secret?: string;
  issuer?: string;
  private_key_pem?: string;
  valid_jwt?: string;
  idp_client_id?: string;
  idp_id_token?: string;
  idp_token_endpoint?: string;
}

/** The suite's authorization servers know this one. */
export const CLIENT_METADATA_URL = 'https://conformance-test.local/client-metadata.json';

export function oauthFor(scenario: string, context: AuthContext): object {
  const { client_id: clientId, client_secret: clientSecret } = context;
  if (clientId === undefined) return {};
  const client = { clientId, ...(clientSecret !== undefined && { clientSecret }) };
  if (context.idp_id_token !== undefined) {
    const identityProvider = { tokenUrl: context.idp_token_endpoint, clientId: context.idp_client_id };
    return { oauth: { ...client, grant: 'jwt_bearer', assertion: context.idp_id_token, identityProvider } };
  }
  if (context.valid_jwt !== undefined)
    return { oauth: { ...client, grant: 'jwt_bearer', assertion: context.valid_jwt } };
  if (context.private_key_pem !== undefined)
    return { oauth: { ...client, grant: 'client_credentials', privateKey: context.private_key_pem } };
  if (scenario.startsWith('auth/client-credentials')) return { oauth: { ...client, grant: 'client_credentials' } };
  return { oauth: { ...client, ...(context.issuer !== undefined && { issuer: context.issuer }) } };
}
