import type { JsonWebKey } from 'node:crypto';
import type { OAuthClientProvider } from '@modelcontextprotocol/client';

type SdkSession = Exclude<Awaited<ReturnType<NonNullable<OAuthClientProvider['dpop']>>>, undefined>;

const ES256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** As `src/host/auth/dpop.ts`, with the browser's keys, which come with a promise: `key` is there after the first proof. */
export class DpopProofs {
  #key: JsonWebKey | undefined;
  readonly #nonces = new Map<string, string>();

  constructor(key?: JsonWebKey) {
    this.#key = key;
  }

  get key(): JsonWebKey {
    if (!this.#key) throw new Error('No proof was built yet.');
    return this.#key;
  }

  get session(): SdkSession {
    return this as unknown as SdkSession;
  }

  async buildProof({
    htm,
    htu,
    accessToken,
  }: {
    htm: string;
    htu: string | URL;
    accessToken?: string;
  }): Promise<string> {
    const { origin, pathname } = new URL(htu);
    this.#key ??= await newKey();
    const { kty, crv, x, y, d } = this.#key;
    const key = await crypto.subtle.importKey('jwk', { kty, crv, x, y, d } as JsonWebKey, ES256, false, ['sign']);
    const nonce = this.#nonces.get(origin);
    const claims = {
      jti: crypto.randomUUID(),
      htm: htm.toUpperCase(),
      htu: origin + pathname,
      iat: Math.floor(Date.now() / 1_000),
      ...(accessToken !== undefined && { ath: await hashOf(accessToken) }),
      ...(nonce !== undefined && { nonce }),
    };
    const content = `${encode({ alg: 'ES256', typ: 'dpop+jwt', jwk: { kty, crv, x, y } })}.${encode(claims)}`;
    const signature = await crypto.subtle.sign(ES256, key, new TextEncoder().encode(content));
    return `${content}.${Buffer.from(signature).toString('base64url')}`;
  }

  observeNonce(response: Response, url: string | URL): void {
    const nonce = response.headers.get('dpop-nonce');
    if (nonce) this.#nonces.set(new URL(url).origin, nonce);
  }
}

async function newKey(): Promise<JsonWebKey> {
  const pair = await crypto.subtle.generateKey(ES256, true, ['sign', 'verify']);
  return { ...(await crypto.subtle.exportKey('jwk', pair.privateKey)) };
}

async function hashOf(token: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))).toString('base64url');
}
