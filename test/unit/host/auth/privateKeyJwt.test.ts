import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import type { AuthContext, Challenge } from '../../../../src/host/auth/authContext';
import { privateKeyJwt } from '../../../../src/host/auth/clientAuthentication';
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
    it(`signs with ${alg} by the key, in each PEM form`, async () => {
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
        /^HttpFault: the private key is of an unsupported kind; use P-256, P-384, RSA or Ed25519$/,
        key.slice(0, 40),
      );
  });

  it('refuses RSA keys that are too short (RFC 7518, 3.3)', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 });
    await assert.rejects(authenticated(pem(privateKey)), /2048 bits or larger/);
  });
});
