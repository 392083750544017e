import { createHash, randomUUID } from 'node:crypto';
import {
  type AddClientAuthentication,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  selectClientAuthMethod,
} from '@modelcontextprotocol/client';
import { exportJWK, generateKeyPair, importPKCS8, type JWK_EC_Private, SignJWT } from 'jose';
import { phrase } from '../../base/phrase';
import type { OAuthSettings } from '../settings';
import { credentialsRefused } from './authFaults';

/** A client as it was registered: by settings, or by the person who typed it in. */
export const clientOf = ({ clientId, clientSecret }: { clientId: string; clientSecret?: string | undefined }) => ({
  client_id: clientId,
  ...(clientSecret !== undefined && { client_secret: clientSecret }),
});

/** How our client authenticates at token endpoints (RFC 6749, 2.3): by the key of settings, or `client`'s secret. */
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

type SdkSession = Exclude<Awaited<ReturnType<NonNullable<OAuthClientProvider['dpop']>>>, undefined>;

const ALGORITHM = 'ES256';

/** Proofs that a token is used by its owner (RFC 9449), signed with ES256. */
export class DpopProofs {
  /** The newest nonce of each origin (RFC 9449, 8.2). */
  readonly #nonces = new Map<string, string>();

  /** @param key private key of stored tokens, as a JWK. */
  constructor(readonly key: JWK_EC_Private) {}

  static async create(): Promise<DpopProofs> {
    const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
    return new DpopProofs((await exportJWK(privateKey)) as JWK_EC_Private);
  }

  /** Typed as in the SDK, which names a class with private members but uses only the two methods below. */
  get session(): SdkSession {
    return this as unknown as SdkSession;
  }

  buildProof({ htm, htu, accessToken }: { htm: string; htu: string | URL; accessToken?: string }): Promise<string> {
    const { origin, pathname } = new URL(htu);
    const { kty, crv, x, y } = this.key;
    const nonce = this.#nonces.get(origin);
    const claims = {
      jti: randomUUID(),
      htm: htm.toUpperCase(),
      htu: origin + pathname,
      iat: Math.floor(Date.now() / 1_000),
      ...(accessToken !== undefined && { ath: createHash('sha256').update(accessToken).digest('base64url') }),
      ...(nonce !== undefined && { nonce }),
    };
    return new SignJWT(claims)
      .setProtectedHeader({ alg: ALGORITHM, typ: 'dpop+jwt', jwk: { kty, crv, x, y } })
      .sign(this.key);
  }

  /** Stores the nonce that an answer asks us to use. */
  observeNonce(response: Response, url: string | URL): void {
    const nonce = response.headers.get('dpop-nonce');
    if (nonce) this.#nonces.set(new URL(url).origin, nonce);
  }
}
