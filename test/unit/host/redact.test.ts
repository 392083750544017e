import assert from 'node:assert/strict';
import { HostError } from '../../../src/host/errors';
import { Redactor } from '../../../src/host/redact';

const SECRET = 'p/ä+"w\\0rd ~Zx91';

function knowing(...secrets: string[]): Redactor {
  const redactor = new Redactor();
  redactor.learn('a', secrets);
  return redactor;
}

describe('The redactor', () => {
  it('strikes out a secret wherever it stands', () => {
    assert.equal(knowing('hunter2!').text('a hunter2! b=hunter2!;'), 'a ••• b=•••;');
  });

  const forms: Record<string, (secret: string) => string> = {
    'in JSON': secret => JSON.stringify({ secret }),
    'in JSON within JSON': secret => JSON.stringify(JSON.stringify({ secret })),
    'in JSON of ASCII': secret => JSON.stringify(secret).replace(/ä/g, '\\u00e4'),
    'encoded for a URL': encodeURIComponent,
    'encoded for a URL, in lower case': secret =>
      encodeURIComponent(secret).replace(/%../g, code => code.toLowerCase()),
    'in a form': secret => new URLSearchParams({ secret }).toString(),
  };
  for (const [name, encode] of Object.entries(forms)) {
    it(`knows it ${name}`, () => {
      const redacted = knowing(SECRET).text(`x ${encode(SECRET)} y`);
      assert.match(redacted, /•••/);
      assert.ok(!/w.{0,4}0rd|Zx91/.test(redacted), redacted);
    });
  }

  it('knows it in base64, wherever it begins', () => {
    for (const encoding of ['base64', 'base64url'] as const) {
      for (const before of ['', 'u', 'us', 'use:', 'user:']) {
        for (const after of ['', 'x', 'xy', 'xyz']) {
          const text = Buffer.from(before + SECRET + after).toString(encoding);
          const redacted = knowing(SECRET).text(text);
          assert.ok(redacted.includes('•••'), `${before} ${after}: ${text} stays ${redacted}`);
          const around = Math.ceil(((before.length + after.length) * 4) / 3);
          assert.ok(redacted.length <= 3 + around + 8, redacted);
        }
      }
    }
  });

  it('takes the longest of several that begin alike', () => {
    assert.equal(knowing('secret-1', 'secret-1-and-more').text('secret-1-and-more secret-1'), '••• •••');
  });

  it('leaves what is short, common, a number, a path or an address', () => {
    const common = [
      'true',
      '1',
      'node',
      'abc',
      '',
      '3000',
      '/usr/local/bin',
      '/home/me/x',
      'https://example.com',
      'production',
    ];
    const redactor = knowing(...common);
    assert.ok(redactor.isEmpty);
    const text = common.join(' ');
    assert.equal(redactor.text(text), text);
  });

  it('does not take a generated secret with slashes for a path', () => {
    assert.equal(
      knowing('/wJalrXUtnFEMI4K7MDENG/bPxRfiCYzEXAMPLEKEY').text('/wJalrXUtnFEMI4K7MDENG/bPxRfiCYzEXAMPLEKEY'),
      '•••',
    );
  });

  it('strikes out the beginning of one at which a text was cut', () => {
    const redactor = knowing('sk-1234567890abcdef');
    assert.equal(redactor.text('its last words were: key sk-12345678….'), 'its last words were: key •••….');
    assert.equal(redactor.text('loading…'), 'loading…');
  });

  it('knows the lines of a secret of several lines', () => {
    const key = '-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0\nAQEFAASCBKcwggSjAgEAAoI\n';
    assert.equal(knowing(key).text('line MIIEvQIBADANBgkqhkiG9w0'), 'line •••');
  });

  it('redacts JSON values, keys and numbers too, and leaves those without a secret as they are', () => {
    const redactor = knowing('hunter2!', '12345678901');
    const clean = { a: [1, 'x'], b: null };
    assert.equal(redactor.value(clean), clean);
    assert.deepEqual(redactor.value({ 'hunter2!': ['hunter2!', { deep: 'xhunter2!' }] }), {
      '•••': ['•••', { deep: 'x•••' }],
    });
    assert.equal(redactor.value({ n: 12345678901 }), '{"n":•••}');
    assert.equal(redactor.value(undefined), undefined);
  });

  it('redacts all that an error says, its cause included', () => {
    const error = knowing('hunter2!').error(
      new HostError({
        code: 'EXITED',
        server: 'a',
        action: 'call hunter2!',
        reason: 'hunter2! is wrong',
        remedy: 'Change hunter2!',
        stderrTail: ['got hunter2!'],
        cause: new Error('hunter2!'),
      }),
    );
    assert.ok(error instanceof HostError && error.code === 'EXITED');
    const said = [
      error.message,
      error.stack,
      error.reason,
      error.remedy,
      error.action,
      ...error.stderrTail,
      String(error.cause),
      error.summary,
    ];
    assert.ok(!said.join().includes('hunter2'), said.join('\n'));
  });

  it('forgets the secrets of a server that is gone', () => {
    const redactor = knowing('hunter2!');
    redactor.learn('b', ['other-one']);
    redactor.forget('a');
    assert.equal(redactor.text('hunter2! other-one'), 'hunter2! •••');
    redactor.forget('b');
    assert.ok(redactor.isEmpty);
  });

  it('is linear in the text and hardly slower for many secrets', () => {
    const secrets = Array.from({ length: 50 }, (_, i) => `sk-${i}-${'aB3dE5gH7'.repeat(3)}${i}`);
    const line = `2026-11-21T00:00:00Z info request ${'abcdef '.repeat(10)}`;
    const [one, many] = [knowing(secrets[0]!), knowing(...secrets)];
    const time = (redactor: Redactor, text: string, times: number) => {
      const started = performance.now();
      for (let i = 0; i < times; i++) redactor.text(text);
      return performance.now() - started;
    };
    for (const redactor of [one, many]) time(redactor, line, 2_000);
    const ms = time(many, line, 100_000);
    assert.ok(ms < 3_000, `100,000 lines took ${ms} ms`);
    // Almost a secret, over and over.
    const nasty = secrets[7]!.slice(0, -2).repeat(20_000);
    assert.ok(time(many, nasty, 1) < 2_000);
    assert.ok(time(many, `${nasty}…`, 1) < 2_000);
  });
});
