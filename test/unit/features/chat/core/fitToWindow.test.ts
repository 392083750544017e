import assert from 'node:assert/strict';
import { type Conversation, fitToWindow } from '../../../../../src/features/chat/core/fitToWindow';
import { assistant, type ModelMessage, text, user } from '../../../../../src/features/languageModel/core/modelMessage';
import { estimateTokens } from '../../../../../src/features/languageModel/core/tokens';

const round = (id: string, length: number, fill = 'r'): ModelMessage[] => [
  assistant({ kind: 'call', id, name: 's__a', input: {} }),
  user({ kind: 'result', id, parts: [text(fill.repeat(length))] }),
];
const turn = (name: string, length: number) => [user(text(name)), ...round(name, length), assistant(text('done'))];
const conversation = (more: Partial<Conversation> = {}): Conversation => ({
  system: [user(text('system'))],
  turns: [],
  request: [user(text('question'))],
  rounds: [],
  ...more,
});
const perCharacter = async (value: string) => value.length;

/** Ids of calls and of results, which must always be the same. */
function ids(messages: readonly ModelMessage[]): { calls: string[]; results: string[] } {
  const parts = messages.flatMap(message => message.parts);
  return {
    calls: parts.flatMap(part => (part.kind === 'call' ? [part.id] : [])),
    results: parts.flatMap(part => (part.kind === 'result' ? [part.id] : [])),
  };
}
const resultLengths = (messages: readonly ModelMessage[]) =>
  messages.flatMap(({ parts }) =>
    parts.flatMap(part =>
      part.kind === 'result' ? [part.parts.reduce((n, p) => n + (p.kind === 'text' ? p.text.length : 0), 0)] : [],
    ),
  );
const said = (messages: readonly ModelMessage[]): readonly string[] =>
  messages.flatMap(({ parts }) => parts.flatMap(part => (part.kind === 'text' ? [part.text] : [])));

describe('fitToWindow', () => {
  it('leaves a conversation that fits unchanged: system, earlier turns, question, rounds', async () => {
    const whole = conversation({ turns: [turn('t1', 10)], rounds: round('now', 10) });
    const fitted = await fitToWindow(whole, 100_000);
    assert.deepEqual(fitted.messages, [...whole.system, ...whole.turns.flat(), ...whole.request, ...whole.rounds]);
    assert.ok(fitted.fits);
  });

  it('shortens the oldest results first', async () => {
    const turns = [turn('t1', 10_000), turn('t2', 10_000), turn('t3', 10_000)];
    const fitted = await fitToWindow(conversation({ turns }), 25_000, perCharacter);
    assert.ok(fitted.fits);
    const [first, second, third] = resultLengths(fitted.messages);
    assert.ok(first! < 2100);
    assert.deepEqual([second, third], [10_000, 10_000]);
  });

  it('then drops the oldest turns, and never separates a call from its result', async () => {
    const turns = Array.from({ length: 30 }, (_, i) => turn(`t${i}`, 10_000));
    for (const window of [300, 1000, 3000, 10_000, 50_000]) {
      const fitted = await fitToWindow(conversation({ turns, rounds: round('now', 10_000) }), window, perCharacter);
      const { calls, results } = ids(fitted.messages);
      assert.deepEqual(calls, results);
      assert.deepEqual(calls, [...turns.map((_, i) => `t${i}`), 'now'].slice(-calls.length));
      assert.ok(said(fitted.messages).includes('question') && said(fitted.messages).includes('system'));
      assert.equal(fitted.fits, window > 300);
      assert.equal(fitted.tokens <= window, fitted.fits);
    }
  });

  it('keeps the last results of the current turn longest', async () => {
    const rounds = [...round('r1', 8000), ...round('r2', 8000), ...round('r3', 8000)];
    const fitted = await fitToWindow(conversation({ rounds }), 13_000, perCharacter);
    assert.ok(fitted.fits);
    const lengths = resultLengths(fitted.messages);
    assert.ok(lengths[0]! < 2100 && lengths[1]! < 2100, `${lengths}`);
    assert.equal(lengths[2], 8000);
  });

  it('reports when the question alone is too long', async () => {
    const fitted = await fitToWindow(conversation({ request: [user(text('q'.repeat(5000)))] }), 2000, perCharacter);
    assert.equal(fitted.fits, false);
    assert.equal(said(fitted.messages).at(-1)?.length, 5000);
  });

  it('drops images from results that are shortened', async () => {
    const image = { kind: 'image', mimeType: 'image/png', data: new Uint8Array(10) } as const;
    const rounds = [
      ...round('r1', 10).slice(0, 1),
      user({ kind: 'result', id: 'r1', parts: [text('here'), image] }),
      ...round('r2', 10),
    ];
    const fitted = await fitToWindow(conversation({ rounds }), 500, perCharacter);
    assert.ok(fitted.fits);
    assert.ok(JSON.stringify(fitted.messages).includes('here\\n[image image/png]'));
  });

  it('counts no tokens when everything clearly fits, nor for very long texts', async () => {
    let asked = 0;
    const count = async (value: string) => {
      asked++;
      assert.ok(value.length <= 200_000);
      return value.length;
    };
    await fitToWindow(conversation(), 10_000, count);
    assert.equal(asked, 0);
    await fitToWindow(conversation({ rounds: round('r', 1 << 20) }), 10_000, count);
    assert.ok(asked > 0);
  });

  it('estimates when counting fails or returns nonsense', async () => {
    const turns = [turn('t1', 10_000)];
    for (const count of [
      () => Promise.reject(new Error('no tokenizer')),
      async () => Number.NaN,
      () => {
        throw new Error('no tokenizer');
      },
    ]) {
      const fitted = await fitToWindow(conversation({ turns }), 2000, count);
      assert.ok(fitted.fits);
      assert.ok(resultLengths(fitted.messages)[0]! < 2100);
    }
    assert.equal(estimateTokens('abc'), 1);
    assert.equal(estimateTokens('日本'), 2);
  });

  it('counts 2 MB of results with few calls', async () => {
    let counted = 0;
    const count = async (value: string) => {
      counted += value.length;
      return value.length;
    };
    const rounds = Array.from({ length: 8 }, (_, i) => round(`r${i}`, 1 << 18)).flat();
    const fitted = await fitToWindow(conversation({ rounds }), 50_000, count);
    assert.ok(fitted.fits);
    assert.ok(counted < 4 * 8 * (1 << 18), `${counted} characters`);
  });
});
