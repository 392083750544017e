import assert from 'node:assert/strict';
import { fromItemPage } from '../../../../../src/features/tools/core/itemPageMessages';
import {
  ItemRuns,
  keptArguments,
  type RunEnd,
  readKeptArguments,
} from '../../../../../src/features/tools/core/itemRuns';

const result = (text: string): RunEnd => ({
  kind: 'result',
  result: { content: [{ type: 'text', text }] },
  problem: undefined,
});
const nothing = () => {};

describe('runs made from pages', () => {
  it('are kept for each tool, the newest first, twenty of them', () => {
    const runs = new ItemRuns();
    for (let i = 0; i < 25; i++) runs.end('a', runs.begin('a', { i }, nothing), result('x'), 1);
    runs.begin('b', {}, nothing);
    assert.deepEqual(
      runs.of('a').map(({ args }) => args.i),
      Array.from({ length: 20 }, (_, i) => 24 - i),
    );
    assert.equal(runs.of('b').length, 1);
    assert.deepEqual(runs.of('c'), []);
  });

  it('report their progress to later viewers', () => {
    const runs = new ItemRuns();
    const told: string[] = [];
    let cancelled = false;
    runs.onDidChange(({ key, run }) => told.push(`${key} ${run.progress?.progress ?? '-'} ${run.end?.kind ?? '-'}`));
    const run = runs.begin('a', {}, () => {
      cancelled = true;
    });
    runs.report('a', run, { progress: 1 });
    assert.equal(runs.running('a'), run);
    runs.running('a')?.cancel();
    assert.equal(cancelled, true);
    runs.end('a', run, { kind: 'error', error: new Error('no') }, 5);
    assert.equal(runs.running('a'), undefined);
    assert.deepEqual(told, ['a - -', 'a 1 -', 'a 1 error']);
  });

  it('drop results that are too large, except the newest', () => {
    const runs = new ItemRuns();
    const big = 'x'.repeat(60_000_000);
    const first = runs.begin('a', { n: 1 }, nothing);
    runs.end('a', first, result(big), 1);
    const second = runs.begin('b', {}, nothing);
    runs.end('b', second, result(big), 1);
    assert.deepEqual(first.end, { kind: 'forgotten', isError: false });
    assert.equal(second.end?.kind, 'result');
    assert.deepEqual(first.args, { n: 1 });
  });
});

describe('messages of an item page', () => {
  it('are accepted in their known shapes only', () => {
    assert.deepEqual(fromItemPage({ type: 'field', edit: 1, index: 2, text: 'x', more: 1 }), {
      type: 'field',
      edit: 1,
      index: 2,
      text: 'x',
    });
    assert.deepEqual(fromItemPage({ type: 'run', anyway: 'yes' }), { type: 'run', anyway: false });
    assert.deepEqual(fromItemPage({ type: 'act', action: 'start' }), { type: 'act', action: 'start' });
    for (const wrong of [
      undefined,
      null,
      'ready',
      {},
      { type: 'act', action: 'rm' },
      { type: 'field', edit: 1, index: -1, text: '' },
      { type: 'choice', edit: 1, index: 0, chosen: ['0'] },
      { type: 'show', run: 'x' },
      { type: 'link', run: 1 },
    ])
      assert.equal(fromItemPage(wrong), undefined, JSON.stringify(wrong));
  });
});

const kept = (args: Record<string, unknown>) =>
  readKeptArguments(keptArguments(args, text => text.replaceAll('hunter2', '•••')));

describe('arguments that a page keeps over a reload', () => {
  it('are all that were typed', () => {
    const args = { city: 'Paris', days: 3, where: { street: 'Rue' }, kinds: ['rain'] };
    assert.deepEqual(kept(args), args);
  });

  it('lack secrets, which are recognized by name, by form and as secrets of the server', () => {
    const args = { city: 'Paris', password: 'x', nested: { apiKey: 'y', note: 'the hunter2 one' } };
    assert.deepEqual(kept({ ...args, text: `ghp_${'a1B2'.repeat(9)}` }), { city: 'Paris', nested: {} });
  });

  it('are none when they are too long or spoiled', () => {
    assert.equal(
      keptArguments({ text: 'x'.repeat(70_000) }, text => text),
      undefined,
    );
    for (const spoiled of [undefined, 'text', '[]', 'null', 7]) assert.equal(readKeptArguments(spoiled), undefined);
  });
});
