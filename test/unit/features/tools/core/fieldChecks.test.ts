import assert from 'node:assert/strict';
import { mock } from 'node:test';
import vm from 'node:vm';
import { english } from '../../../../../src/base/phrase';
import { coerce, expectations, textFor } from '../../../../../src/features/tools/core/fieldChecks';
import { type FormStep, formOf } from '../../../../../src/features/tools/core/schemaForm';

function step(property: object, required = true): FormStep {
  return formOf({ type: 'object', properties: { it: property }, required: required ? ['it'] : [] })[0]!;
}
const value = (property: object, text: string, required = true) => {
  const coerced = coerce(step(property, required), text);
  assert.ok('value' in coerced, `${text}: ${JSON.stringify(coerced)}`);
  return coerced.value;
};
const problem = (property: object, text: string, required = true) => {
  const coerced = coerce(step(property, required), text);
  assert.ok('problem' in coerced, `${text}: ${JSON.stringify(coerced)}`);
  return english(coerced.problem);
};

describe('a value entered in a form field', () => {
  it('of text is that text, within its limits', () => {
    assert.equal(value({ type: 'string' }, ' a "b" '), ' a "b" ');
    assert.equal(value({ type: 'string' }, '""'), '');
    assert.match(problem({ type: 'string', minLength: 2 }, '😀'), /at least 2/);
    assert.equal(value({ type: 'string', maxLength: 2 }, '😀😀'), '😀😀');
    assert.match(problem({ type: 'string', maxLength: 2 }, 'abc'), /Must be at most 2.*3/);
    assert.match(problem({ type: 'string', pattern: '^\\d+$' }, 'x'), /match/);
    assert.equal(value({ type: 'string', pattern: '(' }, 'x'), 'x');
  });

  it('is checked in bounded time against an endless pattern', () => {
    const text = `${'a'.repeat(80)}b`;
    assert.equal(value({ type: 'string', pattern: '^(a+)+$' }, text), text);
  });

  it('is checked against a pattern even when a busy machine delays the check', () => {
    const passed = Object.assign(new Error('Script execution timed out'), { code: 'ERR_SCRIPT_EXECUTION_TIMEOUT' });
    const run = mock.method(
      vm,
      'runInNewContext',
      () => {
        throw passed;
      },
      { times: 1 },
    );
    try {
      assert.match(problem({ type: 'string', pattern: '^\\d+$' }, 'x'), /match/);
      assert.equal(run.mock.callCount(), 1);
    } finally {
      run.mock.restore();
    }
  });

  it('is checked against a known format, and not against others', () => {
    const right = {
      date: '2026-01-31',
      'date-time': '2026-01-31T08:00:00Z',
      email: 'a@b.c',
      uri: 'x:y',
      time: '08:00:00Z',
    };
    for (const [format, text] of Object.entries(right)) {
      assert.equal(value({ type: 'string', format }, text), text);
      assert.match(
        problem({ type: 'string', format }, 'no such thing'),
        new RegExp(`^Enter a (valid ${format}( address)?\\.|${format}: [YMDThmsZ:-]+)$`, 'i'),
      );
    }
    assert.equal(value({ type: 'string', format: 'constructor' }, 'x'), 'x');
  });

  it('of numbers must be finite and within bounds', () => {
    for (const [text, number] of [
      ['1', 1],
      [' -2.5 ', -2.5],
      ['1e3', 1000],
      ['.5', 0.5],
      ['-0', 0],
    ] as const)
      assert.equal(value({ type: 'number' }, text), number);
    for (const text of ['x', '0x10', 'Infinity', 'NaN', '1,5', '1e999']) problem({ type: 'number' }, text);
    problem({ type: 'integer' }, '1.5');
    problem({ type: 'integer' }, '9007199254740993');
    assert.match(problem({ type: 'number', minimum: 1 }, '0'), /Must be at least 1/);
    assert.match(problem({ type: 'number', maximum: 1 }, '2'), /Must be at most 1/);
    assert.match(problem({ type: 'number', exclusiveMinimum: 1 }, '1'), /Must be greater than 1/);
    assert.match(problem({ type: 'number', exclusiveMaximum: 1 }, '1'), /Must be less than 1/);
    assert.equal(value({ type: 'number', multipleOf: 0.1 }, '0.3'), 0.3);
    problem({ type: 'number', multipleOf: 0.1 }, '0.35');
  });

  it('left empty omits an optional field, and is refused for a required one', () => {
    for (const property of [{ type: 'string' }, { type: 'number' }, { type: 'array', items: { type: 'string' } }]) {
      assert.equal(value(property, '', false), undefined);
      assert.match(problem(property, ''), /required/);
    }
  });

  it('of lists is split at commas and lines, with quotes, or read as JSON', () => {
    const texts = { type: 'array', items: { type: 'string' } };
    assert.deepEqual(value(texts, 'a, b ,c'), ['a', 'b', 'c']);
    assert.deepEqual(value(texts, 'a\n"b, c",\n d"e'), ['a', 'b, c', 'd"e']);
    assert.deepEqual(value(texts, '["a, b", ""]'), ['a, b', '']);
    assert.deepEqual(value({ type: 'array', items: { type: 'integer' } }, '1, 2'), [1, 2]);
    assert.match(problem({ type: 'array', items: { type: 'integer' } }, '1, x'), /Value 2/);
    assert.match(problem({ ...texts, minItems: 2 }, 'a'), /At least 2 values/);
    assert.match(problem({ ...texts, maxItems: 1 }, 'a,b'), /At most 1 value is/);
    assert.match(problem({ ...texts, uniqueItems: true }, 'a,a'), /unique/);
    assert.match(problem(texts, '[1'), /JSON/);
  });

  it('may be the empty text where the field allows one', () => {
    assert.match(problem({ type: 'string' }, ''), /required\. Enter ""/);
    for (const limits of [{ minLength: 1 }, { format: 'email' }, { pattern: '.' }])
      assert.equal(problem({ type: 'string', ...limits }, ''), 'A value is required.');
  });

  it('that does not match a pattern leads to the description, if there is one', () => {
    const pattern = { type: 'string', pattern: '^a$' };
    assert.equal(problem(pattern, 'b'), 'Must match the pattern ^a$');
    assert.equal(
      problem({ ...pattern, description: 'The letter a.' }, 'b'),
      'This does not have the described format (pattern ^a$).',
    );
  });

  it('of JSON is what the text stands for', () => {
    assert.deepEqual(value({}, '{"a":1}'), { a: 1 });
    assert.match(problem({}, '{'), /JSON/);
  });

  it('round-trips through its text', () => {
    const values: [object, unknown][] = [
      [{ type: 'string' }, 'a, b'],
      [{ type: 'string' }, ''],
      [{ type: 'number' }, -1.5],
      [{ type: 'array', items: { type: 'string' } }, ['a', 'b, c', '"', '', ' d']],
      [{ type: 'array', items: { type: 'string' } }, ['a', 'b']],
      [{ type: 'array', items: { type: 'number' } }, [1, 2]],
      [{}, { a: [1] }],
    ];
    for (const [property, given] of values) assert.deepEqual(value(property, textFor(step(property), given)), given);
  });

  it('has what it accepts described, unless its control or its description says it', () => {
    const words = (property: object) => expectations(step(property)).map(english).join(', ');
    assert.equal(words({ type: 'integer', minimum: 1, maximum: 10 }), 'whole number, 1 to 10');
    assert.equal(words({ type: 'string', format: 'email', maxLength: 9 }), 'email address, at most 9 characters');
    assert.equal(words({ type: 'array', items: { type: 'number' } }), 'separated by commas, number');
    assert.equal(words({ type: 'array', items: { enum: ['a', 'b'] }, minItems: 1 }), 'at least 1');
    for (const property of [
      { type: 'string' },
      { type: 'string', format: 'date' },
      { type: 'boolean' },
      { enum: ['a'] },
    ])
      assert.equal(words(property), '');
    for (const format of ['date-time', 'time']) assert.equal(words({ type: 'string', format }), 'in your time zone');
    assert.equal(words({ type: 'array', items: { type: 'string', format: 'time' } }), 'separated by commas, time');
    assert.equal(words({ type: 'string', pattern: '^a$' }), 'matching ^a$');
    assert.equal(words({ type: 'string', pattern: '^a$', description: 'The letter a.' }), '');
  });
});
