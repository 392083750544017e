import assert from 'node:assert/strict';
import { conversationText } from '../../../../../src/features/sampling/core/conversationText';
import { toReviewText } from '../../../../../src/features/sampling/core/samplingText';

const shown = (value: unknown) => conversationText(toReviewText(value), { system: 'System prompt', others: 'Others' });
const said = (text: string) => ({ type: 'text', text });

describe('conversationText', () => {
  it('shows who speaks, then everything else', () => {
    const request = {
      systemPrompt: 'Be brief.\nBe kind.',
      messages: [
        { role: 'user', content: said('Hello\nyou') },
        { role: 'assistant', content: [said('Hi'), said('there')] },
      ],
      maxTokens: 5,
    };
    assert.equal(
      shown(request),
      [
        'System prompt\n│ Be brief.\n│ Be kind.',
        'user\n│ Hello\n│ you',
        'assistant\n│ Hi\n│ there',
        'Others\n│ {\n│   "maxTokens": 5\n│ }',
      ].join('\n\n'),
    );
  });

  it('shows an answer under the name of its model', () => {
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
