import assert from 'node:assert/strict';
import type { CallToolResult, GetPromptResult } from '@modelcontextprotocol/client';
import { english, phrase } from '../../../../../src/base/phrase';
import { imageTypeOf, planPrompt, planToolResult } from '../../../../../src/features/languageModel/core/contentPlan';
import { shorten } from '../../../../../src/features/languageModel/core/modelMessage';
import { resultWithoutBytes } from '../../../../../src/gateway/resultsForModels';
import { chequeredPng } from '../../../../servers/content/png';

const png = chequeredPng(16);

const picture = png.toString('base64');

const data = Buffer.alloc(12 * 1024, 1).toString('base64');

const vision = { images: true, maxChars: 1000 };

const blind = { images: false, maxChars: 1000 };

const result = (...content: unknown[]) => ({ content }) as CallToolResult;

const plan = (content: unknown[], options = blind) => planToolResult({ content } as CallToolResult, options);

const texts = ({ parts }: ReturnType<typeof planToolResult>) =>
  parts.map(part => (part.kind === 'text' ? part.text : `${part.mimeType} ${part.data.length}`));

describe('a tool result for a model', () => {
  it('is its text, plus structured content unless a text is that same JSON', () => {
    assert.deepEqual(
      texts(
        plan([
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ]),
      ),
      ['a', 'b'],
    );
    const structuredContent = { a: 1, b: [true] };
    const wholly = (...content: unknown[]) =>
      texts(planToolResult({ ...result(...content), structuredContent }, blind));
    const json = JSON.stringify(structuredContent, null, 2);
    assert.deepEqual(wholly({ type: 'text', text: 'found 1' }), ['found 1', json]);
    const same = '{ "b": [true],\n"a": 1.0 }';
    assert.deepEqual(wholly({ type: 'text', text: 'found 1' }, { type: 'text', text: same }), ['found 1', same]);
    assert.deepEqual(wholly({ type: 'text', text: '{"a":2,"b":[true]}' }), ['{"a":2,"b":[true]}', json]);
    assert.deepEqual(wholly({ type: 'image', mimeType: 'image/png', data }), ['[image image/png, 12 KB]', json]);
    // What the model does not get says nothing to it.
    const forPerson = { type: 'text', text: same, annotations: { audience: ['user'] } };
    assert.deepEqual(wholly(forPerson), ['[content that the server meant for the user only]', json]);
    for (const value of [0, '', false, null, []]) {
      const plain = planToolResult({ content: [], structuredContent: value } as unknown as CallToolResult, blind);
      assert.deepEqual(texts(plain), [JSON.stringify(value)]);
    }
  });

  it('has a value once that SDKs for Python send as text and as { "result": … }', () => {
    const both = (text: string, structuredContent: Record<string, unknown>) =>
      texts(planToolResult({ ...result({ type: 'text', text }), structuredContent }, blind));
    for (const [text, value] of [
      ['null', 'null'],
      ['one\ntwo', 'one\ntwo'],
      ['7', 7],
      ['["a","b"]', ['a', 'b']],
    ] as const)
      assert.deepEqual(both(text, { result: value }), [text]);
    assert.equal(both('one', { result: 'two' }).length, 2);
    assert.equal(both('one', { result: 'one', more: 1 }).length, 2);
    assert.equal(both('one', { answer: 'one' }).length, 2);
  });

  it('has a text once that is structured content itself', () => {
    const text = 'first "line"\nsecond';
    const planned = planToolResult({ content: [{ type: 'text', text }], structuredContent: text } as never, blind);
    assert.deepEqual(texts(planned), [text]);
  });

  it('says that long integers are rounded, unless a text has all their digits', () => {
    const text = '{ "id": 9007199254740993 }';
    const structuredContent = JSON.parse(text) as Record<string, unknown>;
    const said = (...content: CallToolResult['content']) =>
      texts(planToolResult({ content, structuredContent }, blind));
    assert.match(said().join(), /9007199254740992.*Integers of more than 15 digits are rounded here/s);
    assert.deepEqual(said({ type: 'text', text }), [text]);
  });

  it('has the text that a resource has as bytes', () => {
    const resource = (mimeType: string, bytes: string | Buffer) => ({
      type: 'resource',
      resource: { uri: 'file:///a', mimeType, blob: Buffer.from(bytes).toString('base64') },
    });
    assert.deepEqual(
      texts(
        plan([
          resource('application/csv', 'a,ü'),
          resource('application/json', '{}'),
          resource('text/plain', Buffer.from([0xff, 0xfe])),
          resource('application/zip', Buffer.from([0x50, 0x4b, 0])),
        ]),
      ),
      [
        'Resource file:///a:\na,ü',
        'Resource file:///a:\n{}',
        '[resource file:///a text/plain, 2 B]',
        '[resource file:///a application/zip, 3 B]',
      ],
    );
  });

  it('has one line in the place of a page that is drawn for the user', () => {
    const mimeType = 'text/html;profile=mcp-app';
    const page = { uri: 'ui://a/1', mimeType, text: `<p>${'x'.repeat(10_000)}</p>` };
    const website = { uri: 'ui://a/2', mimeType, text: 'https://example.com/x' };
    const content = [page, website].map(resource => ({ type: 'resource', resource }));
    assert.deepEqual(texts(plan(content)), [
      '[page ui://a/1, which is for the user]',
      '[website https://example.com/x, which the user can open]',
    ]);
  });

  it('leaves out user-only content, and notes that for both @contentPlan.leaves-user-content', () => {
    const annotated = (audience: unknown, more = {}) => ({
      type: 'text',
      text: 'x',
      annotations: { audience, ...more },
    });
    const left = '[content that the server meant for the user only]';
    const planned = plan([annotated(['user'], { priority: 1 }), { type: 'text', text: 'y' }]);
    assert.deepEqual(texts(planned), [left, 'y']);
    assert.deepEqual(planned.notes.map(english), [left]);
    for (const audience of [['user', 'assistant'], ['assistant'], [], 'user', ['nobody'], null])
      assert.deepEqual(texts(plan([annotated(audience)])), ['x'], JSON.stringify(audience));
    const embedded = { uri: 'x:/a', text: 'inside', annotations: { audience: ['user'] } };
    assert.deepEqual(texts(plan([{ type: 'resource', resource: embedded }])), [left]);
    const image = { type: 'image', mimeType: 'image/png', data: picture, annotations: { audience: ['user'] } };
    assert.deepEqual(texts(plan([image], vision)), [left]);
  });

  it('begins with a note when the tool ran but its result is invalid', () => {
    const problem = phrase('The tool was carried out, but {0}', 'its result is odd');
    const planned = planToolResult(result({ type: 'text', text: 'a' }), { ...blind, problem });
    assert.deepEqual(texts(planned), ['The tool was carried out, but its result is odd', 'a']);
  });

  it('notes an empty result, and a failed tool @contentPlan.notes-empty-result', () => {
    const nothing = ['The tool returned nothing.'];
    for (const empty of [[], [{ type: 'text', text: '' }], [null, 5]]) assert.deepEqual(texts(plan(empty)), nothing);
    for (const odd of [{}, { content: null }, { content: 'x' }]) {
      assert.deepEqual(texts(planToolResult(odd as unknown as CallToolResult, blind)), nothing);
    }
    const failed = planToolResult({ ...result({ type: 'text', text: 'no such file' }), isError: true }, blind);
    assert.deepEqual(texts(failed), ['The tool failed:\nno such file']);
  });

  it('has images for a model that sees, else a note, and never base64', () => {
    const image = { type: 'image', mimeType: 'image/png', data: picture };
    assert.deepEqual(texts(plan([image], vision)), [`image/png ${png.length}`]);
    assert.deepEqual(texts(plan([{ ...image, mimeType: 'image/jpeg' }], vision)), [`image/png ${png.length}`]);
    const noted = plan([{ ...image, data }]);
    assert.deepEqual(texts(noted), ['[image image/png, 12 KB]']);
    assert.deepEqual(noted.notes.map(english), ['[image image/png, 12 KB]']);
    for (const [bad, why] of [
      [{ mimeType: 'image/png', data: '%%%' }, /not valid base64/],
      [{ mimeType: 'image/png', data: 'AAAAA' }, /not valid base64/],
      [{ mimeType: 'image/png', data }, /not a whole image/],
      [{ mimeType: 'image/png' }, /not valid base64/],
      [{ mimeType: 'image/tiff', data }, /of a type that models do not accept/],
      [{ data }, /of a type that models do not accept/],
      [{ mimeType: 'image/png', data: data.repeat(500) }, /too large/],
    ] as const) {
      assert.match(texts(plan([{ type: 'image', ...bad }], vision)).join(), why);
    }
    const many = plan(
      Array.from({ length: 30 }, () => image),
      vision,
    );
    assert.equal(many.parts.filter(({ kind }) => kind === 'image').length, 20);
    assert.equal(many.notes.length, 10);
  });

  it('names unsupported content @contentPlan.names-unsupported-content', () => {
    const parts = texts(
      plan([
        { type: 'audio', mimeType: 'audio/wav', data },
        { type: 'resource', resource: { uri: 'x:/a.zip', mimeType: 'application/zip', blob: data } },
        { type: 'resource', resource: { uri: 'x:/a.txt', text: 'inside' } },
        { type: 'resource_link', uri: 'x:/b', name: 'b\u202e' },
        { type: 'hologram', data },
        { type: 'resource' },
        {},
      ]),
    );
    assert.deepEqual(parts, [
      '[audio audio/wav, 12 KB]',
      '[resource x:/a.zip application/zip, 12 KB]',
      'Resource x:/a.txt:\ninside',
      'b⟨U+202E⟩ (x:/b)',
      '[content of unknown type "hologram"]',
      '[resource undefined of unknown type, 0 B]',
      '[content of unknown type "undefined"]',
    ]);
    const embedded = { type: 'resource', resource: { uri: 'x:/a.png', mimeType: 'image/png', blob: picture } };
    assert.deepEqual(texts(plan([embedded], vision)), ['Resource x:/a.png:', `image/png ${png.length}`]);
  });

  it('over the cap has head and tail, counts what is left out, and provides the whole', () => {
    const { parts, shortened } = plan([{ type: 'text', text: `${'a'.repeat(1500)}${'z'.repeat(1500)}` }]);
    assert.equal(parts.length, 1);
    const [part] = parts;
    assert.ok(part?.kind === 'text');
    assert.equal(part.text, `${'a'.repeat(700)}\n[… 2,000 of 3,000 characters left out …]\n${'z'.repeat(300)}`);
    assert.equal(shortened?.whole.length, 3000);
  });

  it('of 16 MB, or with a hundred thousand parts, is read only as far as needed', () => {
    const big = plan(
      [
        { type: 'text', text: 'x'.repeat(8 << 20) },
        { type: 'image', mimeType: 'image/png', data: 'A'.repeat(8 << 20) },
      ],
      vision,
    );
    assert.ok(texts(big).join('').length < 1200);
    assert.equal(big.shortened?.whole.startsWith('xxx'), true);
    let looks = 0;
    const part = {
      type: 'text',
      get text() {
        looks++;
        return 'y';
      },
    };
    const many = plan(new Array(100_000).fill(part));
    assert.match(many.notes.map(english).join(), /99000 more parts left out/);
    assert.ok(looks < 10_000, `${looks} looks`);
  });

  it('compares bytes with none of the others that it has @contentPlan.compares-bytes', () => {
    const one = (at: number) => {
      const bytes = Buffer.alloc(195, 1);
      png.copy(bytes, 0, 0, 26);
      bytes.writeUInt32BE(at, 190);
      return bytes.toString('base64');
    };
    const text = Array.from({ length: 20_000 }, (_, at) => one(at >> 1)).join(' ');
    assert.equal(planToolResult(result({ type: 'text', text }), vision).bytes.length, 10_000);
    const shown = resultWithoutBytes(result({ type: 'text', text }));
    assert.equal(shown.content.length, 21);
    assert.match(JSON.stringify(shown.content[0]), /attached as mcp-host:\/\/attached\/20\].*\[image\/png, [^:]*\]/);
  });

  it('names bytes that its texts and structured content have, each once, and hands them out', () => {
    const large = chequeredPng(160);
    const base64 = large.toString('base64');
    const what = /image\/png, 160 × 160, \d+ B/.source;
    const image = { type: 'image', mimeType: 'image/png', data: base64 };
    const repeated = planToolResult({ ...result(image), structuredContent: { any: { name: [base64] } } }, vision);
    assert.deepEqual(repeated.bytes, []);
    assert.match(
      texts(repeated).join(),
      new RegExp(`^image/png ${large.length},.*\\[${what}: a picture of this result\\]`, 's'),
    );

    const json = JSON.stringify({ page: `data:image/png;base64,${base64}` });
    const planned = planToolResult(
      { ...result({ type: 'text', text: json }), structuredContent: { page: base64, [base64]: 1 }, isError: true },
      vision,
    );
    assert.deepEqual(
      planned.bytes.map(({ bytes, type }) => [Buffer.from(bytes).equals(large), type]),
      [[true, 'image/png']],
    );
    const [text = '', structured = ''] = texts(planned);
    assert.match(text, new RegExp(`^The tool failed:\n{"page":"\\[bytes 1: ${what}\\]"}$`));
    assert.equal(structured.match(new RegExp(`\\[bytes 1: ${what}\\]`, 'g'))?.length, 2);
    assert.deepEqual(Object.keys(planned.data as object), ['page', structured.match(/"(\[bytes.*?\])":/)?.[1]]);
    const { messages } = planPrompt(
      { messages: [{ role: 'user', content: { type: 'text', text: `See ${base64}` } }] } as GetPromptResult,
      blind,
    );
    assert.match(JSON.stringify(messages), /"See \[bytes 1: image/);
  });

  it('with deeply nested structured content is a note', () => {
    let deep: unknown = {};
    for (let i = 0; i < 100_000; i++) deep = { deep };
    const structured = planToolResult({ content: [], structuredContent: deep } as CallToolResult, blind);
    assert.match(texts(structured).join(), /nested too deeply/);
  });

  it('shows characters that carry hidden text, and keeps those that scripts and emoji need @contentPlan.shows-characters-carry', () => {
    const hidden = `a${String.fromCodePoint(0xe0041)}\u202eb 👩‍💻 می‌خواهم`;
    assert.deepEqual(texts(plan([{ type: 'text', text: hidden }])), ['a⟨U+E0041⟩⟨U+202E⟩b 👩‍💻 می‌خواهم']);
  });
});

