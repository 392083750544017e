import assert from 'node:assert/strict';
import { challengesIn, tokenChallenge } from '../../../../src/host/auth/discovery';

const refused = (...lines: string[]) => ({
  headers: new Headers(lines.map((line): [string, string] => ['WWW-Authenticate', line])),
});
const read = (...lines: string[]) =>
  challengesIn(refused(...lines)).map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)]);
const metadata = 'https://example.com/.well-known/oauth-protected-resource';

describe('WWW-Authenticate', () => {
  for (const [what, lines, expected] of [
    ['one challenge', ['Bearer realm="x", scope="a b"'], [['bearer', { realm: 'x', scope: 'a b' }]]],
    ['no parameters', ['Bearer'], [['bearer', {}]]],
    [
      'several challenges',
      ['Basic realm="x", Bearer error="e", scope=a'],
      [
        ['basic', { realm: 'x' }],
        ['bearer', { error: 'e', scope: 'a' }],
      ],
    ],
    [
      'a scheme alone first',
      ['Negotiate, NTLM, Bearer realm="x"'],
      [
        ['negotiate', {}],
        ['ntlm', {}],
        ['bearer', { realm: 'x' }],
      ],
    ],
    [
      'token68',
      ['Negotiate YII+/=._~-==, Bearer scope="a"'],
      [
        ['negotiate', {}],
        ['bearer', { scope: 'a' }],
      ],
    ],
    ['space around "="', ['Bearer error = "e" , scope\t=\t"a"'], [['bearer', { error: 'e', scope: 'a' }]]],
    [
      'a parameter of no scheme',
      ['realm="x", Bearer scope="a"'],
      [
        ['realm', {}],
        ['bearer', { scope: 'a' }],
      ],
    ],
    [
      'commas and schemes in quotes',
      ['Bearer realm="a, Basic b=\\"c\\", d", error="e"'],
      [['bearer', { realm: 'a, Basic b="c", d', error: 'e' }]],
    ],
    ['escapes', ['Bearer realm="a\\\\\\"b\\c"'], [['bearer', { realm: 'a\\"bc' }]]],
    [
      'several lines',
      ['Basic realm="x"', 'Bearer scope="a"'],
      [
        ['basic', { realm: 'x' }],
        ['bearer', { scope: 'a' }],
      ],
    ],
    ['empty elements', [',, Bearer realm="x",, ,scope="a",'], [['bearer', { realm: 'x', scope: 'a' }]]],
    ['upper case', ['BEARER SCOPE="A"'], [['bearer', { scope: 'A' }]]],
    ['a URL without quotes', [`Bearer resource_metadata=${metadata}`], [['bearer', { resource_metadata: metadata }]]],
    ['a name that comes twice', ['Bearer scope="a", scope="b"'], [['bearer', { scope: 'a' }]]],
    ['an empty value', ['Bearer scope="", error="e"'], [['bearer', { scope: '', error: 'e' }]]],
    ['a quote without end', ['Bearer realm="x, scope="a"'], [['bearer', { realm: 'x, scope=' }]]],
    ['nothing', [], []],
  ] as const) {
    it(`with ${what}`, () => assert.deepEqual(read(...lines), expected));
  }

  it('is read from the challenge for tokens, wherever it stands @challenges.read-challenge-tokens', () => {
    const parameters = `error="insufficient_scope", scope="write", resource_metadata="${metadata}"`;
    const expected = {
      error: 'insufficient_scope',
      scope: 'write',
      resourceMetadataUrl: new URL(metadata),
      isDpop: false,
    };
    for (const lines of [
      [`Bearer ${parameters}`],
      [`Basic realm="error=no", Bearer ${parameters}`],
      [`Negotiate, Basic realm="x, Bearer error=\\"none\\"", Bearer ${parameters}`],
      [`Bearer realm="a", scope="read", Bearer ${parameters}`],
      [`Bearer realm="a", scope="read"`, `Bearer ${parameters}`],
      [`Basic realm="x", error="no", scope="none"`, `Bearer ${parameters}`],
      [`DPoP algs="ES256", Bearer ${parameters}`],
    ])
      assert.deepEqual(tokenChallenge(refused(...lines)), expected, lines.join('\n'));
  });

  it('wants tokens bound to a key if it offers nothing else', () => {
    assert.equal(tokenChallenge(refused('Basic realm="x", DPoP algs="ES256"')).isDpop, true);
    assert.equal(tokenChallenge(refused('Bearer realm="DPoP", DPoP algs="ES256"')).isDpop, false);
    assert.equal(tokenChallenge(refused('Basic realm="DPoP"')).isDpop, false);
  });
});
