import { createPrivateKey, type KeyObject, randomUUID, sign } from 'node:crypto';
import type { AddClientAuthentication } from '@modelcontextprotocol/client';

const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const ASSERTION_S = 300;
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

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
