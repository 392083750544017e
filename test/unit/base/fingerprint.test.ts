import assert from 'node:assert/strict';
import { canonicalJson, fingerprint, isSameSecret } from '../../../src/base/fingerprint';

describe('Canonical JSON', () => {
  it('sorts keys at every depth and keeps the order of lists', () => {
    assert.equal(
      canonicalJson({ b: [{ d: 1, c: 2 }, 'x'], a: null, B: true }),
      '{"B":true,"a":null,"b":[{"c":2,"d":1},"x"]}',
    );
  });

  it('parses to the same value', () => {
    const value = { text: '"\n\u2028é🚀', numbers: [0, -1.5, 1e21], empty: [{}, [], ''] };
    assert.deepEqual(JSON.parse(canonicalJson(value)), value);
  });

  it('omits undefined members', () => {
    assert.equal(canonicalJson({ a: undefined, b: [undefined] }), '{"b":[null]}');
    assert.equal(canonicalJson(undefined), 'null');
  });

  it('handles own keys such as __proto__ as data', () => {
    assert.equal(
      canonicalJson(JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}')),
      '{"__proto__":{"a":1},"constructor":2}',
    );
    assert.notEqual(canonicalJson(JSON.parse('{"__proto__": 1}')), canonicalJson({}));
    assert.equal(canonicalJson(Object.create({ inherited: 1 })), '{}');
  });

  it('refuses endless nesting', () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    assert.throws(() => canonicalJson(cycle), RangeError);
    assert.throws(() => canonicalJson(JSON.parse('['.repeat(50_000) + ']'.repeat(50_000))), RangeError);
  });
});

describe('A fingerprint', () => {
  it('is SHA-256 of the canonical JSON', () => {
    assert.equal(fingerprint({}), '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
  });

  it('ignores the order of keys, but depends on list order and on every value', () => {
    assert.equal(fingerprint({ a: 1, b: 2 }), fingerprint({ b: 2, a: 1 }));
    assert.notEqual(fingerprint([1, 2]), fingerprint([2, 1]));
    assert.notEqual(fingerprint({ a: '1' }), fingerprint({ a: 1 }));
  });
});

describe('comparing secrets', () => {
  it('tells them apart, whatever their lengths', () => {
    assert.deepEqual(
      ['secret', 'secreT', 'secret!', ''].map(given => isSameSecret(given, 'secret')),
      [true, false, false, false],
    );
  });
});
