import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { english } from '../../../../../src/base/phrase';
import { readEvalFile } from '../../../../../src/features/authors/core/readEvalFile';
import { readTestFile } from '../../../../../src/features/authors/core/readTestFile';
import { schemaProblem } from '../../../../../src/host';
import { inRepository } from '../../../../setup/paths';

const problemsIn = (text: string, name = 'a.mcptest.yaml') =>
  readTestFile(text, name).problems.map(
    ({ place, message }) => `${place.line + 1}:${place.column + 1} ${english(message)}`,
  );

/** A file with these lines as its steps. */
const withSteps = (...lines: string[]) =>
  ['server: { command: node }', 'tests:', '  - name: one', '    steps:', ...lines.map(line => `      ${line}`)].join(
    '\n',
  );

describe('reading a test file', () => {
  it('finds every test and step at its place, in YAML and in JSON', () => {
    const { file, problems } = readTestFile(
      withSteps(
        '- call: add',
        '  arguments: { a: 1 }',
        '  expect:',
        '    contains: 3',
        '- read: a://b',
        '  name: the text',
      ),
      'a.mcptest.yaml',
    );
    assert.deepEqual(problems, []);
    const [test] = file!.tests;
    assert.deepEqual([test!.name, test!.place], ['one', { line: 2, column: 4 }]);
    assert.deepEqual(
      test!.steps.map(({ kind, title, place, expectPlace }) => [kind, title, place.line, expectPlace.line]),
      [
        ['call', 'call add', 4, 6],
        ['read', 'the text', 8, 8],
      ],
    );
    const json = '{\n  "server": "files",\n  "tests": [\n    { "name": "x", "steps": [{ "list": "tools" }] },\n  ]\n}';
    const read = readTestFile(json, 'a.mcptest.json');
    assert.deepEqual(read.problems, []);
    assert.deepEqual([read.file!.server, read.file!.tests[0]!.place], ['files', { line: 3, column: 4 }]);
  });

  it('agrees with the JSON schema that ships, for the examples of the docs and the tests of the demo server', () => {
    const schema = JSON.parse(readFileSync(inRepository('media', 'mcptest.schema.json'), 'utf8'));
    const docs = ['authors.md', 'evals.md'].map(page => readFileSync(inRepository('docs', page), 'utf8')).join('\n');
    const examples = [...docs.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, code = '']) => code);
    const [tests, questions] = [/^tests:/m, /^questions:/m].map(kind => examples.filter(text => kind.test(text)));
    assert.deepEqual([examples.length, tests?.length, questions?.length], [3, 2, 1]);
    assert.deepEqual(readEvalFile(questions![0]!, 'notes.mcpeval.yaml').problems, []);
    for (const text of [...tests!, readFileSync(inRepository('src', 'demo', 'demo.mcptest.yaml'), 'utf8')]) {
      assert.deepEqual(problemsIn(text), [], text);
      assert.equal(schemaProblem(schema, parse(text)), undefined, text);
      const wrong = { ...parse(text), whatever: 1 };
      assert.ok(schemaProblem(schema, wrong) && problemsIn(JSON.stringify(wrong), 'a.mcptest.json').length === 1);
    }
  });

  it('reports mistakes in all steps, also where the file has others', () => {
    const step = (more: object) => ({ call: 'add', ...more });
    const tests = [
      { name: 'one', colour: 'red', steps: [step({ args: {} })] },
      { name: 'two', steps: [step({ arguments: [] }), { call: 'a', read: 'b' }] },
    ];
    const problems = problemsIn(JSON.stringify({ server: 'x', timeoutMs: 'soon', tests }, null, 1), 'a.mcptest.json');
    assert.deepEqual(
      problems.map(problem => problem.replace(/^\d+:\d+ /, '')),
      [
        'This must be of type number.',
        '"colour" is unknown here.',
        '"args" is unknown here.',
        'This must be of type object.',
        'A step does one thing, but this one has "call", "read". Make separate steps.',
      ],
    );
    const lines = problems.map(problem => Number.parseInt(problem, 10));
    assert.deepEqual(
      lines,
      lines.toSorted((a, b) => a - b),
    );
  });

  for (const [text, why] of [
    ['{ server: 1 }', 'this must be in double quotes, or a number, true, false or null'],
    ['{ 1: 1 }', 'a name in double quotes is missing'],
    ['{ "server" 1 }', '":" is missing'],
    ['{ "a": 1 "b": 2 }', '"," is missing'],
    ['{ "a": 1', '"}" is missing'],
    ['{ "a": [1', '"]" is missing'],
    ['{ "a": "b }', 'a text has no closing quote'],
    ['{ "a": "\\q" }', 'what follows "\\" is no escape of JSON'],
    ['{} 1', 'the file should end before this'],
  ] as const) {
    it(`words what is wrong in JSON: ${why}`, () => {
      const [first = ''] = problemsIn(text, 'a.mcptest.json');
      assert.equal(first.replace(/^\d+:\d+ /, ''), `The file cannot be read: ${why}`);
    });
  }

  it('reports the place in a text that is neither JSON nor YAML', () => {
    assert.match(problemsIn('server: [\ntests: 1').join('\n'), /^\d+:\d+ The file cannot be read: /);
    assert.match(problemsIn('a: 1\na: 2')[0]!, /^2:1 The file cannot be read: .*unique/);
    assert.deepEqual(problemsIn('{ "server": }', 'a.mcptest.json'), [
      '1:13 The file cannot be read: a value is missing',
    ]);
    assert.deepEqual(problemsIn(''), ['1:1 The file cannot be read: it is empty']);
    assert.deepEqual(problemsIn('', 'a.mcptest.json').length, 1);
  });

  it('handles expanding aliases and too deep nesting @readTestFile.handles-expanding-aliases', () => {
    const bomb = ['a: &a [x, x, x, x, x, x, x, x]'];
    for (let n = 0; n < 12; n++)
      bomb.push(
        `b${n}: &b${n} [${Array(8)
          .fill(n === 0 ? '*a' : `*b${n - 1}`)
          .join(', ')}]`,
      );
    assert.match(problemsIn(bomb.join('\n'))[0]!, /^1:1 The file cannot be read: .*alias/i);
    for (const name of ['a.mcptest.json', 'a.mcptest.yaml'])
      assert.ok(problemsIn(`${'['.repeat(20_000)}1`, name).length > 0, name);
  });

  it('reports an unknown field at its place, with the likely one', () => {
    assert.deepEqual(problemsIn(withSteps('- call: add', '  argument: {}')), [
      '6:9 "argument" is unknown here. Did you mean "arguments"?',
    ]);
    assert.deepEqual(problemsIn(withSteps('- call: add', '  expect: { contain: x }')), [
      '6:19 "contain" is unknown here. Did you mean "contains"?',
    ]);
    assert.deepEqual(problemsIn(withSteps('- call: add', '  expect: { matches: [{ path: $, equal: 1 }] }')), [
      '6:40 "equal" is unknown here. Did you mean "equals"?',
    ]);
    assert.deepEqual(problemsIn(`${withSteps('- call: add')}\nwhatever: 1`), ['6:1 "whatever" is unknown here.']);
    assert.deepEqual(problemsIn(withSteps('- call: add', '  expect: { error: { kode: 1 } }')), [
      '6:28 "kode" is unknown here. Did you mean "code"?',
    ]);
  });

  it('reports missing fields and wrong types', () => {
    assert.deepEqual(problemsIn('server: x'), ['1:1 "tests" is missing.']);
    assert.deepEqual(problemsIn('tests: [{ name: a, steps: [{ list: tools }] }]'), ['1:1 "server" is missing.']);
    assert.deepEqual(problemsIn('[]'), ['1:1 This must be of type object.']);
    assert.deepEqual(problemsIn(withSteps('- call: 1')), ['5:15 This must be of type string.']);
    assert.deepEqual(problemsIn(withSteps('- list: everything')), [
      '5:15 This must be one of "tools", "prompts", "resources", "resourceTemplates".',
    ]);
    assert.deepEqual(problemsIn(withSteps('- call: add', '  timeoutMs: 0')), ['6:20 This is too small, or empty.']);
    assert.deepEqual(problemsIn(withSteps('- call: add', '  timeoutMs: 1.5')), ['6:20 This must be of type integer.']);
  });

  it('requires each step to do exactly one thing', () => {
    assert.deepEqual(problemsIn(withSteps('- expect: {}')), [
      '5:9 A step needs one of "call", "read", "get", "complete", "list", "subscribe", "snapshot".',
    ]);
    assert.deepEqual(problemsIn(withSteps('- call: a', '  read: b')), [
      '5:9 A step does one thing, but this one has "call", "read". Make separate steps.',
    ]);
    assert.deepEqual(problemsIn(withSteps('- complete: { argument: a }')), [
      '5:19 This needs either "prompt" or "resource".',
    ]);
  });

  it('keeps snapshots beside the file', () => {
    for (const name of ['../mcp.snapshot.json', '/etc/mcp.snapshot.json', 'a\\\\b.snapshot.json', 'package.json'])
      assert.deepEqual(
        problemsIn(withSteps(`- snapshot: '${name}'`)),
        ['5:19 This must be the name of a file that ends in ".snapshot.json".'],
        name,
      );
    assert.deepEqual(problemsIn(withSteps('- snapshot: mcp.snapshot.json')), []);
  });

  it('requires unique test names', () => {
    const test = '{ name: a, steps: [{ list: tools }] }';
    assert.deepEqual(problemsIn(`server: x\ntests: [${test}, ${test}]`), ['2:56 There is another test named "a".']);
  });

  it('gives the answers of the test before those of the file', () => {
    const { file } = readTestFile(
      [
        'server: x',
        'answers: { sampling: [{ text: of the file }] }',
        'tests:',
        '  - { name: a, answers: { sampling: [{ text: of the test }] }, steps: [{ list: tools }] }',
      ].join('\n'),
      'a.mcptest.yml',
    );
    assert.deepEqual(file!.tests[0]!.answers, {
      sampling: [{ text: 'of the test' }, { text: 'of the file' }],
      elicitation: [],
    });
  });

  it('knows the place of every step of a large file', () => {
    const tests = Array.from(
      { length: 100 },
      (_, n) => `  - name: t${n}\n    steps:\n${'      - list: tools\n'.repeat(100)}`,
    );
    const { file, problems } = readTestFile(`server: x\ntests:\n${tests.join('')}`, 'a.mcptest.yaml');
    assert.deepEqual(problems, []);
    const last = file!.tests[99]!;
    assert.deepEqual([last.place.line, last.steps[99]!.place.line], [2 + 99 * 102, 2 + 99 * 102 + 101]);
  });

  it('reports a duplicate key, in JSON too', () => {
    assert.deepEqual(problemsIn('{ "server": "x",\n  "server": "y" }', 'a.mcptest.json'), [
      '2:3 The file cannot be read: Keys must be unique',
    ]);
  });

  it('reads an alias at each of its places', () => {
    const { file, problems } = readTestFile(
      'server: &s { command: node }\ntests:\n  - name: a\n    steps: [{ call: a, arguments: { entry: *s } }]',
      'a.mcptest.yaml',
    );
    assert.deepEqual(problems, []);
    assert.deepEqual((file!.tests[0]!.steps[0]!.step as { arguments: unknown }).arguments, {
      entry: { command: 'node' },
    });
  });
});
