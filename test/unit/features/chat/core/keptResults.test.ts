import assert from 'node:assert/strict';
import { type FoundBytes, withoutBytes } from '../../../../../src/base/bytesInText';
import { KeptResults, type LongResult, type ResultFiles } from '../../../../../src/features/chat/core/keptResults';
import { textOfParts } from '../../../../../src/features/languageModel/core/modelMessage';
import { chequeredPng } from '../../../../servers/content/png';

class Files implements ResultFiles {
  readonly all = new Map<string, string>();
  async write(name: string, text: string) {
    this.all.set(name, text);
  }
  async read(name: string) {
    return this.all.get(name);
  }
  async remove(name: string) {
    this.all.delete(name);
  }
}

const people = Array.from({ length: 2000 }, (_, id) => ({ id, name: `Person ${id}`, ...(id % 2 && { odd: true }) }));

const log = Array.from({ length: 3000 }, (_, i) => `12:00:${i} ${i % 100 === 0 ? 'ERROR' : 'INFO'} step ${i}`).join(
  '\n',
);

describe('a long result', () => {
  let files: Files;
  let kept: KeptResults;
  beforeEach(() => {
    files = new Files();
    kept = new KeptResults(files, () => 4000);
  });

  /** Of a server without secrets, unless it is said otherwise. */
  const keep = (result: Partial<LongResult> & { text: string }) =>
    kept.keep({ chat: 'chat', redact: text => text, ...result });

  const read = async (chat: string, input: Record<string, unknown>) => textOfParts(await kept.read(chat, input, false));

  it('is given as beginning, end, summary and a handle', async () => {
    assert.equal(kept.has('chat'), false);
    const said = await keep({ chat: 'chat', text: log });
    assert.match(
      said,
      /^\[This result has \d+ characters in 3000 lines.* Log of 3000 lines: error 30, info 2970\. It is kept as "result-1"\./,
    );
    assert.match(said, /mcp_read_result; do not make the call again/);
    assert.match(said, /12:00:0 ERROR step 0\n/);
    assert.match(said, /step 2999$/);
    assert.ok(said.length < 1600, `${said.length}`);
    assert.ok(kept.has('chat') && !kept.has('other'));
    assert.match(await keep({ chat: 'chat', text: log }), /kept as "result-2"/);
  });

  it('is searched for secrets no further than takes a moment: more bytes that are text are not kept @keptResults.bytes-searched', async () => {
    const bytes = ['a', 'b', 'c', 'd'].map(letter => Buffer.alloc(1_000_000, letter));
    const found = bytes.map(one => ({ bytes: one, type: 'text/plain', what: 'text' }));
    let searched = 0;
    const redact = (text: string) => {
      searched += text.length;
      return text;
    };
    await keep({ chat: 'c', text: 'x', bytes: [...found, ...found], redact });
    assert.ok(searched < 3_000_000, `${searched} characters`);
    assert.match(await read('c', { handle: 'result-1', bytes: 2 }), /^1: bbb/);
    assert.match(await read('c', { handle: 'result-1', bytes: 4 }), /too many to be kept/);
  });

  it('offers the bytes that it had: a picture as such, text by its lines, others as numbers', async () => {
    const png = chequeredPng(160);
    const noise = Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7) % 256));
    const secrets = Buffer.from(`token 1234\n${'line\n'.repeat(900)}`);
    const found: FoundBytes[] = [];
    const text = withoutBytes(
      [png, noise, secrets].map(bytes => `data:;base64,${bytes.toString('base64')}`).join(' '),
      one => `[bytes ${found.push(one)}: ${one.what}]`,
    );
    const said = await keep({ chat: 'c', text, bytes: found, redact: all => all.replaceAll('1234', '***') });
    assert.match(said, /^\[bytes 1: image\/png, 160 × 160, \d+ B\] \[bytes 2: application\/octet-stream, 4\.9 KB\]/);
    assert.match(said, /kept as "result-1"\. What stands in it as "\[bytes 1: …\]" you get with mcp_read_result/);
    const ask = (bytes: unknown, more = {}) => read('c', { handle: 'result-1', bytes, ...more });
    const [picture] = await kept.read('c', { handle: 'result-1', bytes: 1 }, true);
    assert.ok(picture?.kind === 'image' && Buffer.from(picture.data).equals(png));
    assert.match(await ask(1), /^image\/png, 160 × 160, \d+ B, in hexadecimal:\n1: 89 50 4e 47 /);
    assert.match(await ask(2, { from: 2, lines: 1 }), /\n2: 70 77 7e .*\n\[of 313 lines\]$/);
    assert.match(await ask(3, { contains: 'token' }), /^1: token \*\*\*$/);
    for (const wrong of [0, 4, 'x', null])
      assert.match(await ask(wrong), /no such bytes in this result, which has 3/, `${wrong}`);
    const huge = { bytes: Buffer.alloc(11 << 20), type: 'image/png', what: 'image/png, 11 MB' };
    await keep({ chat: 'c', text: 'x', bytes: [huge] });
    assert.match(await read('c', { handle: 'result-2', bytes: 1 }), /image\/png, 11 MB\) are too many to be kept/);
  });

  it('is paged by its lines', async () => {
    await keep({ chat: 'c', text: log });
    const page = await read('c', { handle: 'result-1', from: 101, lines: 3 });
    assert.equal(
      page,
      '101: 12:00:100 ERROR step 100\n102: 12:00:101 INFO step 101\n103: 12:00:102 INFO step 102\n[of 3000 lines]',
    );
    const first = await read('c', { handle: 'result-1' });
    assert.match(first, /^1: 12:00:0 ERROR/);
    assert.match(first, /\[\d+ left out here, ask for less, of 3000 lines\]$/);
    assert.ok(first.length < 2200);
    for (const from of [-5, 0, Number.NaN, '7', null, {}])
      assert.match(await read('c', { handle: 'result-1', from }), /^1: /);
    assert.match(await read('c', { handle: 'result-1', from: 1e9, lines: -3 }), /^3000: .*\n\[of 3000 lines\]$/);
  });

  it('is searched for literal text, not a pattern', async () => {
    await keep({ chat: 'c', text: log });
    assert.equal(await read('c', { handle: 'result-1', contains: 'STEP 2999' }), '3000: 12:00:2999 INFO step 2999');
    assert.match(await read('c', { handle: 'result-1', contains: 'error' }), /^1: [\s\S]*2901: /);
    assert.match(await read('c', { handle: 'result-1', contains: '.*' }), /^No line contains that/);
    assert.match(await read('c', { handle: 'result-1', contains: 'step' }), /2900 more matches\]$/);
  });

  it('is queried where it is JSON, as text or as structured content', async () => {
    await keep({ chat: 'c', text: JSON.stringify(people) });
    await keep({ chat: 'c', text: 'People', structured: { people } });
    const ask = (handle: string, path: string) => read('c', { handle, path });
    assert.equal(await ask('result-1', '$[?@.id == 1234].name'), '"Person 1234"');
    assert.equal(await ask('result-2', '$.people[1999]'), '{"id":1999,"name":"Person 1999","odd":true}');
    assert.equal(await ask('result-1', '$.none'), 'The path leads to nothing.');
    assert.match(await ask('result-1', '$[*].id'), /more values\]$/);
    assert.match(await ask('result-1', 'people'), /^The path is not understood: at character 1/);
    await keep({ chat: 'c', text: log });
    assert.match(await ask('result-3', '$.a'), /is no JSON/);
  });

  it('is not available to another chat, and may expire @keptResults.available-chat-expire', async () => {
    await keep({ chat: 'one', text: log });
    assert.match(
      await read('two', { handle: 'result-1' }),
      /no result "result-1" in this chat, or it is no longer kept\.$/,
    );
    assert.match(await read('one', { handle: 'result-7' }), /There are: result-1$/);
    for (const handle of [undefined, 5, '', '../one.result-1', 'one.result-1']) {
      assert.match(await read('one', { handle }), /^There is no result/);
    }
    files.all.clear();
    assert.match(await read('one', { handle: 'result-1' }), /no longer kept\. Make the call again/);
  });

  it('is bounded in number and size, with the oldest dropped first', async () => {
    for (let i = 0; i < 60; i++) await keep({ chat: `c${i}`, text: log });
    assert.equal(files.all.size, 50);
    assert.ok(!kept.has('c0') && kept.has('c59'));
    const huge = await keep({ chat: 'huge', text: 'x'.repeat(11 * 1024 * 1024) });
    assert.match(huge, /Only its first 10485760 characters are kept/);
    assert.ok([...files.all.values()].at(-1)!.length < 12 * 1024 * 1024);
  });

  it('has bounded lines, with hidden characters visible', async () => {
    await keep({ chat: 'c', text: `${'y'.repeat(50_000)}a\u202eb` });
    const end = await read('c', { handle: 'result-1', from: 51 });
    assert.equal(end, '51: a⟨U+202E⟩b\n[of 51 lines]');
  });

  it('searches what is kept for secrets, and no more', async () => {
    let searched = 0;
    const redact = (text: string) => {
      searched = Math.max(searched, text.length);
      return text;
    };
    const long = 'line\n'.repeat(4_000_000);
    assert.match(
      await keep({ text: long, structured: { long }, redact }),
      /has 20000000 characters.* Only its first 10485760/s,
    );
    assert.ok(searched <= 10 * 1024 * 1024 + 1, `${searched} characters`);
  });

  it('has no secrets on disk or in what the model gets, as text or data', async () => {
    const redact = (text: string) => text.replaceAll('sesame', '***');
    const said = await keep({ text: `open sesame\n${log}`, redact });
    const data = await keep({ text: log, structured: { people, key: 'sesame', sesame: 1 }, redact });
    const found = await keep({ text: JSON.stringify({ people, key: 'sesame' }), redact });
    const answers = [
      await read('chat', { handle: 'result-2', path: '$.key' }),
      await read('chat', { handle: 'result-3', path: '$.key' }),
    ];
    assert.deepEqual(answers, ['"***"', '"***"']);
    for (const text of [said, data, found, ...files.all.values()]) assert.doesNotMatch(text, /sesame/);
    assert.match(await read('chat', { handle: 'result-1', contains: 'open' }), /^1: open \*\*\*/);
  });

  it('fails when it cannot be written', async () => {
    files.write = () => Promise.reject(new Error('disk full'));
    await assert.rejects(keep({ chat: 'c', text: log }), /disk full/);
    assert.equal(kept.has('c'), false);
  });
});