describe('shortening', () => {
  it('does not split a character', () => {
    const emoji = '🗣'.repeat(500);
    for (let length = 0; length < 40; length++) assert.ok(shorten(emoji, length).isWellFormed(), `${length}`);
  });
});

describe('the messages of a prompt for a model', () => {
  const prompt = (...messages: unknown[]) => ({ messages }) as GetPromptResult;
  const say = (role: string, text: string) => ({ role, content: { type: 'text', text } });

  it('keep their roles and their order', () => {
    const { messages } = planPrompt(
      prompt(say('user', 'a'), say('user', 'b'), say('assistant', 'c'), say('x', 'd')),
      blind,
    );
    assert.deepEqual(
      messages.map(({ role, parts }) => [role, ...parts.map(part => (part.kind === 'text' ? part.text : ''))]),
      [
        ['user', 'a'],
        ['user', 'b'],
        ['assistant', 'c'],
        ['user', 'd'],
      ],
    );
  });

  it('are none without content', () => {
    for (const odd of [{}, { messages: null }, prompt(), prompt(null, {}, say('user', ''))]) {
      assert.deepEqual(planPrompt(odd as GetPromptResult, blind).messages, []);
    }
  });

  it('of 5 MB are shortened together', () => {
    const { messages, shortened } = planPrompt(prompt(say('user', 'intro'), say('user', 'x'.repeat(5 << 20))), blind);
    assert.ok(JSON.stringify(messages).length < 1300);
    assert.equal(shortened?.whole.length, (5 << 20) + 'intro\n\n'.length);
  });
});

describe('imageTypeOf', () => {
  it('returns the type of the bytes, and nothing for truncated or altered ones @imageType.returns-type-bytes', () => {
    const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
    assert.equal(imageTypeOf(png), 'image/png');
    assert.equal(imageTypeOf(gif), 'image/gif');
    for (let length = 0; length < png.length; length++) assert.equal(imageTypeOf(png.subarray(0, length)), undefined);
    for (let at = 8; at < png.length; at++) {
      const changed = Buffer.from(png);
      changed[at]! ^= 1;
      assert.equal(imageTypeOf(changed), undefined, `byte ${at}`);
    }
    for (const start of ['ffd8ff', '52494646ffffffff57454250', '474946383961']) {
      assert.equal(imageTypeOf(Buffer.from(start, 'hex')), undefined);
      assert.equal(imageTypeOf(Buffer.concat([Buffer.from(start, 'hex'), Buffer.alloc(200)])), undefined);
    }
  });
});
