import { createPrivateKey, type KeyObject, randomUUID, sign } from 'node:crypto';
import type { AddClientAuthentication, OAuthClientInformationMixed } from '@modelcontextprotocol/client';
import type { Discovery } from './discovery';

const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const ASSERTION_S = 300;
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** How a client says that it is itself, at the token and revocation endpoints (RFC 6749, 2.3). */
export function authenticate(
  client: OAuthClientInformationMixed,
  { metadata }: Discovery,
  headers: Headers,
  body: URLSearchParams,
): void {
  const { client_id: id, client_secret: secret } = client as { client_id: string; client_secret?: string };
  const supported = metadata?.token_endpoint_auth_methods_supported ?? [];
  const registered = (client as { token_endpoint_auth_method?: string }).token_endpoint_auth_method;
  const usesBody = (registered ?? '') === 'client_secret_post' || isOnlyPost(supported);
  if (secret !== undefined && !usesBody) {
    const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
    headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
    return;
  }
  body.set('client_id', id);
  if (secret !== undefined) body.set('client_secret', secret);
}

const isOnlyPost = (methods: readonly string[]) =>
  methods.includes('client_secret_post') && !methods.includes('client_secret_basic');

/** `private_key_jwt` (RFC 7523, 2.2): each request has an assertion of its own, signed with a key that only the client has. */
export function privateKeyJwt(clientId: string, pem: string, issuer: string): AddClientAuthentication {
  const key = createPrivateKey(pem);
  const { alg, hash } = algorithmOf(key);
  return (_headers, body) => {
    const now = Math.floor(Date.now() / 1_000);
    const claims = { iss: clientId, sub: clientId, aud: issuer, jti: randomUUID(), iat: now, exp: now + ASSERTION_S };
    const content = `${encode({ alg, typ: 'JWT' })}.${encode(claims)}`;
    const signature = sign(hash, Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' });
    body.set('client_assertion', `${content}.${signature.toString('base64url')}`);
    body.set('client_assertion_type', JWT_BEARER);
  };
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): { alg: string; hash: string | null } {
  if (asymmetricKeyType === 'ed25519') return { alg: 'EdDSA', hash: null };
  if (asymmetricKeyType === 'rsa') return { alg: 'RS256', hash: 'sha256' };
  if (asymmetricKeyDetails?.namedCurve === 'prime256v1') return { alg: 'ES256', hash: 'sha256' };
  if (asymmetricKeyDetails?.namedCurve === 'secp384r1') return { alg: 'ES384', hash: 'sha384' };
  throw new TypeError('the private key is of a kind that is not supported: use P-256, P-384, RSA or Ed25519');
}
