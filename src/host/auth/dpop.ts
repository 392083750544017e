import { createHash, randomUUID } from 'node:crypto';
import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import { exportJWK, generateKeyPair, type JWK_EC_Private, SignJWT } from 'jose';

type SdkSession = Exclude<Awaited<ReturnType<NonNullable<OAuthClientProvider['dpop']>>>, undefined>;

const ALGORITHM = 'ES256';

/** Proofs that a token is used by its owner (RFC 9449), signed with ES256. */
export class DpopProofs {
  /** The newest nonce of each origin (RFC 9449, 8.2). */
  readonly #nonces = new Map<string, string>();

  /** @param key private key of stored tokens, as a JWK. */
  constructor(readonly key: JWK_EC_Private) {}

  /** Creates proofs with a new key. */
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
