import assert from 'node:assert/strict';
import { createHash, createPublicKey, verify } from 'node:crypto';
import { DpopProofs } from '../../../../src/host/auth/clientAuthentication';
import { readJwt } from './jwt';

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
  it('contain method, address, time and token hash, and the public key', async () => {
    const before = Math.floor(Date.now() / 1_000);
    const { header, claims } = readJwt(await new DpopProofs(KEPT).buildProof({ ...POST, accessToken: 'secret' }));
    assert.deepEqual(header, { alg: 'ES256', typ: 'dpop+jwt', jwk: PUBLIC });
    const { jti, iat, ...rest } = claims;
    assert.match(String(jti), /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    assert.ok(Number.isInteger(iat) && Number(iat) >= before && Number(iat) <= Math.floor(Date.now() / 1_000));
    const ath = createHash('sha256').update('secret').digest('base64url');
    assert.deepEqual(rest, { htm: 'POST', htu: 'https://as.example/token', ath });
  });

  it('are signed with stored keys, which stay the same and never reveal the private part', async () => {
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

  it('are used once, with the newest nonce of their origin', async () => {
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
