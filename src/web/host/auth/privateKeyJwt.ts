import type { AddClientAuthentication } from '@modelcontextprotocol/client';

const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const ASSERTION_S = 300;
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

const ALGORITHMS = [
  { alg: 'ES256', of: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } },
  { alg: 'ES384', of: { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' } },
  { alg: 'EdDSA', of: { name: 'Ed25519' } },
  { alg: 'RS256', of: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } },
];

/** As `src/host/auth/privateKeyJwt.ts`, with the browser's keys: PEM files of the form PKCS #8 only. */
export function privateKeyJwt(clientId: string, pem: string, issuer: string): AddClientAuthentication {
  return async (_headers, body) => {
    const { key, alg, of } = await imported(pem);
    const now = Math.floor(Date.now() / 1_000);
    const jti = crypto.randomUUID();
    const claims = { iss: clientId, sub: clientId, aud: issuer, jti, iat: now, exp: now + ASSERTION_S };
    const content = `${encode({ alg, typ: 'JWT' })}.${encode(claims)}`;
    const signature = await crypto.subtle.sign(of, key, new TextEncoder().encode(content));
    body.set('client_assertion', `${content}.${Buffer.from(signature).toString('base64url')}`);
    body.set('client_assertion_type', JWT_BEARER);
  };
}

/** The browser does not tell what kind of key it is: the one that it takes it for. */
async function imported(pem: string) {
  const [, base64 = ''] = /-----BEGIN PRIVATE KEY-----([^-]*)-----END/.exec(pem) ?? [];
  const bytes = Uint8Array.from(Buffer.from(base64, 'base64'));
  for (const { alg, of } of ALGORITHMS) {
    const key = await crypto.subtle.importKey('pkcs8', bytes, of, false, ['sign']).catch(() => undefined);
    if (key) return { key, alg, of };
  }
  throw new TypeError(
    'the private key is of a kind that is not supported in a web window: use P-256, P-384, RSA or Ed25519 as "BEGIN PRIVATE KEY"',
  );
}
