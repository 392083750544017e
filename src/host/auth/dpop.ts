import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  randomUUID,
  sign,
} from 'node:crypto';
import type { OAuthClientProvider } from '@modelcontextprotocol/client';

type SdkSession = Exclude<Awaited<ReturnType<NonNullable<OAuthClientProvider['dpop']>>>, undefined>;

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Proofs that tokens are used by who they were given to (RFC 9449), signed with ES256. */
export class DpopProofs {
  readonly key: JsonWebKey;
  /** The newest nonce of each origin (RFC 9449, 8.2). */
  readonly #nonces = new Map<string, string>();

  /** @param key private key of tokens that are kept, as a JWK. Default: a new one. */
  constructor(key?: JsonWebKey) {
    this.key = key ?? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
  }

  /** As the SDK has it: it names a class with private members, of which it uses the two methods below. */
  get session(): SdkSession {
    return this as unknown as SdkSession;
  }

  buildProof({ htm, htu, accessToken }: { htm: string; htu: string | URL; accessToken?: string }): Promise<string> {
    const { origin, pathname } = new URL(htu);
    const privateKey = createPrivateKey({ key: this.key, format: 'jwk' });
    const jwk = createPublicKey(privateKey).export({ format: 'jwk' });
    const nonce = this.#nonces.get(origin);
    const claims = {
      jti: randomUUID(),
      htm: htm.toUpperCase(),
      htu: origin + pathname,
      iat: Math.floor(Date.now() / 1_000),
      ...(accessToken !== undefined && { ath: createHash('sha256').update(accessToken).digest('base64url') }),
      ...(nonce !== undefined && { nonce }),
    };
    const content = `${encode({ alg: 'ES256', typ: 'dpop+jwt', jwk })}.${encode(claims)}`;
    const signature = sign('sha256', Buffer.from(content), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return Promise.resolve(`${content}.${signature.toString('base64url')}`);
  }

  /** Takes note of the nonce that an answer asks to use. */
  observeNonce(response: Response, url: string | URL): void {
    const nonce = response.headers.get('dpop-nonce');
    if (nonce) this.#nonces.set(new URL(url).origin, nonce);
  }
}
