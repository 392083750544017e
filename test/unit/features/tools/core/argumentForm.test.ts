import assert from 'node:assert/strict';
import { english } from '../../../../../src/base/phrase';
import { ArgumentForm } from '../../../../../src/features/tools/core/argumentForm';
import type { JsonSchema } from '../../../../../src/features/tools/core/schemaFields';
import { argumentProblem } from '../../../../../src/host';

const schema: JsonSchema = {
  type: 'object',
  required: ['city', 'days'],
  properties: {
    city: { type: 'string' },
    days: { type: 'integer', minimum: 1 },
    unit: { enum: ['celsius', 'kelvin'], default: 'kelvin' },
    loud: { type: 'boolean' },
    kinds: { type: 'array', items: { enum: ['rain', 'sun'] }, maxItems: 1 },
    where: { type: 'object', properties: { street: { type: 'string' } } },
    more: { type: 'object', additionalProperties: { type: 'string' } },
  },
};
const form = (initial?: Record<string, unknown>, problem?: string) => new ArgumentForm(schema, initial, () => problem);
const at = (name: string) => form().steps.findIndex(({ path }) => path.join('.') === name);
const problemOf = (one: ArgumentForm, name: string) => {
  const { problem } = one.fields[at(name)]!;
  return problem === undefined ? undefined : typeof problem === 'string' ? problem : english(problem);
};

