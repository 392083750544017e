import assert from 'node:assert/strict';
import { type Step, stepRows } from '../../../../../src/features/completion/core/stepRows';

const rows = (step: Partial<Step> & { typed?: string; values?: string[] }) => {
  const { typed = '', values } = step;
  const answer = values && { completion: { values }, completed: typed };
  return stepRows({ state: { typed, busy: false, ...answer }, required: true, choices: [], ...step }).map(row =>
    row.kind === 'note'
      ? `note:${row.note}:${row.shown}${row.total ? `/${row.total}` : ''}`
      : `${row.kind}:${row.value}`,
  );
};

describe('the rows of a step', () => {
  it('has the suggestions of the server', () => {
    assert.deepEqual(rows({ values: ['a', 'b'] }), ['suggestion:a', 'suggestion:b']);
  });

  it('has the suggestions for what was typed first, and what was typed last', () => {
    assert.deepEqual(rows({ typed: 'pl', values: ['plain', 'apple'] }), [
      'suggestion:plain',
      'suggestion:apple',
      'typed:pl',
    ]);
  });

  it('has a suggestion that is exactly what was typed first, and only once', () => {
    assert.deepEqual(rows({ typed: 'a', values: ['ab', 'a'] }), ['suggestion:a', 'suggestion:ab']);
  });

  it('has what was typed first when no suggestion contains it: Enter takes nothing else', () => {
    assert.deepEqual(rows({ typed: 'Zoë', values: ['Alice', 'Bob'] }), [
      'typed:Zoë',
      'suggestion:Alice',
      'suggestion:Bob',
    ]);
    assert.deepEqual(rows({ typed: 'o', values: ['Alice', 'Bob'] }), ['suggestion:Bob', 'suggestion:Alice', 'typed:o']);
  });

  it('can leave an optional argument empty, and a required one not', () => {
    assert.deepEqual(rows({ required: false, values: ['a'] }), ['empty:', 'suggestion:a']);
  });

  it('has the value of before first', () => {
    assert.deepEqual(rows({ current: 'b', values: ['a', 'b'] }), ['current:b', 'suggestion:a']);
    assert.deepEqual(rows({ current: 'mine', required: false }), ['current:mine', 'empty:']);
  });

  it('has a value of before last when the server does not suggest it any more', () => {
    assert.deepEqual(rows({ current: 'Alice', values: ['David', 'Eve'] }), [
      'suggestion:David',
      'suggestion:Eve',
      'current:Alice',
    ]);
  });

  it('has ready choices below the suggestions, and those that match while typing', () => {
    const choices = [
      { label: 'Selection (3 lines)', value: 'x\ny\nz' },
      { label: 'Path of the open file', value: '/a' },
    ];
    assert.deepEqual(rows({ choices, values: ['a'] }), ['suggestion:a', 'choice:x\ny\nz', 'choice:/a']);
    assert.deepEqual(rows({ choices, typed: 'sel' }), ['choice:x\ny\nz', 'typed:sel']);
  });

  it('narrows the suggestions of an earlier text down until the next answer is there', () => {
    const completion = { values: ['Sales', 'Support', 'Engineering'] };
    const state = { typed: 'su', busy: true, completion, completed: '' };
    assert.deepEqual(rows({ state }), ['suggestion:Support', 'typed:su']);
  });

  it('leaves suggestions that do not contain the text to the server', () => {
    assert.deepEqual(rows({ typed: 'colour', values: ['color'] }), ['typed:colour', 'suggestion:color']);
  });

  it('says how many there are', () => {
    const values = ['a', 'b'];
    const state = (more: object) => ({ typed: '', busy: false, completed: '', completion: { values, ...more } });
    assert.equal(rows({ state: state({ total: 240, hasMore: true }) }).at(-1), 'note:more:2/240');
    assert.equal(rows({ state: state({ hasMore: true }) }).at(-1), 'note:more:2');
    assert.equal(rows({ state: state({ total: 2 }) }).at(-1), 'suggestion:b');
  });

  it('shows no more than the hundred that the specification allows', () => {
    const many = rows({ values: Array.from({ length: 5_000 }, (_, i) => `${i}`) });
    assert.equal(many.length, 101);
    assert.equal(many.at(-1), 'note:more:100');
  });

  it('drops empty and repeated suggestions', () => {
    assert.deepEqual(rows({ values: ['', 'a', 'a'] }), ['suggestion:a']);
  });

  it('notes quietly that there is nothing, or that the server failed', () => {
    assert.deepEqual(rows({ values: [] }), ['note:none:0']);
    assert.deepEqual(rows({ state: { typed: 'x', busy: false, error: new Error('no') } }), [
      'typed:x',
      'note:failed:0',
    ]);
    assert.deepEqual(rows({}), []);
  });
});
