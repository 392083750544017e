import assert from 'node:assert/strict';
import { mock } from 'node:test';
import vm from 'node:vm';
import * as z from 'zod';
import { english } from '../../../../../src/base/phrase';
import { coerce, expectations, textFor } from '../../../../../src/features/tools/core/fieldChecks';
import { type FormStep, formOf } from '../../../../../src/features/tools/core/schemaForm';

/** The schemas of texts with a set form, as zod writes them. */
function zodPatterns() {
  const { date, time, datetime, duration } = z.iso;
  const schemas = {
    ...{ date: date(), time: time(), local: datetime({ local: true }), moment: datetime(), duration: duration() },
    ...{ email: z.email(), uuid: z.uuid(), ipv4: z.ipv4(), ipv6: z.ipv6(), cidr: z.cidrv4(), host: z.hostname() },
    ...{ phone: z.e164(), base64: z.base64() },
  };
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, z.toJSONSchema(schema) as object]),
  ) as Record<keyof typeof schemas, object>;
}

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

  it('is not checked again against a pattern that has taken too long, nor against one that takes long to be read', () => {
    const pattern = '^(?:b+)+$';
    assert.match(problem({ type: 'string', pattern }, 'x'), /match/);
    value({ type: 'string', pattern }, `${'b'.repeat(80)}c`);
    assert.equal(value({ type: 'string', pattern }, 'x'), 'x');
    assert.equal(value({ type: 'string', pattern: `^${'a'.repeat(5_000)}$` }, 'x'), 'x');
  });

  it('is checked against a pattern even when a busy machine delays the check', () => {
    const passed = Object.assign(new Error('Script execution timed out'), { code: 'ERR_SCRIPT_EXECUTION_TIMEOUT' });
    const run = mock.method(
      vm,
      'runInContext',
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
        /^Enter a valid (date|date with time|email address|URI|time), such as [^ ]+\.$/,
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

  const rows = (...entries: [string, string][]) => JSON.stringify(entries);
  const kind = (index: number, text: string) => JSON.stringify({ kind: index, text });

  it('of a record is the values of its rows by name', () => {
    const numbers = { type: 'object', additionalProperties: { type: 'number' } };
    const texts = { type: 'object', additionalProperties: { type: 'string' } };
    assert.deepEqual(
      value(numbers, rows(['a', '1'], ['', ''], ['__proto__', '2'])),
      JSON.parse('{"a":1,"__proto__":2}'),
    );
    assert.deepEqual(value(texts, rows(['a', ''])), { a: '' });
    assert.deepEqual(value(texts, ''), {}, 'none where one is required');
    assert.equal(value(texts, rows(['', '']), false), undefined);
    assert.match(problem(numbers, rows(['a', 'x'])), /^a: Enter a number/);
    assert.match(problem(numbers, rows(['a', ''])), /^a: A value is required/);
    assert.match(problem(texts, rows(['', 'x'])), /needs a name/);
    assert.match(problem(texts, rows(['a', '1'], ['a', '2'])), /"a" is there more than once/);
    for (const text of ['{', '[1]', '{"a":1}']) assert.deepEqual(value(texts, text), {});
  });

  it('of several kinds is read as the chosen one', () => {
    const either = { type: ['string', 'number', 'boolean', 'null'] };
    assert.equal(value(either, kind(0, '5')), '5');
    assert.equal(value(either, kind(1, '5')), 5);
    assert.equal(value(either, kind(2, '1')), false);
    assert.equal(value(either, kind(3, '')), null);
    assert.equal(value(either, kind(9, 'x')), 'x');
    assert.match(problem(either, kind(1, 'x')), /number/);
    assert.match(problem(either, kind(0, '')), /required/);
    assert.equal(value(either, kind(0, ''), false), undefined);
    assert.equal(value(either, kind(0, '""')), '');
    assert.deepEqual(value({ anyOf: [{ type: 'string' }, { type: 'object' }] }, kind(1, '{"a":1}')), { a: 1 });
  });

  it('is sent in UTC or without a zone to a server whose pattern takes no offset', () => {
    // zod's `z.iso.datetime()`, shortened.
    const utc = {
      type: 'string',
      format: 'date-time',
      pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?(?:Z)$',
    };
    assert.equal(value(utc, '2026-01-31T08:00:00+02:00'), '2026-01-31T06:00:00Z');
    const minutes = { type: 'string', format: 'date-time', pattern: '^[^.]{10}T\\d\\d:\\d\\dZ$' };
    assert.equal(value(minutes, '2026-01-31T08:00:00+00:00'), '2026-01-31T08:00Z');
    assert.equal(
      value({ type: 'string', format: 'time', pattern: '^\\d\\d:\\d\\d:\\d\\d$' }, '08:00:00+02:00'),
      '08:00:00',
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
      [
        { type: 'object', additionalProperties: { type: ['string', 'number'] } },
        { a: 'x', b: 1, c: '' },
      ],
      [{ type: ['string', 'number', 'boolean'] }, true],
      [{ type: ['string', 'null'] }, null],
      [{ type: ['string', 'null'] }, ''],
      [{ anyOf: [{ type: 'array', items: { enum: ['a', 'b'] } }, { type: 'null' }] }, ['b', 'a']],
      [{ anyOf: [{ enum: ['auto'] }, { type: 'number' }] }, 'auto'],
    ];
    for (const [property, given] of values) assert.deepEqual(value(property, textFor(step(property), given)), given);
  });

  it('has what it accepts described, unless its control or its description says it', () => {
    const words = (property: object) => expectations(step(property)).map(english).join(', ');
    const zod = zodPatterns();
    assert.equal(words(zod.date), '');
    assert.equal(words({ type: 'array', items: zod.date }), 'separated by commas, date, such as 2026-01-31');
    assert.equal(words(zod.time), 'time, such as 08:30');
    assert.equal(words(zod.local), 'date with time, such as 2026-01-31T08:30');
    for (const [name, property] of Object.entries(zod)) assert.doesNotMatch(words(property), /\\d|\[/, name);
    assert.equal(words({ type: 'integer', minimum: 1, maximum: 10 }), 'whole number, 1 to 10');
    assert.equal(
      words({ type: 'string', format: 'email', maxLength: 9 }),
      'email address, such as name@example.com, at most 9 characters',
    );
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
    assert.equal(
      words({ type: 'array', items: { type: 'string', format: 'time' } }),
      'separated by commas, time, such as 08:30:00Z',
    );
    assert.equal(words({ type: 'string', pattern: '^a$' }), 'matching ^a$');
    assert.equal(words({ type: 'string', pattern: `^${'a'.repeat(200)}$` }), 'in a fixed format');
    assert.equal(words({ type: 'string', format: 'starts_with', pattern: '^a.*' }), 'matching ^a.*');
    assert.equal(words({ type: 'string', format: 'ipv4', pattern: 'x'.repeat(99) }), 'IPv4 address, such as 192.0.2.1');
    const safe = Number.MAX_SAFE_INTEGER;
    assert.equal(words({ type: 'integer', minimum: -safe, maximum: safe }), 'whole number');
    assert.equal(words({ type: 'string', pattern: '^a$', description: 'The letter a.' }), '');
  });
});
