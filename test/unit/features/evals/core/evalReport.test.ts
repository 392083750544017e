import assert from 'node:assert/strict';
import { english } from '../../../../../src/base/phrase';
import type { EvalQuestion, InterfaceSnapshot } from '../../../../../src/features/authors/core';
import { evalReport, scoreOf, totalsOf, unknownTools } from '../../../../../src/features/evals/core/evalReport';
import type { EvalAnswer, EvalPlan, EvalRequest } from '../../../../../src/features/evals/core/evalRun';
import { ToolVersion } from '../../../../../src/features/evals/core/toolVersion';

const place = { line: 0, column: 0 };
const add: EvalQuestion = { question: 'Note | it *now*', tool: 'add', arguments: { name: 'plan' }, place };
const none: EvalQuestion = { question: 'How are you?', tool: undefined, place };
const list: EvalQuestion = { question: 'Which notes?', tool: 'list', place };

/** Each question with its answers before and now; undefined: there is none. */
function answered(...rows: [EvalQuestion, EvalAnswer | undefined, EvalAnswer | undefined][]) {
  const requests = rows.flatMap(([question]): EvalRequest[] => [
    { question, version: 'before' },
    { question, version: 'now' },
  ]);
  const given = rows.flatMap(([, ...answers]) => answers);
  const answers = new Map(requests.flatMap((request, n) => (given[n] ? [[request, given[n]] as const] : [])));
  const plan: EvalPlan = { requests, tokens: 0, longest: 0, definitions: { before: 4200, now: 3100 } };
  return { plan, answers };
}

const version = (tools: object) => new ToolVersion('notes', { tools: tools as InterfaceSnapshot['tools'] }, () => true);
const wording = {
  word: english,
  number: (count: number) => count.toLocaleString('en'),
  errorText: (error: unknown) => (error as Error).message,
};
const report = (...rows: Parameters<typeof answered>) =>
  evalReport(
    {
      server: 'notes',
      model: 'Demo',
      versions: { before: version({ odd: {} }), now: version({}) },
      ...answered(...rows),
    },
    wording,
  );

describe('scoreOf', () => {
  const request: EvalRequest = { question: add, version: 'now' };
  it('compares the tool, and the expected arguments', () => {
    assert.deepEqual(scoreOf(request, { tool: 'add', arguments: { name: 'plan', text: 'x' } }), {
      tool: true,
      arguments: true,
    });
    assert.deepEqual(scoreOf(request, { tool: 'add', arguments: {} }), { tool: true, arguments: false });
    assert.deepEqual(scoreOf(request, { tool: 'add' }), { tool: true, arguments: false });
    assert.deepEqual(scoreOf(request, {}), { tool: false, arguments: false });
  });

  it('ignores arguments of another tool, and unexpected ones', () => {
    const other = { tool: 'list', arguments: { name: 'plan' } };
    assert.deepEqual(scoreOf(request, other), { tool: false, arguments: false });
    assert.deepEqual(scoreOf({ question: list, version: 'now' }, other), { tool: true, arguments: undefined });
    assert.deepEqual(scoreOf({ question: none, version: 'now' }, {}), { tool: true, arguments: undefined });
    assert.equal(scoreOf({ question: none, version: 'now' }, other)?.tool, false);
  });

  it('is undefined without an answer; totals leave those out', () => {
    assert.equal(scoreOf(request, undefined), undefined);
    assert.equal(scoreOf(request, { failed: new Error('x') }), undefined);
    const { answers } = answered(
      [add, { tool: 'list' }, { tool: 'add', arguments: { name: 'plan' } }],
      [list, { failed: new Error('x') }, { tool: 'list' }],
      [none, {}, undefined],
    );
    assert.deepEqual(totalsOf(answers), {
      before: { answered: 2, tools: 1, withArguments: 1, arguments: 0 },
      now: { answered: 2, tools: 2, withArguments: 1, arguments: 1 },
    });
  });

  it('is undefined when no version has the tool', () => {
    assert.deepEqual(unknownTools([add, none, list], ['add']), [list]);
  });
});

describe('the report of a comparison', () => {
  it('has a line of totals, and for each question a row with before and now', () => {
    const text = report(
      [add, { tool: 'list', arguments: {} }, { tool: 'add', arguments: { name: 'plan' } }],
      [none, {}, { tool: 'a`|b' }],
      [list, { failed: new Error('quota') }, undefined],
    );
    assert.deepEqual(text.split('\n'), [
      '# Tools of notes that Demo chooses',
      '',
      '- Right tool: 1 of 2 → 1 of 2',
      '- Right arguments: 0 of 1 → 1 of 1',
      '- Tokens of the definitions in each request: 4,200 → 3,100',
      '- 2 of 6 requests have no answer.',
      '- Tools not offered to models: `odd`',
      '',
      '| Question | Expected | Before | Now | Arguments before | Arguments now |',
      '| --- | --- | --- | --- | --- | --- |',
      '| Note \\| it \\*now\\* | `add` | ✗ `list` | ✓ `add` | ✗ | ✓ |',
      "| How are you? | none | ✓ none | ✗ `a'\\|b` | – | – |",
      '| Which notes? | `list` | quota | – | – | – |',
      '',
      '## Arguments that were not as expected',
      '',
      '- Note \\| it \\*now\\* (before): `list` `{}`',
      '',
    ]);
  });

  it('contains no markup or line breaks from other sources', () => {
    const question = '[a](https://x.example) <b>\n| row |';
    const text = report([{ question, tool: 'add', place }, { tool: '`\n# head', arguments: {} }, {}]);
    assert.doesNotMatch(text, /^(# head|\| row)/m);
    assert.match(text, /\\\[a\\\]\(https:\/\/x\.example\) \\<b\\>/);
    assert.doesNotMatch(text, /Right arguments/, 'nothing is expected of any');
  });
});
