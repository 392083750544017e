import { randomUUID } from 'node:crypto';
import type { AddClientAuthentication } from '@modelcontextprotocol/client';
import { importPKCS8, SignJWT } from 'jose';
import { phrase } from '../../base/phrase';
import { credentialsRefused } from './authFaults';

const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const ASSERTION_S = 300;

/**
 * The supported keys by algorithm. Older PEM files ("BEGIN EC PRIVATE KEY", "BEGIN RSA PRIVATE KEY") contain the key that
 * PKCS #8 wraps with the identifier of its kind (RFC 5480, RFC 8017).
 */
const KINDS = [
  { alg: 'ES256', older: 'EC', identifier: '301306072a8648ce3d020106082a8648ce3d030107' },
  { alg: 'ES384', older: 'EC', identifier: '301006072a8648ce3d020106052b81040022' },
  { alg: 'RS256', older: 'RSA', identifier: '300d06092a864886f70d0101010500' },
  { alg: 'EdDSA' },
];

/** `private_key_jwt` (RFC 7523, 2.2): each request has an assertion of its own, signed with a key that only the client has. */
export function privateKeyJwt(clientId: string, pem: string, issuer: string): AddClientAuthentication {
  return async (_headers, body) => {
    const { alg, key } = await imported(pem);
    const now = Math.floor(Date.now() / 1_000);
    const claims = { iss: clientId, sub: clientId, aud: issuer, jti: randomUUID(), iat: now, exp: now + ASSERTION_S };
    body.set('client_assertion', await new SignJWT(claims).setProtectedHeader({ alg, typ: 'JWT' }).sign(key));
    body.set('client_assertion_type', JWT_BEARER);
  };
}

/** Imports a key as the first kind that accepts it: the file does not name the kind. */
async function imported(pem: string) {
  const [, older, base64 = ''] = /-----BEGIN (?:(EC|RSA) )?PRIVATE KEY-----([^-]*)-----END/.exec(pem) ?? [];
  for (const { alg, ...kind } of KINDS.filter(kind => older === undefined || kind.older === older)) {
    const pkcs8 = older === undefined ? base64 : wrapped(Buffer.from(base64, 'base64'), kind.identifier!);
    const file = `-----BEGIN PRIVATE KEY-----${pkcs8}-----END PRIVATE KEY-----`;
    const key = await importPKCS8(file, alg).catch(() => undefined);
    if (key) return { alg, key };
  }
  throw credentialsRefused(phrase('the private key is of an unsupported kind; use P-256, P-384, RSA or Ed25519'));
}

/** The key as PKCS #8 (RFC 5208): its version, what kind it is, itself. */
function wrapped(key: Buffer, identifier: string): string {
  return element(0x30, Buffer.from('020100', 'hex'), Buffer.from(identifier, 'hex'), element(0x04, key)).toString(
    'base64',
  );
}

/** One element of DER: its tag, its length in as few bytes as that takes, its content. */
function element(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
