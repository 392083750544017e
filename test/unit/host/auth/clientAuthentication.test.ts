import assert from 'node:assert/strict';
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import type { AuthContext, Challenge } from '../../../../src/host/auth/authContext';
import { DpopProofs, privateKeyJwt } from '../../../../src/host/auth/clientAuthentication';
import { signOut } from '../../../../src/host/auth/refresh';
import { readJwt } from './jwt';

const ISSUER = 'https://as.example/tenant';
const pem = (key: KeyObject, type: 'pkcs8' | 'pkcs1' | 'sec1' = 'pkcs8') =>
  key.export({ type, format: 'pem' }) as string;

async function authenticated(key: string): Promise<URLSearchParams> {
  const body = new URLSearchParams();
  await privateKeyJwt('me', key, ISSUER)(new Headers(), body, `${ISSUER}/token`);
  return body;
}

const KEYS = [
  { alg: 'ES256', hash: 'sha256', older: 'sec1', pair: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }) },
  { alg: 'ES384', hash: 'sha384', older: 'sec1', pair: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }) },
  { alg: 'RS256', hash: 'sha256', older: 'pkcs1', pair: () => generateKeyPairSync('rsa', { modulusLength: 2_048 }) },
  { alg: 'EdDSA', hash: null, older: undefined, pair: () => generateKeyPairSync('ed25519') },
] as const;

describe('private_key_jwt', () => {
  for (const { alg, hash, older, pair } of KEYS)
    it(`signs with ${alg} by the key, in each PEM form @clientAuthentication.signs-key-pem`, async () => {
      const { privateKey, publicKey } = pair();
      const forms = [pem(privateKey), `A key:\n\n${pem(privateKey).replaceAll('\n', '\r\n')}`];
      if (older)
        forms.push(
          pem(privateKey, older),
          `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${pem(privateKey, older)}`,
        );
      for (const form of forms) {
        const body = await authenticated(form);
        assert.equal(body.get('client_assertion_type'), 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
        const { header, claims, content, signature } = readJwt(body.get('client_assertion') ?? '');
        assert.deepEqual(header, { alg, typ: 'JWT' });
        assert.ok(verify(hash, content, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature), form.slice(0, 40));
        const { jti, iat, exp, ...rest } = claims;
        assert.match(String(jti), /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
        assert.equal(Number(exp) - Number(iat), 300);
        assert.deepEqual(rest, { iss: 'me', sub: 'me', aud: ISSUER });
      }
    });

  it('makes an assertion for each request', async () => {
    const authenticate = privateKeyJwt('me', pem(generateKeyPairSync('ed25519').privateKey), ISSUER);
    const ids = [];
    for (const body of [new URLSearchParams(), new URLSearchParams()]) {
      await authenticate(new Headers(), body, ISSUER);
      ids.push(readJwt(body.get('client_assertion') ?? '').claims.jti);
    }
    assert.notEqual(ids[0], ids[1]);
  });

  it('authenticates sign-out too, at the revocation endpoint', async () => {
    const sent: URLSearchParams[] = [];
    const keyring = {
      issuer: ISSUER,
      byIssuer: { [ISSUER]: { client: { client_id: 'me' }, tokens: { access_token: 'a', token_type: 'Bearer' } } },
    };
    const context = {
      settings: { clientId: 'me', privateKey: pem(generateKeyPairSync('ed25519').privateKey) },
      alone: (run: (held: unknown) => unknown) => run(context),
      read: async () => keyring,
      write: async () => {},
      discover: async () => ({ issuer: ISSUER, metadata: { revocation_endpoint: `${ISSUER}/revoke` } }),
      fetchFor:
        () =>
        async (_url: string, { body }: { body: URLSearchParams }) => {
          sent.push(body);
          return new Response();
        },
    };
    const { signal } = new AbortController();
    assert.equal(await signOut(context as unknown as AuthContext, {} as Challenge, signal), true);
    const [body] = sent;
    assert.deepEqual([body?.get('token'), body?.get('client_id')], ['a', 'me']);
    assert.equal(readJwt(body?.get('client_assertion') ?? '').claims.iss, 'me');
  });

  it('names the supported keys when given another', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    const locked = privateKey.export({
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase: 'x',
    }) as string;
    const lockedOlder = privateKey.export({
      type: 'sec1',
      format: 'pem',
      cipher: 'aes-128-cbc',
      passphrase: 'x',
    }) as string;
    const pss = generateKeyPairSync('rsa-pss', { modulusLength: 2_048 }).privateKey;
    const x25519 = generateKeyPairSync('x25519').privateKey;
    const open = publicKey.export({ type: 'spki', format: 'pem' }) as string;
    const others = [
      pem(privateKey),
      pem(privateKey, 'sec1'),
      locked,
      lockedOlder,
      pem(pss),
      pem(x25519),
      open,
      'nonsense',
    ];
    for (const key of [...others, pem(privateKey).slice(0, 90), ''])
      await assert.rejects(
        authenticated(key),
        /^TransportFault: the private key is of an unsupported kind; use P-256, P-384, RSA or Ed25519$/,
        key.slice(0, 40),
      );
  });

  it('refuses RSA keys that are too short (RFC 7518, 3.3)', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 });
    await assert.rejects(authenticated(pem(privateKey)), /2048 bits or larger/);
  });
});

