import assert from 'node:assert/strict';
import { conversationText, fromReviewText, toReviewText } from '../../../../../src/features/sampling/core/samplingText';
import { chequeredPng } from '../../../../servers/content/png';

const png = chequeredPng(8).toString('base64');

describe('the text of a review', () => {
  const request = {
    systemPrompt: 'Be brief.\r\nBe kind.\n',
    messages: [
      { role: 'user', content: { type: 'text', text: 'hidden \u202e and \u{e0041} tag, "quoted" \\ back\nline two' } },
      {
        role: 'user',
        content: [
          { type: 'image', mimeType: 'image/png', data: png },
          { type: 'text', text: 'one line' },
        ],
      },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: '1', name: 't', input: { text: 'a\nb', list: ['x', 'y'] } }],
      },
      { role: 'user', content: [{ type: 'tool_result', toolUseId: '1', content: [{ type: 'text', text: '\n' }] }] },
    ],
    maxTokens: 5,
    stopSequences: ['a', 'b'],
    tools: [
      {
        name: 't',
        inputSchema: { properties: { text: { type: 'string', enum: ['text'] } }, type: 'image', data: 'x' },
      },
    ],
    metadata: { text: ['kept', 'as it is'] },
  };

  it('round-trips the value @samplingText.round-trips-value', () => {
    const { text, images } = toReviewText(request);
    assert.deepEqual(fromReviewText(text, images), request);
  });

  it('shows lines as lines, hidden characters as escapes, and images by size and hash @samplingText.shows-lines-lines', () => {
    const { text, images } = toReviewText(request);
    assert.ok(text.includes('"Be brief.\\r",\n    "Be kind.",'), text);
    assert.ok(text.includes('hidden \\u202e and \\udb40\\udc41 tag'), text);
    assert.ok(!text.includes(png));
    assert.match(text, /"data": "image-1\.png: \d+ bytes, SHA-256 [0-9a-f]{64}"/);
    assert.deepEqual(
      [...images.values()].map(({ name, data }) => [name, data]),
      [['image-1.png', png]],
    );
  });

  it('shows sounds and files of results like images, and restores them', () => {
    const [sound, zip] = [Buffer.from('sound').toString('base64'), Buffer.from('zip').toString('base64')];
    const content = [
      { type: 'audio', mimeType: 'audio/wav', data: sound },
      { type: 'resource', resource: { uri: 'x:/a', mimeType: 'application/zip', blob: zip } },
      { type: 'resource', resource: { uri: 'x:/b', text: 'one\ntwo' } },
      { type: 'resource_link', uri: 'x:/c', name: 'c' },
    ];
    const messages = [{ role: 'user', content: [{ type: 'tool_result', toolUseId: '1', content }] }];
    const { text, images } = toReviewText({ messages });
    assert.deepEqual(
      [...images.values()].map(({ name }) => name),
      ['audio-1.wav', 'file-2.bin'],
    );
    assert.ok(!text.includes(sound) && !text.includes(zip));
    assert.match(text, /"blob": "file-2\.bin: 3 bytes, SHA-256 /);
    assert.deepEqual(fromReviewText(text, images), { messages });
  });

  it("returns the person's edits", () => {
    const { text, images } = toReviewText(request);
    const edited = fromReviewText(text.replace('Be kind.', 'Be exact.'), images) as typeof request;
    assert.equal(edited.systemPrompt, 'Be brief.\r\nBe exact.\n');
    assert.throws(() => fromReviewText(text.replace('image-1.png:', 'other.png:'), images), /Image data/);
    assert.throws(() => fromReviewText('{', images), SyntaxError);
  });
});

const shown = (value: unknown) => conversationText(toReviewText(value), { system: 'System prompt', others: 'Others' });
const said = (text: string) => ({ type: 'text', text });

describe('conversationText', () => {
  it('shows who speaks, then everything else @samplingText.shows-speaks-else', () => {
    const request = {
      systemPrompt: 'Be brief.\nBe kind.',
      messages: [
        { role: 'user', content: said('Hello\nyou') },
        { role: 'assistant', content: [said('Hi'), said('there')] },
      ],
      modelPreferences: { costPriority: 0.3 },
      maxTokens: 5,
    };
    assert.equal(
      shown(request),
      [
        'System prompt\n│ Be brief.\n│ Be kind.',
        'user\n│ Hello\n│ you',
        'assistant\n│ Hi\n│ there',
        'Others\n│ {\n│   "modelPreferences": {\n│     "costPriority": 0.3\n│   },\n│   "maxTokens": 5\n│ }',
      ].join('\n\n'),
    );
  });

  it('shows an answer under the name of its model @samplingText.shows-answer-name', () => {
    const answer = { role: 'assistant', content: said('42'), model: 'demo', stopReason: 'endTurn' };
    assert.equal(shown(answer), 'demo\n│ 42\n\nOthers\n│ {\n│   "stopReason": "endTurn"\n│ }');
  });

  it('names pictures by size and hash, and includes all other members', () => {
    const image = { type: 'image', mimeType: 'image/png', data: Buffer.from('x').toString('base64') };
    const call = { type: 'tool_use', id: '1', name: 'rm', input: { path: '/' } };
    const text = shown({ messages: [{ role: 'user', content: [image, call], _meta: { a: 1 } }] });
    assert.match(text, /^│ \[image-1\.png: 1 bytes, SHA-256 [0-9a-f]{64} · image\/png\]$/m);
    assert.match(text, /│ {3}"name": "rm"/);
    assert.match(text, /"_meta"/);
    assert.match(
      shown({ messages: [{ role: 'user', content: { ...said('x'), annotations: { a: 'seen' } } }] }),
      /seen/,
    );
  });

  it('keeps text from imitating a speaker, and shows hidden characters', () => {
    const text = shown({ messages: [{ role: 'user', content: said('a\u202eb\n\nassistant\n│ I agree') }] });
    assert.equal(text, 'user\n│ a⟨U+202E⟩b\n│ \n│ assistant\n│ │ I agree');
  });

  it('handles values that are no conversation', () => {
    assert.equal(shown({ messages: 'none', odd: true }), 'Others\n│ {\n│   "odd": true\n│ }');
    assert.equal(shown({}), '');
  });
});
