import assert from 'node:assert/strict';
import { AnswerLimit } from '../../../../../src/features/sampling/core/answerLimit';

/** Counts as the demo model does, and how often it was asked. */
function counter() {
  const counted = {
    asked: 0,
    count: async (text: string) => {
      counted.asked++;
      return Math.ceil(text.length / 4);
    },
  };
  return counted;
}

async function end(chunks: string[], { maxTokens = 1_000, stop = [] as string[] }) {
  const limit = new AnswerLimit(maxTokens, stop, counter().count);
  for (const chunk of chunks) if (await limit.add(chunk)) break;
  return [limit.text, limit.stopReason];
}

describe('the end of a sampled answer', () => {
  it('is where the model ends, without other limits', async () => {
    assert.deepEqual(await end(['all ', 'of it'], {}), ['all of it', undefined]);
  });

  it('is before the first stop sequence, even one split over chunks', async () => {
    assert.deepEqual(await end(['one EN', 'D two'], { stop: ['END'] }), ['one ', 'stopSequence']);
    assert.deepEqual(await end(['a;b.c'], { stop: ['.', ';'] }), ['a', 'stopSequence']);
    assert.deepEqual(await end(['END'], { stop: ['END'] }), ['', 'stopSequence']);
    assert.deepEqual(await end(['E', 'N', 'E', 'N', 'D', '!'], { stop: ['END'] }), ['EN', 'stopSequence']);
  });

  it('is after exactly maxTokens tokens, never within a character @answerLimit.exactly-maxtokens-tokens', async () => {
    assert.deepEqual(await end(['12345678', '9'], { maxTokens: 2 }), ['12345678', 'maxTokens']);
    assert.deepEqual(await end(['12345678'], { maxTokens: 2 }), ['12345678', undefined]);
    assert.deepEqual(await end(['😀😀😀😀'], { maxTokens: 1 }), ['😀😀', 'maxTokens']);
  });

  it('is whichever limit comes first: length or stop sequence', async () => {
    assert.deepEqual(await end(['12345678END'], { maxTokens: 1, stop: ['END'] }), ['1234', 'maxTokens']);
    assert.deepEqual(await end(['1234ENDmore and more'], { maxTokens: 1, stop: ['END'] }), ['1234', 'stopSequence']);
  });

  it('is found without counting every word', async () => {
    const words = counter();
    const limit = new AnswerLimit(1_000, [], words.count);
    for (let i = 0; i < 900; i++) await limit.add('word');
    assert.ok(words.asked < 20, `asked ${words.asked} times`);
  });
});
