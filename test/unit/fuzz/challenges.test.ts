import assert from 'node:assert/strict';
import fc from 'fast-check';
import { challengesIn } from '../../../src/host/auth/discovery';
import { announce, holds } from './fuzz';

const token = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,8}$/);
const quoted = fc.stringMatching(/^[\t -~]{0,12}$/);
const space = fc.stringMatching(/^[ \t]{0,2}$/);
const parameter = fc.tuple(
  token,
  fc.oneof(
    quoted.map(value => ({ value, isQuoted: true })),
    token.map(value => ({ value, isQuoted: false })),
  ),
);
const challenge = fc.record({
  scheme: token,
  token68: fc.option(fc.stringMatching(/^[A-Za-z0-9._~+/-]{1,9}={0,2}$/)),
  parameters: fc.uniqueArray(parameter, { selector: ([name]) => name.toLowerCase(), maxLength: 4 }),
});

describe('fuzz: challenges', () => {
  before(announce);

  holds(
    'are read as they were written, in any number of lines',
    'challenges',
    fc.tuple(fc.array(fc.array(challenge, { minLength: 1, maxLength: 3 }), { maxLength: 3 }), space),
    ([lines, space]) => {
      const written = lines.map(line =>
        line
          .map(({ scheme, token68, parameters }) => {
            const said = parameters.map(([name, { value, isQuoted }]) =>
              [name, '=', isQuoted ? `"${value.replace(/["\\]/g, '\\$&')}"` : value].join(space),
            );
            return token68 === null ? `${scheme} ${said.join(`,${space}`)}`.trim() : `${scheme} ${token68}`;
          })
          .join(`${space},`),
      );
      const headers = new Headers(written.map((line): [string, string] => ['WWW-Authenticate', line]));
      assert.deepEqual(
        challengesIn({ headers }).map(({ scheme, parameters }) => [scheme, [...parameters]]),
        lines
          .flat()
          .map(({ scheme, token68, parameters }) => [
            scheme.toLowerCase(),
            token68 === null ? parameters.map(([name, { value }]) => [name.toLowerCase(), value]) : [],
          ]),
      );
    },
  );

  holds('are looked for in any text', 'challenges', fc.stringMatching(/^[ -~\t]{0,80}$/), text => {
    for (const { scheme } of challengesIn({ headers: new Headers({ 'WWW-Authenticate': text }) })) assert.ok(scheme);
  });
});
