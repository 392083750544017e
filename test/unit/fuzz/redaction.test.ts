import assert from 'node:assert/strict';
import { Session } from 'node:inspector/promises';
import fc from 'fast-check';
import { HostError } from '../../../src/base/errors';
import { isCommonValue } from '../../../src/base/secretWords';
import { secretsOfEntry } from '../../../src/host/secrets/entrySecrets';
import { Redactor } from '../../../src/host/secrets/redactor';
import { parseServers } from '../../../src/host/settings';
import { holds } from './fuzz';
import { hostile, leaks, oneOf, pick, SPELLINGS, secret } from './texts';
import { entries, json } from './values';

const spelling = pick(...Object.keys(SPELLINGS));
/** Anything may be called a secret: what stands in `env` is, and what a server calls its token. */
const learned = oneOf<string>(
  [6, secret],
  [2, hostile],
  [1, fc.integer({ min: 1_000, max: 60_000 }).map(n => 'aB3/+'.repeat(n).slice(0, n))],
  [
    1,
    fc
      .tuple(pick('a', '\\', '%', '…', ' ', '=', '(a+)+'), fc.integer({ min: 5, max: 400 }))
      .map(([text, n]) => text.repeat(n)),
  ],
  [1, fc.array(hostile, { minLength: 2, maxLength: 6 }).map(lines => lines.join('\n'))],
);
const texts = fc.array(hostile, { maxLength: 4 }).map(parts => parts.join(' '));

describe('fuzz: redaction', () => {
  holds(
    'never throws, and strikes out every secret that it knows, however it is spelled @redaction.throws-strikes-secret',
    'redaction',
    fc.tuple(
      fc.array(secret, { minLength: 1, maxLength: 4 }),
      fc.array(learned, { maxLength: 6 }),
      spelling,
      texts,
      texts,
    ),
    ([secrets, others, name, before, after]) => {
      const redactor = new Redactor();
      redactor.learn('a', secrets);
      redactor.learn('b', others);
      for (const value of secrets) {
        const text = redactor.text(`${before}<${SPELLINGS[name]!(value)}>${after}`);
        assert.deepEqual(leaks(text, [value]), [], name);
      }
    },
  );

  holds(
    'does so in JSON of any depth, in its keys too, and in errors',
    'values',
    fc.tuple(fc.array(secret, { minLength: 1, maxLength: 3 }), json, spelling, texts),
    ([secrets, around, name, text]) => {
      const redactor = new Redactor();
      redactor.learn('a', secrets);
      const said = secrets.map(value => SPELLINGS[name]!(value));
      const value = {
        around,
        said: said.map(one => `${text} ${one}`),
        nested: JSON.stringify({ said }),
        [said[0]!]: 1,
      };
      const redacted = redactor.value(value);
      assert.deepEqual(leaks(JSON.stringify(redacted), secrets), [], name);
      const error = redactor.error(
        new HostError({
          code: 'PROTOCOL',
          server: 'a',
          action: 'x',
          reason: said.join(' '),
          stderrTail: said,
          cause: new Error(said[0]),
        }),
      );
      assert.deepEqual(leaks([error.message, ...error.stderrTail, String(error.cause)].join('\n'), secrets), []);
    },
  );

  holds('knows the secrets of an entry by their names and places', 'entrySecrets', entries, ({ entry, secrets }) => {
    const redactor = new Redactor();
    const [server] = parseServers({ one: entry }).servers;
    if (!server?.entry) return;
    redactor.learn('one', secretsOfEntry(server.entry));
    assert.deepEqual(leaks(redactor.text(secrets.join(' ')), secrets), []);
  });

  holds(
    'changes nothing where no secret is',
    'clean',
    fc.tuple(fc.array(secret, { maxLength: 5 }), texts),
    ([secrets, text]) => {
      const redactor = new Redactor();
      redactor.learn('a', secrets);
      const clean = text.replaceAll('…', '');
      assert.equal(redactor.text(clean), clean);
      assert.ok(secrets.every(value => isCommonValue(value) || redactor.text(value) !== value));
    },
  );

  const nasty = fc.tuple(
    pick('a', '\\', '\\u00', '%25', '%', 'x y ', 'aaaaaaaaaaaaaaaa\n', '\n', '…', 'ghp_a…', '=', 'aB3/+', '\u{1f511}'),
    pick('a', 'aB3', '\\', '%', 'x y '),
    fc.boolean(),
  );
  holds(
    'takes work in proportion to texts and secrets @redaction.takes-work-proportion',
    'work',
    nasty,
    async ([piece, start, isCut]) => {
      const work = await counting();
      try {
        const at = async (size: number) => {
          const redactor = new Redactor();
          redactor.learn('a', [
            `${start.repeat(size / 8)}b1C`,
            ...Array.from({ length: 20 }, (_, n) => `sk-${n}-${start.repeat(30)}${n}`),
          ]);
          const text = piece.repeat(size) + (isCut ? '…' : '');
          return work.of(() => void redactor.text(text));
        };
        await at(500);
        const [small, large] = [await at(1_000), await at(8_000)];
        assert.ok(small > 100, 'something was counted');
        // Eight times as much, and something for what grows by the way.
        assert.ok(large <= small * 16 + 100_000, `${small} steps, then ${large}`);
      } finally {
        await work.end();
      }
    },
  );
});

/** Counts how often each block of our code is run, as V8 tells: work, and not time. What its regular expressions do is not seen. */
async function counting() {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return {
    async of(run: () => void): Promise<number> {
      await session.post('Profiler.takePreciseCoverage');
      run();
      const { result } = await session.post('Profiler.takePreciseCoverage');
      return result
        .filter(({ url }) => url.includes('/out/src/'))
        .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)))
        .reduce((sum, count) => sum + count, 0);
    },
    async end(): Promise<void> {
      await session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
}
