import assert from 'node:assert/strict';
import { changedUnseen, launchChanges } from '../../../src/host/launchChanges';
import { commandLine, isClearText, launchFields, MASK, mask, shown } from '../../../src/host/launchReview';
import type { ServerEntry } from '../../../src/host/settings';
import { stdioServer } from '../../../src/host/settings/schema';

const entry = (input: object): ServerEntry => stdioServer.parse({ command: 'node', ...input });
const fields = (input: object) => launchFields(entry(input), [], 'salt');

describe('a launch under review', () => {
  it('has a command line that can be read in one way only', () => {
    assert.equal(commandLine('node', ['a b', 'a', 'b']), 'node "a b" a b');
    assert.equal(commandLine('node', ['', '"', '\\"', "it's"]), `node "" "\\"" "\\\\\\"" "it's"`);
    assert.equal(commandLine('C:\\Program Files\\node.exe', ['-e']), '"C:\\\\Program Files\\\\node.exe" -e');
    assert.equal(commandLine('sh', ['-c', 'a; rm -rf ~ && b | c > d']), 'sh -c "a; rm -rf ~ && b | c > d"');
  });

  it('hides nothing: bidi, zero width, line breaks, odd spaces and long gaps are shown', () => {
    assert.equal(shown('a\u202eb\u200bc'), 'a⟨U+202E⟩b⟨U+200B⟩c');
    assert.equal(shown('a\nb\tc\rd'), 'a⟨U+000A⟩b⟨U+0009⟩c⟨U+000D⟩d');
    assert.equal(shown('a\u00a0b\u3000c\u2800d'), 'a⟨U+00A0⟩b⟨U+3000⟩c⟨U+2800⟩d');
    assert.equal(commandLine('npx', [`good${' '.repeat(500)}; evil`]), 'npx "good⟨500 spaces⟩; evil"');
    assert.equal(shown('x'.repeat(100_000)).length, 100_000);
  });

  it('tells a variable from text that reads like one', () => {
    assert.equal(shown('\0{env:TOKEN}'), '${env:TOKEN}');
    assert.equal(shown('${env:TOKEN}'), '$${env:TOKEN}');
  });

  it('masks values, but not which variables are in them', () => {
    assert.equal(mask('abc'), MASK);
    assert.equal(mask('Bearer \0{env:TOKEN}'), '•••${env:TOKEN}');
    assert.equal(mask(''), '');
  });

  it('is compared field by field, also where the difference is masked', () => {
    const before = fields({ args: ['a', 'b'], env: { TOKEN: 'old', SAME: '1' } });
    const now = fields({ args: ['a', 'c'], env: { TOKEN: 'new', SAME: '1' } });
    const { removed, added } = launchChanges(before, now);
    assert.deepEqual(
      removed.map(({ kind, text }) => `${kind} ${text}`),
      ['argument b', `env ${MASK}`],
    );
    assert.deepEqual(
      added.map(({ kind, text }) => `${kind} ${text}`),
      ['argument c', `env ${MASK}`],
    );
    assert.deepEqual(
      [...changedUnseen(before, now)].map(({ name }) => name),
      ['TOKEN'],
    );
  });

  it('counts arguments that come twice, and sees that only the order changed', () => {
    const { removed, added } = launchChanges(fields({ args: ['a', 'a', 'b'] }), fields({ args: ['a', 'b'] }));
    assert.deepEqual([removed.map(({ text }) => text), added], [['a'], []]);
    assert.deepEqual(launchChanges(fields({ args: ['a', 'b'] }), fields({ args: ['b', 'a'] })), {
      removed: [],
      added: [],
    });
  });

  it('sees a change behind what is kept of a long value', () => {
    const [before, now] = [fields({ args: [`${'x'.repeat(5_000)}a`] }), fields({ args: [`${'x'.repeat(5_000)}b`] })];
    assert.ok(JSON.stringify(before).length < 3_000);
    assert.equal(changedUnseen(before, now).size, 1);
  });

  it('takes an address that cannot be told for clear text', () => {
    for (const url of ['http://\0{env:HOST}/', '\0{input:url}', 'http://example.com']) assert.ok(isClearText(url), url);
    for (const url of ['https://\0{env:HOST}/', 'http://localhost:80/', 'HTTPS://x.example', 'unix:///a.sock'])
      assert.ok(!isClearText(url), url);
  });
});