/** As Node exports a key. */
const KEPT = {
  kty: 'EC' as const,
  x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
  y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
  crv: 'P-256',
  d: '870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE',
};
const { d: _, ...PUBLIC } = KEPT;
/** As web windows kept it. */
const OF_BROWSER = { ...KEPT, ext: true, key_ops: ['sign'] };
const POST = { htm: 'post', htu: 'https://as.example/token?a=b#c' };

describe('DPoP proofs', () => {
  it('contain method, address, time and token hash, and the public key @clientAuthentication.contain-method-address', async () => {
    const before = Math.floor(Date.now() / 1_000);
    const { header, claims } = readJwt(await new DpopProofs(KEPT).buildProof({ ...POST, accessToken: 'secret' }));
    assert.deepEqual(header, { alg: 'ES256', typ: 'dpop+jwt', jwk: PUBLIC });
    const { jti, iat, ...rest } = claims;
    assert.match(String(jti), /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    assert.ok(Number.isInteger(iat) && Number(iat) >= before && Number(iat) <= Math.floor(Date.now() / 1_000));
    const ath = createHash('sha256').update('secret').digest('base64url');
    assert.deepEqual(rest, { htm: 'POST', htu: 'https://as.example/token', ath });
  });

  it('are signed with stored keys, which stay the same and never reveal the private part @clientAuthentication.signed-stored-keys', async () => {
    for (const kept of [KEPT, OF_BROWSER]) {
      const proofs = new DpopProofs({ ...kept });
      const { header, content, signature } = readJwt(await proofs.buildProof(POST));
      assert.deepEqual(header.jwk, PUBLIC);
      assert.deepEqual(proofs.key, kept);
      const key = createPublicKey({ key: PUBLIC, format: 'jwk' });
      assert.ok(verify('sha256', content, { key, dsaEncoding: 'ieee-p1363' }, signature));
    }
  });

  it('create a storable key when none is stored', async () => {
    const [first, second] = [await DpopProofs.create(), await DpopProofs.create()];
    assert.deepEqual(Object.keys(first.key).sort(), ['crv', 'd', 'kty', 'x', 'y']);
    assert.notEqual(first.key.d, second.key.d);
    const again = new DpopProofs(JSON.parse(JSON.stringify(first.key)));
    const { header, content, signature } = readJwt(await again.buildProof(POST));
    const { d: _, ...jwk } = first.key;
    assert.deepEqual(header.jwk, jwk);
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    assert.ok(verify('sha256', content, { key, dsaEncoding: 'ieee-p1363' }, signature));
  });

  it('are used once, with the newest nonce of their origin @clientAuthentication.used-once-newest', async () => {
    const proofs = new DpopProofs(KEPT);
    const observe = (url: string, headers: Record<string, string>) =>
      proofs.observeNonce(new Response(null, { headers }), url);
    observe('https://as.example/other', { 'dpop-nonce': 'old' });
    observe('https://as.example/other', { 'dpop-nonce': 'new' });
    observe('https://as.example/other', {});
    const [first, second] = [readJwt(await proofs.buildProof(POST)), readJwt(await proofs.buildProof(POST))];
    assert.equal(first.claims.nonce, 'new');
    assert.notEqual(first.claims.jti, second.claims.jti);
    const elsewhere = readJwt(await proofs.buildProof({ htm: 'GET', htu: new URL('https://mcp.example/mcp') }));
    assert.ok(!('nonce' in elsewhere.claims) && !('ath' in elsewhere.claims));
  });
});
