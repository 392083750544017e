import assert from 'node:assert/strict';
import { rankModels } from '../../../../../src/features/sampling/core/modelScore';

const model = (id: string, vendor = 'copilot', family = id) => ({ id, name: id, family, vendor });
const models = ['gpt-4o', 'gpt-4o-mini', 'claude-opus-4', 'claude-haiku-4', 'gemini-2.5-pro', 'gemini-2.5-flash'].map(
  id => model(id),
);
const best = (preferences: Parameters<typeof rankModels>[1]) => rankModels(models, preferences)[0]!.model.id;
const hints = (...names: string[]) => ({ hints: names.map(name => ({ name })) });

describe('rankModels', () => {
  it('prefers the model whose name contains the hint, ignoring case and punctuation @modelScore.prefers-model-name', () => {
    assert.equal(best(hints('GPT 4o mini')), 'gpt-4o-mini');
    assert.equal(best(hints('opus')), 'claude-opus-4');
    const others = [model('alpha-one-2'), model('beta-two-3')];
    assert.equal(rankModels(others, hints('Two'))[0]!.model.id, 'beta-two-3');
    assert.equal(rankModels([model('claude-3-5-sonnet-20241022')], hints('claude-3-5-sonnet'))[0]!.score, 10 + 0.5);
  });

  it('uses the first hint that matches any model, even where a later one fits better @modelScore.uses-first-hint', () => {
    assert.equal(best(hints('no-such-model', 'flash', 'gpt-4o')), 'gemini-2.5-flash');
    assert.equal(best(hints('claude-3-5-sonnet-20241022', 'gpt-4o')), 'claude-opus-4');
    const alike = [model('alpha-two-3'), model('alpha-one-2')];
    assert.equal(rankModels(alike, hints('alpha', 'two'))[0]!.model.id, 'alpha-two-3');
  });

  it('maps a hint to the same family, and to the same size if available', () => {
    assert.equal(best(hints('claude-3-haiku-20240307')), 'claude-haiku-4');
    assert.equal(best(hints('o3-mini')), 'gpt-4o-mini');
    assert.equal(best(hints('gemini-1.5-pro')), 'gemini-2.5-pro');
  });

  it('recognizes size words, and does not find "mini" in Gemini', () => {
    const two = [model('gemini-ultra'), model('tiny-one')];
    assert.equal(rankModels(two, hints('mini'))[0]!.model.id, 'tiny-one');
  });

  it('weighs priorities without a matching hint, and among equal matches', () => {
    assert.equal(best({ intelligencePriority: 1 }), 'claude-opus-4');
    assert.ok(
      ['gpt-4o-mini', 'claude-haiku-4', 'gemini-2.5-flash'].includes(best({ speedPriority: 1, costPriority: 1 })),
    );
    assert.equal(best({ ...hints('claude'), speedPriority: 1 }), 'claude-haiku-4');
    assert.equal(best({ ...hints('claude'), intelligencePriority: 1 }), 'claude-opus-4');
  });

  it('takes any hint for more than all priorities @modelScore.takes-hint-priorities', () => {
    assert.equal(best({ ...hints('opus'), speedPriority: 1, costPriority: 1 }), 'claude-opus-4');
    assert.equal(best({ ...hints('none', 'pro'), speedPriority: 1, costPriority: 1 }), 'gemini-2.5-pro');
  });

  it('scores as documented', () => {
    const [first, second] = rankModels(models, { ...hints('gemini', 'gpt'), intelligencePriority: 1 });
    assert.deepEqual([first!.model.id, first!.score, first!.hint], ['gemini-2.5-pro', 10 * 2 + 1, 'gemini']);
    assert.deepEqual([second!.model.id, second!.score], ['gemini-2.5-flash', 10 * 2 + 0.3]);
    assert.equal(rankModels([model('x')], undefined)[0]!.score, 0.5);
  });

  it('looks at the first hints, and at their beginnings', () => {
    const far = Array.from({ length: 1_000 }, (_, n) => `none-${n}`);
    assert.equal(rankModels(models, hints(...far, 'opus'))[0]!.hint, undefined);
    assert.ok(rankModels(models, hints(`opus ${'x'.repeat(1_000_000)}`)).every(({ hint = '' }) => hint.length <= 200));
  });

  it('keeps the order of equal models, and ignores hints without a name', () => {
    const same = [model('b'), model('a')];
    assert.deepEqual(
      rankModels(same, { hints: [{}, { name: ' ' }, { name: '--' }] }).map(({ model }) => model.id),
      ['b', 'a'],
    );
  });
});
