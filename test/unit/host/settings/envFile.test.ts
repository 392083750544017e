import assert from 'node:assert/strict';
import { parseEnvFile } from '../../../../src/host/settings';

describe('A .env file', () => {
  it('supports names and values, quotes, comments and export', () => {
    const text = [
      '# comment',
      'A=1',
      'export B = b # more',
      'C="x y # z"',
      "D='l1",
      "l2'",
      'E=',
      'F="a\\nb"',
      'G=a=b',
    ].join('\n');
    const expected = { A: '1', B: 'b', C: 'x y # z', D: 'l1\nl2', E: '', F: 'a\nb', G: 'a=b' };
    assert.deepEqual({ ...parseEnvFile(text) }, expected);
  });

  it('supports a BOM and Windows line ends', () => {
    assert.deepEqual({ ...parseEnvFile('\uFEFFA=1\r\nB="x\r\ny"\r\n') }, { A: '1', B: 'x\ny' });
  });

  it('has as many variables as an entry may have, and no more', () => {
    const lines = (count: number) => Array.from({ length: count }, (_, index) => `V${index}=x`).join('\n');
    assert.equal(Object.keys(parseEnvFile(lines(2_000))).length, 2_000);
    assert.throws(() => parseEnvFile(lines(2_001)), /more than 2000 variables|more than 2,000 variables/);
  });

  it('can be empty or invalid', () => {
    assert.deepEqual({ ...parseEnvFile('') }, {});
    assert.deepEqual(Object.keys(parseEnvFile('nonsense')), []);
  });

  it('cannot reach a prototype', () => {
    const env = parseEnvFile('__proto__=x\nconstructor=c');
    assert.equal(env.constructor as unknown, 'c');
    assert.equal(Object.getPrototypeOf(env), Object.getPrototypeOf(parseEnvFile('')));
  });
});
