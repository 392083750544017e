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

describe('the rows of a completion step', () => {
  it("contain the server's suggestions", () => {
    assert.deepEqual(rows({ values: ['a', 'b'] }), ['suggestion:a', 'suggestion:b']);
  });

  it('put those that begin with the text first, and the text itself last', () => {
    assert.deepEqual(rows({ typed: 'pl', values: ['plain', 'apple'] }), [
      'suggestion:plain',
      'suggestion:apple',
      'typed:pl',
    ]);
  });

  it('put a suggestion equal to the text first, once', () => {
    assert.deepEqual(rows({ typed: 'a', values: ['ab', 'a'] }), ['suggestion:a', 'suggestion:ab']);
  });

  it('put the text first when no suggestion contains it: Enter accepts nothing else', () => {
    assert.deepEqual(rows({ typed: 'Zoë', values: ['Alice', 'Bob'] }), [
      'typed:Zoë',
      'suggestion:Alice',
      'suggestion:Bob',
    ]);
    assert.deepEqual(rows({ typed: 'o', values: ['Alice', 'Bob'] }), ['suggestion:Bob', 'suggestion:Alice', 'typed:o']);
  });

  it('allow leaving out an optional argument, not a required one', () => {
    assert.deepEqual(rows({ required: false, values: ['a'] }), ['empty:', 'suggestion:a']);
  });

  it('put the previous value first', () => {
    assert.deepEqual(rows({ current: 'b', values: ['a', 'b'] }), ['current:b', 'suggestion:a']);
    assert.deepEqual(rows({ current: 'mine', required: false }), ['current:mine', 'empty:']);
  });

  it('put a previous value last when the server does not suggest it any more', () => {
    assert.deepEqual(rows({ current: 'Alice', values: ['David', 'Eve'] }), [
      'suggestion:David',
      'suggestion:Eve',
      'current:Alice',
    ]);
  });

  it('put ready choices below the suggestions, and filter them while typing', () => {
    const choices = [
      { label: 'Selection (3 lines)', value: 'x\ny\nz' },
      { label: 'Path of the open file', value: '/a' },
    ];
    assert.deepEqual(rows({ choices, values: ['a'] }), ['suggestion:a', 'choice:x\ny\nz', 'choice:/a']);
    assert.deepEqual(rows({ choices, typed: 'sel' }), ['choice:x\ny\nz', 'typed:sel']);
  });

  it('filter the suggestions of an earlier text until the next answer arrives', () => {
    const completion = { values: ['Sales', 'Support', 'Engineering'] };
    const state = { typed: 'su', busy: true, completion, completed: '' };
    assert.deepEqual(rows({ state }), ['suggestion:Support', 'typed:su']);
  });

  it('keep suggestions that do not contain the text, as the server chose them', () => {
    assert.deepEqual(rows({ typed: 'colour', values: ['color'] }), ['typed:colour', 'suggestion:color']);
  });

  it('show their number', () => {
    const values = ['a', 'b'];
    const state = (more: object) => ({ typed: '', busy: false, completed: '', completion: { values, ...more } });
    assert.equal(rows({ state: state({ total: 240, hasMore: true }) }).at(-1), 'note:more:2/240');
    assert.equal(rows({ state: state({ hasMore: true }) }).at(-1), 'note:more:2');
    assert.equal(rows({ state: state({ total: 2 }) }).at(-1), 'suggestion:b');
  });

  it('are limited to the hundred that the specification allows', () => {
    const many = rows({ values: Array.from({ length: 5_000 }, (_, i) => `${i}`) });
    assert.equal(many.length, 101);
    assert.equal(many.at(-1), 'note:more:100');
  });

  it('drop empty and repeated suggestions', () => {
    assert.deepEqual(rows({ values: ['', 'a', 'a'] }), ['suggestion:a']);
  });

  it('mention unobtrusively that there are none, or that the server failed', () => {
    assert.deepEqual(rows({ values: [] }), ['note:none:0']);
    assert.deepEqual(rows({ state: { typed: 'x', busy: false, error: new Error('no') } }), [
      'typed:x',
      'note:failed:0',
    ]);
    assert.deepEqual(rows({}), []);
  });
});
