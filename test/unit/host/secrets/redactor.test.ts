import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { HostError } from '../../../../src/base/errors';
import { phrase, worded } from '../../../../src/base/phrase';
import { redactCauses } from '../../../../src/host/connection/errorFacts';
import { Redactor, WITHHELD } from '../../../../src/host/secrets/redactor';
import { readings } from '../../../../src/host/secrets/spellings';

const SECRET = 'p/ä+"w\\0rd ~Zx91';

function knowing(...secrets: string[]): Redactor {
  const redactor = new Redactor();
  redactor.learn('a', secrets);
  return redactor;
}

describe('the redactor', () => {
  it('strikes out a secret in any place @redactor.strikes-secret-place', () => {
    assert.equal(knowing('hunter2!').text('a hunter2! b=hunter2!;'), 'a ••• b=•••;');
  });

  it('withholds a value that is nested in more than 500 levels @redactor.withholds-nested', () => {
    const nested = (levels: number): unknown => {
      let value: unknown = 'a hunter2!';
      for (let level = 0; level < levels; level++) value = [value];
      return value;
    };
    assert.equal(knowing('hunter2!').value(nested(501)), WITHHELD);
    assert.equal(JSON.stringify(knowing('hunter2!').value(nested(400))).includes('a •••'), true);
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
    it(`recognizes it ${name}`, () => {
      const redacted = knowing(SECRET).text(`x ${encode(SECRET)} y`);
      assert.match(redacted, /•••/);
      assert.ok(!/w.{0,4}0rd|Zx91/.test(redacted), redacted);
    });
  }

  it('recognizes it in base64 at any offset @redactor.recognizes-base64-offset', () => {
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

  it('recognizes it in entities, hex, a list of bytes, and what was encoded twice @redactor.recognizes-entities-hex', () => {
    const secret = 'p<w&d"x~Zx91w0rd-horse';
    const bytes = Buffer.from(`key=${secret};`);
    const html = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
    const forms = {
      named: `<b>${html}</b>`,
      numbered: `<b>${Array.from(secret, one => `&#${one.charCodeAt(0)};`).join('')}</b>`,
      inHex: `<b>${Array.from(secret, one => `&#x${one.charCodeAt(0).toString(16)};`).join('')}</b>`,
      hex: bytes.toString('hex'),
      HEX: bytes.toString('hex').toUpperCase(),
      inspected: `<Buffer ${bytes.toString('hex').replace(/../g, '$& ').trim()}>`,
      buffer: JSON.stringify(bytes),
      indented: JSON.stringify(bytes, undefined, 2),
      'base64 twice': Buffer.from(bytes.toString('base64')).toString('base64'),
      'Basic twice': Buffer.from(`Basic ${bytes.toString('base64')}`).toString('base64'),
      'hex in base64': Buffer.from(bytes.toString('hex')).toString('base64'),
    };
    for (const [form, text] of Object.entries(forms)) {
      const redacted = knowing(secret).text(`got ${text}, and more`);
      assert.ok(redacted.includes('•••') && redacted.endsWith(', and more'), `${form}: ${redacted}`);
      assert.ok(redacted.length < 30 + (text.length * 2) / 3, `${form}: ${redacted}`);
    }
    const fine = 'AT&amp;T &nbsp; 104, 101, 108, 108, 111 deadbeefdeadbeefdeadbeef aGVsbG8gd29ybGQgaGVsbG8=';
    assert.equal(knowing(secret).text(fine), fine);
  });

  it('recognizes one that is no ASCII in hex and in a list of bytes @redactor.recognizes-ascii-hex', () => {
    const bytes = Buffer.from('key=Zx91-wörd-ßé-€-𝄞;');
    for (const text of [
      bytes.toString('hex'),
      bytes.toString('hex').replace(/../g, '$&:').slice(0, -1),
      bytes.toString('hex').replace(/../g, '$&-').slice(0, -1),
      JSON.stringify(bytes),
    ]) {
      const redacted = knowing('Zx91-wörd-ßé-€-𝄞').text(`got ${text}, and more`);
      assert.ok(redacted.includes('•••') && redacted.endsWith(', and more'), redacted);
      assert.ok(redacted.length < 30 + (text.length * 2) / 3, redacted);
    }
  });

  it('recognizes it in other base64 forms: OAuth credentials, JSON @redactor.recognizes-base64-forms', () => {
    const secret = 'p/w+d"x~Z%correct-horse';
    const basic = Buffer.from(`client:${encodeURIComponent(secret)}`).toString('base64');
    const json = Buffer.from(JSON.stringify({ secret })).toString('base64url');
    for (const text of [basic, json, JSON.stringify({ basic }), encodeURIComponent(json)])
      assert.match(knowing(secret).text(text), /•••.{0,8}$/, text);
  });

  it('strikes out the longest of several with the same beginning', () => {
    assert.equal(knowing('secret-1', 'secret-1-and-more').text('secret-1-and-more secret-1'), '••• •••');
  });

  it('leaves short, common and numeric values, paths and addresses', () => {
    const common = [
      'true',
      '1',
      'node',
      'abc',
      '',
      '3000',
      '/usr/local/bin',
      '/root',
      '~/notes',
      'C:\\data',
      '/home/me/x',
      'https://example.com',
      'production',
    ];
    const redactor = knowing(...common);
    assert.ok(redactor.isEmpty);
    const text = common.join(' ');
    assert.equal(redactor.text(text), text);
  });

  it('leaves the words of the protocol, whatever a secret is', () => {
    const redactor = knowing('notifications', 'roots/list', 'protocolVersion', 'correct-horse');
    const sent = '{"method":"notifications/roots/list_changed","params":{"protocolVersion":"correct-horse"}}';
    assert.equal(redactor.text(sent), sent.replace('correct-horse', '•••'));
  });

  it('leaves what is only guessed to be a secret and is short, but strikes out what a person calls one', () => {
    const redactor = new Redactor();
    redactor.guess('a', ['tiger7', 'tiger-77']);
    assert.equal(redactor.text('tiger7 tiger-77'), 'tiger7 •••');
    redactor.learn('b', ['tiger7']);
    assert.equal(redactor.text('tiger7 tiger-77'), '••• •••');
  });

  it('recognizes a generated secret with slashes', () => {
    assert.equal(
      knowing('/wJalrXUtnFEMI4K7MDENG/bPxRfiCYzEXAMPLEKEY').text('/wJalrXUtnFEMI4K7MDENG/bPxRfiCYzEXAMPLEKEY'),
      '•••',
    );
  });

  it('strikes out the beginning of one cut off at the end of a text', () => {
    const redactor = knowing('sk-1234567890abcdef');
    assert.equal(redactor.text('its last words were: key sk-12345678….'), 'its last words were: key •••….');
    assert.equal(redactor.text('loading…'), 'loading…');
  });

  it('recognizes the lines of a multi-line secret', () => {
    const key = '-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0\nAQEFAASCBKcwggSjAgEAAoI\n';
    assert.equal(knowing(key).text('line MIIEvQIBADANBgkqhkiG9w0'), 'line •••');
  });

  it('recognizes the lines of a key whose line breaks are escaped @redactor.escaped-lines', () => {
    for (const broken of ['\\n', '\\r\\n']) {
      const redactor = knowing(
        ['-----BEGIN PRIVATE KEY-----', 'MIIEvQIBADANBgkqhkiG9w0', 'q8Zt4Kp2x9', ''].join(broken),
      );
      assert.equal(redactor.text('the line MIIEvQIBADANBgkqhkiG9w0 of it'), 'the line ••• of it');
    }
  });

  it('redacts JSON values, keys and numbers, and returns clean values unchanged', () => {
    const redactor = knowing('hunter2!', '12345678901');
    const clean = { a: [1, 'x'], b: null };
    assert.equal(redactor.value(clean), clean);
    assert.deepEqual(redactor.value({ 'hunter2!': ['hunter2!', { deep: 'xhunter2!' }] }), {
      '•••': ['•••', { deep: 'x•••' }],
    });
    assert.deepEqual(redactor.value({ n: 12345678901 }), { n: '•••' });
    assert.equal(redactor.value(undefined), undefined);
  });

  it('redacts values of phrases at any depth, and leaves their texts translatable', () => {
    const error = knowing('hunter2!', 'was not found').error(
      new HostError({
        code: 'COMMAND_NOT_FOUND',
        server: 'a',
        action: phrase('call {0}', 'hunter2!'),
        reason: phrase('{0}: {1}', phrase('the command "{0}" was not found', 'x hunter2!'), 42),
        remedy: phrase('Look into {0}.', 'hunter2!'),
        limit: 'startMs',
      }),
    );
    assert.equal(
      error.message,
      'MCP server "a" could not call •••: the command "x •••" was not found: 42. Look into •••.',
    );
    assert.equal(error.limit, 'startMs');
    const asked: string[] = [];
    const translate = (text: string, ...values: (string | number)[]) => {
      asked.push(text);
      return `<${values.join()}>`;
    };
    const { action, reason, remedy } = error.phrases;
    assert.deepEqual([worded(action, translate), worded(reason, translate)], ['<•••>', '<<x •••>,42>']);
    assert.equal(worded(remedy ?? '', translate), '<•••>');
    assert.deepEqual(asked, ['call {0}', 'the command "{0}" was not found', '{0}: {1}', 'Look into {0}.']);
  });

  it('tells a program that wrote guesses into a text nothing about the beginnings of secrets', () => {
    const redactor = knowing('sk-own-aB3dE5gH7jK9');
    redactor.learn('b', ['ghp_mN1pQ3sT5vW7xY9z']);
    redactor.learnTokens('a', ['eyJhbGciOiJub25lIn0.e30.c2ln']);
    const said = 'ghp_m… ghp_x… eyJhbG… sk-own-aB…, and whole ghp_mN1pQ3sT5vW7xY9z';
    const shown = 'ghp_m… ghp_x… eyJhbG… sk-own-aB…, and whole •••';
    const refused = { code: 'PROTOCOL', server: 'a', action: 'call b', reason: said } as const;
    const rpcError = { code: 1, message: said, data: { said: 'ghp_m…' } };
    const { reason, rpcError: sent } = redactor.error(new HostError({ ...refused, rpcError }));
    assert.deepEqual([reason, sent?.message, sent?.data], [shown, shown, rpcError.data]);
    assert.equal(redactor.textForProgram(said), shown);
    assert.equal(redactor.text('ghp_m… eyJhbG…'), '•••… •••…', 'for the person');
  });

  it('searches the beginning of an error alone, as its server may have made it to take long', () => {
    const message = `hunter2! ${'\\\\u005c'.repeat(100_000)}`;
    const rpcError = { code: 1, message, data: { message } };
    const error = knowing('hunter2!').error(
      new HostError({ code: 'PROTOCOL', server: 'a', action: 'b', reason: 'c', rpcError }),
    );
    assert.deepEqual([error.rpcError?.message.slice(0, 4), error.rpcError?.data], ['••• ', undefined]);
    assert.ok(error.rpcError!.message.length <= 20_000);
    const cause = new Error(message, { cause: new Error('hunter2!') });
    redactCauses(cause, text => knowing('hunter2!').textForProgram(text));
    assert.deepEqual(
      [cause.message.length, cause.message.slice(0, 4), (cause.cause as Error).message],
      [16_000, '••• ', '•••'],
    );
  });

  it('redacts texts in the data of an error before a part of them is cut out', () => {
    const refusal = Object.assign(new Error('no'), { data: { status: 403, text: `${'x'.repeat(295)}hunter2!` } });
    const answer = Object.assign(new Error('no'), { data: 'hunter2!' });
    for (const error of [refusal, answer]) redactCauses(error, text => knowing('hunter2!').textForProgram(text));
    assert.deepEqual([refusal.data, answer.data], [{ status: 403, text: `${'x'.repeat(295)}•••` }, '•••']);
  });

  it('redacts all of an error, including its cause', () => {
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
    ];
    assert.ok(!said.join().includes('hunter2'), said.join('\n'));
  });

  it('forgets secrets that were replaced many times', () => {
    const redactor = new Redactor();
    for (let n = 0; n < 20_000; n++) redactor.learnRenewed('a', [`plain words ${n}.`]);
    assert.equal(redactor.text('plain words 1. and plain words 19999.'), 'plain words 1. and •••');
  });

  it('forgets the secrets of a removed server', () => {
    const redactor = knowing('hunter2!');
    redactor.learn('b', ['other-one']);
    redactor.forget('a');
    assert.equal(redactor.text('hunter2! other-one'), 'hunter2! •••');
    redactor.forget('b');
    assert.ok(redactor.isEmpty);
  });

  it('is linear in the text @redactor.linear-text', () => {
    // Each of these took time by the square of its length, and would take hours at these lengths.
    const secrets = Array.from({ length: 50 }, (_, i) => `sk-${i}-${'aB3dE5gH7'.repeat(3)}${i}`);
    const redactor = knowing(...secrets, `${'a'.repeat(3_000)}b`, `${'x y '.repeat(500)}z1`);
    const nasty = [
      secrets[7]!.slice(0, -2).repeat(12_500),
      'a'.repeat(500_000),
      '\\'.repeat(500_000),
      '\\u00'.repeat(125_000),
      '%25'.repeat(125_000),
      '%'.repeat(500_000),
      'x y '.repeat(125_000),
      'aaaaaaaaaaaaaaaa\n'.repeat(25_000),
      '\n'.repeat(500_000),
    ];
    for (const text of nasty) {
      redactor.text(`${text}…`);
      redactor.text(`${'sk-1…'.repeat(1_000)}${text}`);
    }
  });

  it('strikes out a very long secret in full @redactor.strikes-long-secret', function () {
    this.timeout(120_000);
    for (const length of [600, 20_000, 60_000, 500_000]) {
      const token = randomBytes(length).toString('base64').slice(0, length);
      const redactor = knowing(token, 'hunter2!');
      assert.equal(redactor.text(`hunter2! ${token} and hunter2!`), '••• ••• and •••');
      assert.equal(redactor.text(`its end: "${token.slice(-(length >> 1))}"`), 'its end: "•••"');
      assert.equal(redactor.text(`cut: ${token.slice(0, length >> 1)}…`), 'cut: •••…');
      const encoded = Buffer.from(`user:${token}!`).toString('base64');
      assert.ok(redactor.text(encoded).length < 20);
      assert.ok(redactor.text(JSON.stringify({ token })).length < 20);
    }
    const start = randomBytes(1_500).toString('base64');
    const [older, newer] = [1, 2].map(() => start + randomBytes(30).toString('base64'));
    assert.equal(knowing(older!, newer!).text(`${newer} ${older}`), '••• •••');
    const same = knowing('a'.repeat(30_000), `${'a'.repeat(40_000)}b`);
    assert.equal(same.text('a'.repeat(100_000)), '•••');
  });

  it('withholds a text on which it fails, without the reason @redactor.withholds-text-fails', function () {
    this.timeout(120_000);
    const redactor = knowing('hunter2!');
    const cycle: unknown[] = ['hunter2!'];
    cycle.push(cycle);
    let deep: unknown = 'hunter2!';
    for (let n = 0; n < 100_000; n++) deep = [deep];
    for (const value of [cycle, deep]) assert.equal(redactor.value(value), WITHHELD);
    const tooMany = new Redactor();
    tooMany.learn(
      'a',
      Array.from({ length: 20_000 }, (_, n) => `${n}`.padStart(40, 'secret-')),
    );
    assert.equal(tooMany.text('hello'), WITHHELD);
    assert.equal(
      tooMany.error(new HostError({ code: 'EXITED', server: 'a', action: 'b', reason: 'c' })).reason,
      WITHHELD,
    );
  });

  it('recognizes secrets by their beginning when there are very many @redactor.recognizes-secrets', function () {
    this.timeout(120_000);
    const all = Array.from({ length: 10_000 }, () => randomBytes(30).toString('base64url'));
    const redactor = knowing(...all);
    for (const secret of [all[0]!, all[5_000]!, all.at(-1)!]) assert.equal(redactor.text(`x ${secret} y`), 'x ••• y');
  });

  const spellings: Record<string, (secret: string) => string> = {
    'with each unit as an escape': secret => each(secret, code => `\\u${code.toString(16).padStart(4, '0')}`),
    'so in capitals': secret => each(secret, code => `\\u${code.toString(16).toUpperCase().padStart(4, '0')}`),
    'with slashes escaped, as PHP does': secret => JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
    'with signs escaped, as .NET and Go do': secret =>
      JSON.stringify(secret)
        .slice(1, -1)
        .replace(/[+"&<>]/g, sign => `\\u00${sign.charCodeAt(0).toString(16)}`),
    'as Python shows it': secret =>
      secret.replace(/[\\']/g, '\\$&').replace(/[\u0080-\u00ff]/g, sign => `\\x${sign.charCodeAt(0).toString(16)}`),
    'with each byte as a code': secret => Buffer.from(secret).toString('hex').replace(/../g, '%$&'),
    'with some of its bytes as codes': secret =>
      encodeURIComponent(secret).replace(/[a-m]/g, sign => `%${sign.charCodeAt(0).toString(16)}`),
    'with codes and a plus for a space': secret => encodeURIComponent(secret).replaceAll('%20', '+'),
    'encoded twice': secret => encodeURIComponent(encodeURIComponent(secret)),
    'in JSON in a URL': secret => encodeURIComponent(JSON.stringify({ secret })),
    'in a URL in JSON in JSON': secret => JSON.stringify(JSON.stringify(`https://x/?k=${encodeURIComponent(secret)}`)),
    'in base64 with escaped slashes': secret =>
      JSON.stringify(Buffer.from(`user:${secret}`).toString('base64')).replaceAll('/', '\\/'),
    'in base64 in a URL': secret => encodeURIComponent(Buffer.from(secret).toString('base64')),
    'in base64 of several lines': secret =>
      Buffer.from(`${'x'.repeat(50)}${secret}${'y'.repeat(50)}`)
        .toString('base64')
        .replace(/.{76}/g, '$&\r\n'),
    'in such base64 in JSON': secret =>
      JSON.stringify(
        Buffer.from(`${'x'.repeat(50)}${secret}${'y'.repeat(50)}`)
          .toString('base64')
          .replace(/.{64}/g, '$&\n'),
      ),
  };
  for (const [name, spell] of Object.entries(spellings)) {
    it(`recognizes it spelled ${name}, and strikes out nothing else`, () => {
      const secret = 'aKz+/"Wq\\ä9&<m dd\'7Qx3LmB2vN8c';
      const text = `before ${spell(secret)} after`;
      const redacted = knowing(secret).text(text);
      assert.match(redacted, /•••/);
      assert.ok(redacted.startsWith('before ') && redacted.endsWith(' after'), redacted);
      // None of the ways to read what is left has a part of it.
      for (const { text: read } of readings(redacted, true)) {
        assert.ok(!/Wq|9&<m|7Qx3|B2vN8/.test(read), read);
        for (const [piece] of read.matchAll(/[\w+/-]{8,}/g))
          for (const shift of [0, 1, 2, 3])
            assert.ok(!/Wq|9&<m|7Qx3|B2vN8/.test(Buffer.from(piece.slice(shift), 'base64').toString()), piece);
      }
    });
  }

  it('makes ways to read a text one after the other, so that those that are too many cost no more than the limit', () => {
    const all = readings(`%252525255c${'%61'.repeat(10)}`, true);
    assert.deepEqual([all.next().value?.text.length, all.next().value?.text.slice(0, 12)], [41, '%2525255caaa']);
    assert.ok([...all].length > 1);
  });

  it('strikes out the encoded beginning of one cut off at the end of a text @redactor.strikes-encoded-beginning', () => {
    const redactor = knowing('päss-wörd-1234567');
    assert.equal(redactor.text('"p\\u00e4ss-w\\u00f6rd-12\\u00…'), '"•••…');
    assert.equal(redactor.text('p\\u00e4ss-w\\u00f6rd-12\\u…'), '•••…');
    assert.equal(redactor.text('p%C3%A4ss-w%C3%B6rd-12%…'), '•••…');
    assert.equal(redactor.text('p%C3%A4ss-w%C3%B6rd…'), '•••…');
  });

  it('leaves lines and JSON around a secret intact @redactor.leaves-lines-json', () => {
    const redactor = knowing('aB3dE5gH7aB3dE5gH7');
    assert.equal(redactor.text('key aB3dE5gH7aB3dE5gH7\nnext line'), 'key •••\nnext line');
    const message = JSON.stringify({ a: 'aB3dE5gH7aB3dE5gH7\n"x"', aB3dE5gH7aB3dE5gH7: [1] });
    assert.deepEqual(JSON.parse(redactor.text(message)), { a: '•••\n"x"', '•••': [1] });
  });

  it('learns tokens from a server only if they are shaped like tokens @redactor.learns-tokens-server', () => {
    const redactor = new Redactor();
    redactor.learnTokens('a', [
      ...['http', 'description', 'tools', '        ', 'the', 'read_file', 'search_files_in_folder', 'inputSchema'],
      ...['Reads the contents of a file. Use it for text.', 'Reads the 3 newest files of 2026 from 1 folder'],
      ...['https://api.example.com/v1/tools/2026/11/22', '/home/me/Projects/x1/y2/z3', '2026-11-22', '12345678', '•••'],
      ...[
        'createOrUpdateFileContents',
        'getUserByIdFromTheDatabaseOfTheFirst2',
        'a'.repeat(40),
        'x'.repeat(200_000),
        'Content-Type: text/plain; charset=utf8',
      ],
    ]);
    assert.ok(redactor.isEmpty);
    const tokens = [
      ...['ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.abc_DEF-123'],
      ...[randomUUID(), randomBytes(16).toString('hex')],
      ...[randomBytes(60_000).toString('base64'), 'HxDd1fxyFJBI1UVhQGUkknwspgIoAMKBNykuF-qcfA-'],
    ];
    redactor.learnTokens('a', tokens);
    for (const token of tokens) assert.equal(redactor.text(`is ${token} .`), 'is ••• .');
  });

  it('keeps the newest tokens of a server, and all its secrets', () => {
    const redactor = knowing('hunter2!');
    const tokens = Array.from({ length: 1_000 }, () => randomBytes(24).toString('hex'));
    for (const token of tokens) redactor.learnTokens('a', [token]);
    assert.equal(redactor.text(tokens.at(-1)!), '•••');
    assert.equal(redactor.text(tokens[0]!), tokens[0]);
    assert.equal(redactor.text('hunter2!'), '•••');
    redactor.forget('a');
    assert.ok(redactor.isEmpty);
  });
});

function each(text: string, spell: (code: number) => string): string {
  return Array.from({ length: text.length }, (_, n) => spell(text.charCodeAt(n))).join('');
}
