import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { english } from '../../../../../src/base/phrase';
import { fits, readEvalFile } from '../../../../../src/features/authors/core/readEvalFile';
import { schemaProblem } from '../../../../../src/host/sdk/schemaProblems';
import { inRepository } from '../../../../setup/paths';

const problemsIn = (text: string, name = 'a.mcpeval.yaml') => {
  const { questions, problems } = readEvalFile(text, name);
  if (problems.length > 0) assert.deepEqual(questions, [], 'nothing is asked of a file with mistakes');
  return problems.map(({ place, message }) => `${place.line + 1}:${place.column + 1} ${english(message)}`);
};

describe('a question file', () => {
  it('names the expected tool for each question, or none, with its place; in YAML and JSON', () => {
    const yaml = [
      'questions:',
      '  - question: Note that it ships.',
      '    expect: add_note',
      '    arguments: { name: plan }',
      '  - { question: How are you?, expect: none }',
    ].join('\n');
    const expected = [
      {
        question: 'Note that it ships.',
        arguments: { name: 'plan' },
        tool: 'add_note',
        place: { line: 2, column: 12 },
      },
      { question: 'How are you?', tool: undefined, place: { line: 4, column: 38 } },
    ];
    assert.deepEqual(readEvalFile(yaml, 'a.mcpeval.yaml'), { questions: expected, problems: [] });
    const json = '{ "questions": [{ "question": "q", "expect": "add" }] }';
    assert.deepEqual(readEvalFile(json, 'A.mcpeval.JSON').questions, [
      { question: 'q', tool: 'add', place: { line: 0, column: 45 } },
    ]);
  });

  it('with a mistake reports its place, and contains no questions', () => {
    assert.match(problemsIn('questions: [').join(), /^\d+:\d+ The file cannot be read: /);
    assert.deepEqual(problemsIn(''), ['1:1 The file cannot be read: it is empty']);
    assert.deepEqual(problemsIn('{', 'a.mcpeval.json').length, 1);
    assert.deepEqual(problemsIn('[]'), ['1:1 This must be of type object.']);
    assert.deepEqual(problemsIn('questions: []'), ['1:12 This is too small, or empty.']);
    const text = [
      'questions:',
      '  - question: one',
      '  - question: ""',
      '    expect: a',
      '  - { question: three, expekt: a, expect: a }',
      '  - question: four',
      '    expect: none',
      '    arguments: {}',
      '  - { question: five, expect: a, matches: [{ equals: 1 }] }',
    ].join('\n');
    assert.deepEqual(problemsIn(text), [
      '2:5 "expect" is missing.',
      '3:15 This is too small, or empty.',
      '5:24 "expekt" is unknown here. Did you mean "expect"?',
      '9:44 "path" is missing.',
    ]);
    assert.deepEqual(
      problemsIn(
        text
          .split('\n')
          .filter((_, n) => [0, 5, 6, 7].includes(n))
          .join('\n'),
      ),
      ['4:5 Where no tool is expected, there are no arguments.'],
    );
    const many = `questions:\n${'  - { question: q, expect: a }\n'.repeat(201)}`;
    assert.deepEqual(problemsIn(many), ['2:3 This is more than 200.']);
  });

  it('agrees with the JSON schema that ships, which explains each member', () => {
    const schema = JSON.parse(readFileSync(inRepository('media', 'mcpeval.schema.json'), 'utf8'));
    const good = { questions: [{ question: 'q', expect: 'add', arguments: { a: 1 }, matches: [{ path: '$.a' }] }] };
    const [one] = good.questions;
    const values: readonly (readonly [value: unknown, isRight: boolean])[] = [
      [good, true],
      [{ $schema: 'x', ...good }, true],
      [{ questions: [{ question: 'q', expect: 'none' }] }, true],
      [{ questions: [] }, false],
      [{ ...good, other: 1 }, false],
      [{ questions: [{ ...one, expect: '' }] }, false],
      [{ questions: [{ ...one, expekt: 'add' }] }, false],
      [{ questions: [{ ...one, matches: [{ path: '$', schema: {} }] }] }, false],
    ];
    for (const [value, isRight] of values) {
      const text = JSON.stringify(value);
      assert.equal(problemsIn(text, 'a.mcpeval.json').length === 0, isRight, text);
      assert.equal(schemaProblem(schema, value) === undefined, isRight, text);
    }
    const { properties } = schema.properties.questions.items;
    assert.deepEqual(Object.keys(properties), ['question', 'expect', 'arguments', 'matches']);
    for (const member of [schema.properties.questions, ...Object.values<object>(properties)])
      assert.ok((member as { description?: string }).description, JSON.stringify(member));
  });

  it('compares arguments by expected members, and by values at paths', () => {
    assert.equal(fits({}, { any: 1 }), undefined, 'nothing is expected');
    assert.equal(fits({ arguments: { a: { b: 1 } } }, { a: { b: 1, c: 2 }, d: 3 }), true);
    assert.equal(fits({ arguments: { a: 1 } }, { a: '1' }), false);
    assert.equal(fits({ arguments: { a: 1 } }, {}), false);
    const matches = [
      { path: '$.text', contains: 'Friday' },
      { path: '$.tags[*]', count: 2 },
    ];
    assert.equal(fits({ matches }, { text: 'On Friday.', tags: ['x', 'y'] }), true);
    assert.equal(fits({ matches }, { text: 'On Friday.', tags: ['x'] }), false);
    assert.equal(fits({ arguments: { text: 'a' }, matches: [{ path: '$.text' }] }, { text: 'a' }), true);
    assert.equal(fits({ matches: [{ path: 'no path' }] }, {}), false, 'a path that cannot be used');
  });
});
