import {
  type AddClientAuthentication,
  type OAuthClientInformationMixed,
  selectClientAuthMethod,
} from '@modelcontextprotocol/client';
import type { OAuthSettings } from '../settings';
import { privateKeyJwt } from './privateKeyJwt';

/**
 * How our client authenticates itself in every request to a token or revocation endpoint (RFC 6749, 2.3): by the private key
 * of its settings, or else by the secret of `client`, if it has one.
 */
export function clientAuthentication(
  settings: Pick<OAuthSettings, 'privateKey'> | undefined,
  client: OAuthClientInformationMixed,
  issuer: string,
): AddClientAuthentication {
  const { client_id: id, client_secret: secret } = client as { client_id: string; client_secret?: string };
  const sign = settings?.privateKey === undefined ? undefined : privateKeyJwt(id, settings.privateKey, issuer);
  return async (headers, body, url, metadata) => {
    const method = selectClientAuthMethod(client, metadata?.token_endpoint_auth_methods_supported ?? []);
    if (secret !== undefined && !sign && method === 'client_secret_basic') {
      // Encoded as in a form (2.3.1): a colon would end the id, and `%` and `+` change when they are decoded.
      const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
      headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
      return;
    }
    body.set('client_id', id);
    if (sign) await sign(headers, body, url, metadata);
    else if (secret !== undefined && method === 'client_secret_post') body.set('client_secret', secret);
  };
}