describe('the argument form of an item page', () => {
  it('begins with defaults, and with required fields as missing rather than wrong', () => {
    const one = form();
    assert.deepEqual(one.args, { unit: 'kelvin' });
    assert.equal(one.fields[at('city')]!.isMissing, true);
    assert.equal(one.check(), false);
  });

  it('shows field edits in the JSON, and JSON edits in the fields', () => {
    const one = form();
    one.setField(at('city'), { text: 'Paris' });
    one.setField(at('days'), { text: ' 3 ' });
    one.setField(at('where.street'), { text: 'Rue' });
    assert.deepEqual(JSON.parse(one.json), { unit: 'kelvin', city: 'Paris', days: 3, where: { street: 'Rue' } });
    assert.equal(one.check(), true);
    one.setJson('{ "city": "Rome", "days": 5, "loud": false, "kinds": ["sun"], "mine": 1 }');
    assert.equal(one.fields[at('city')]!.text, 'Rome');
    assert.deepEqual(one.fields[at('loud')]!.chosen, [1]);
    assert.deepEqual(one.fields[at('kinds')]!.chosen, [1]);
    one.setField(at('days'), { text: '6' });
    assert.equal(one.args.mine, 1, 'what no field shows stays');
  });

  it('begins with an empty record where one is required, and marks one that the JSON leaves out', () => {
    const labels = { type: 'object', additionalProperties: { type: 'string' } };
    const one = new ArgumentForm(
      { type: 'object', required: ['labels'], properties: { labels } },
      undefined,
      () => undefined,
    );
    assert.deepEqual(one.args, { labels: {} });
    assert.equal(one.check(), true);
    one.setJson('{}');
    assert.equal(one.fields[0]?.isMissing, true);
    assert.equal(one.check(), false);
  });

  it('keeps invalid input with its problem, and has no value for it', () => {
    const one = form({ city: 'Paris', days: 3 });
    one.setField(at('days'), { text: '3.' });
    assert.equal(one.fields[at('days')]!.text, '3.');
    one.setField(at('days'), { text: '0' });
    assert.match(problemOf(one, 'days') ?? '', /at least 1/);
    assert.equal('days' in one.args, false);
    assert.equal(one.check(), false);
  });

  it('keeps invalid JSON until a field is edited', () => {
    const one = form({ city: 'Paris', days: 3 });
    one.setJson('{ "city": ');
    assert.equal(one.json, '{ "city": ');
    assert.match(english(one.jsonProblem ?? assert.fail()), /not JSON/);
    assert.equal(one.check(), false);
    one.setJson('[1]');
    assert.match(english(one.jsonProblem ?? assert.fail()), /object/);
    one.setField(at('city'), { text: 'Rome' });
    assert.equal(one.jsonProblem, undefined);
    assert.deepEqual(JSON.parse(one.json), { city: 'Rome', days: 3 });
  });

  it('shows JSON problems at their field', () => {
    const one = form();
    one.setJson('{ "city": "Rome", "days": "x", "unit": "feet", "kinds": ["sun", "rain"] }');
    assert.ok(problemOf(one, 'days'));
    assert.match(problemOf(one, 'unit') ?? '', /choices/);
    assert.match(problemOf(one, 'kinds') ?? '', /At most 1/);
  });

  it('accepts one, several and no choices', () => {
    const one = form({ city: 'Paris', days: 3 });
    one.setField(at('unit'), { chosen: [0] });
    one.setField(at('kinds'), { chosen: [0] });
    one.setField(at('loud'), { chosen: [1] });
    assert.deepEqual(one.args, { city: 'Paris', days: 3, unit: 'celsius', kinds: ['rain'], loud: false });
    one.setField(at('unit'), { chosen: [] });
    one.setField(at('kinds'), { chosen: [] });
    one.setField(at('loud'), { chosen: [] });
    assert.deepEqual(one.args, { city: 'Paris', days: 3 });
    one.setField(99, { text: 'nothing there' });
    one.setField(at('unit'), { chosen: [99] });
    assert.equal(one.args.unit, undefined);
  });

  it('reads each choice once, however many are chosen', () => {
    let reads = 0;
    const choice = Object.assign(['a'], { toJSON: () => ++reads && ['a'] });
    const items = { enum: [choice] };
    const schema: JsonSchema = { type: 'object', properties: { it: { type: 'array', items } } };
    const one = new ArgumentForm(schema, { it: Array.from({ length: 500 }, () => ['a']) }, () => undefined);
    reads = 0;
    assert.equal(one.fields[0]!.chosen.length, 500);
    assert.ok(reads < 10, `${reads}`);
  });

  it('takes null from the JSON, and keeps the chosen kind of a value while it is empty', () => {
    const nullable = {
      type: 'object',
      properties: {
        left: { type: ['string', 'null'], default: null },
        unit: { anyOf: [{ enum: ['a'] }, { type: 'null' }], default: null },
        either: { type: ['string', 'number', 'null'] },
      },
    };
    const one = new ArgumentForm(nullable, undefined, () => undefined);
    one.setJson('{ "left": null, "unit": null, "either": null }');
    assert.deepEqual(
      one.fields.map(({ problem }) => problem),
      [undefined, undefined, undefined],
    );
    assert.deepEqual(JSON.parse(one.fields[2]!.text), { kind: 2, text: '' });
    assert.equal(one.check(), true);
    one.setField(0, { text: 'x' });
    one.setField(2, { text: '{"kind":1,"text":""}' });
    assert.deepEqual(JSON.parse(one.fields[2]!.text), { kind: 1, text: '' });
    assert.deepEqual(one.args, { left: 'x', unit: null });
    assert.equal(one.check(), true);
  });

  it('submits only when every field is valid', () => {
    const one = form({ city: 'Paris', days: 3 }, 'city is too far away.');
    assert.equal(one.check(), false);
    assert.equal(one.wholeProblem, 'city is too far away.');
    assert.equal(problemOf(one, 'city'), 'city is too far away.');
    one.setField(at('city'), { text: 'Rome' });
    assert.equal(one.wholeProblem, undefined);
  });

  it('shows what the schema objects to at the fields that it names', () => {
    const payment = {
      oneOf: [
        { type: 'object', required: ['number'] },
        { type: 'object', required: ['email'] },
      ],
    };
    const address = { type: 'object', required: ['street'], properties: { street: {}, zip: { type: 'string' } } };
    const properties = { pay: { type: 'string' }, payment, address, kind: { enum: ['a', 'b'] } };
    const either = { if: { properties: { kind: { const: 'b' } } }, else: { properties: { kind: { const: 'b' } } } };
    const args = { pay: 'x', payment: {}, address: { zip: '1' }, kind: 'a' };
    const one = new ArgumentForm({ type: 'object', properties, ...either }, args, argumentProblem);
    assert.equal(one.check(), false);
    const problems = one.steps.map(({ path }, index) => [path.join('.'), one.fields[index]!.problem]);
    assert.deepEqual(Object.fromEntries(problems), {
      pay: undefined,
      payment:
        'payment must fit exactly one of several schemas, and fits none; payment.number is required; payment.email is required.',
      'address.street': 'address.street is required.',
      'address.zip': undefined,
      kind: 'kind must be "b".',
    });
  });

  it('has no fields for inexpressible schemas, and 200 for 200 properties', () => {
    const loop = { $ref: '#/$defs/node' };
    const recursive = { $defs: { node: { type: 'object', properties: { next: loop } } }, ...loop };
    const one = new ArgumentForm(recursive, undefined, () => undefined);
    assert.equal(one.isJsonOnly || one.steps.every(({ kind }) => kind === 'json'), true);
    one.setJson('{ "next": {} }');
    assert.equal(one.check(), true);
    const properties = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`p${i}`, { type: 'string' }]));
    assert.equal(new ArgumentForm({ type: 'object', properties }, undefined, () => undefined).steps.length, 200);
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`p${i}`, { type: 'string' }]));
    assert.equal(new ArgumentForm({ type: 'object', properties: many }, undefined, () => undefined).isJsonOnly, true);
  });

  it('takes neither texts without end nor JSON of thousands of levels, which show with their problem', () => {
    const one = form({ city: 'Paris' });
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    one.setJson(`{ "city": ${deep} }`);
    assert.deepEqual(
      [english(one.jsonProblem!), one.args],
      ['That is not JSON: this is nested too deeply', { city: 'Paris' }],
    );
    one.setJson(`{ "city": "${'x'.repeat(10_000_000)}" }`);
    assert.match(english(one.jsonProblem!), /at most 10000000 characters/);
    one.setField(at('city'), { text: 'x'.repeat(10_000_001) });
    assert.match(problemOf(one, 'city')!, /at most 10000000 characters/);
    assert.deepEqual([one.check(), one.args], [false, {}]);
  });

  it('treats prototype names as ordinary names', () => {
    const odd = { type: 'object', properties: { __proto__: { type: 'string' }, constructor: { type: 'string' } } };
    const one = new ArgumentForm(JSON.parse(JSON.stringify(odd)), undefined, () => undefined);
    for (const [index] of one.steps.entries()) one.setField(index, { text: 'x' });
    assert.equal(Object.getPrototypeOf(one.args), Object.prototype);
  });
});
