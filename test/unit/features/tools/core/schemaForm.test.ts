import assert from 'node:assert/strict';
import { ArgumentForm, scaffold } from '../../../../../src/features/tools/core/argumentForm';
import type { JsonSchema } from '../../../../../src/features/tools/core/schemaFields';
import { type FormStep, formOf, valueAt, withValue } from '../../../../../src/features/tools/core/schemaForm';

const object = (properties: Record<string, unknown>, more: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...more,
});
const only = (property: unknown, more: JsonSchema = {}): FormStep => {
  const steps = formOf(object({ it: property }, more));
  assert.equal(steps.length, 1, JSON.stringify(steps));
  return steps[0]!;
};
const kinds = (schema: JsonSchema) => formOf(schema).map(({ path, kind }) => `${path.join('.')}: ${kind}`);

describe('the form of a schema', () => {
  it('has a step for each value in order, with title, description, default and required', () => {
    const schema = object(
      {
        name: { type: 'string', title: 'Name', description: 'Of the note', minLength: 1, maxLength: 9, pattern: '^a' },
        count: { type: 'integer', minimum: 1, maximum: 10, default: 3 },
        share: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1, multipleOf: 0.1 },
        open: { type: 'boolean' },
      },
      { required: ['name'] },
    );
    assert.deepEqual(formOf(schema), [
      {
        path: ['name'],
        title: 'Name',
        description: 'Of the note',
        required: true,
        kind: 'string',
        minLength: 1,
        maxLength: 9,
        pattern: '^a',
      },
      { path: ['count'], required: false, default: 3, kind: 'number', integer: true, minimum: 1, maximum: 10 },
      {
        path: ['share'],
        required: false,
        kind: 'number',
        integer: false,
        exclusiveMinimum: 0,
        exclusiveMaximum: 1,
        multipleOf: 0.1,
      },
      { path: ['open'], required: false, kind: 'boolean' },
    ]);
  });

  it('has no steps for a tool without arguments', () => {
    for (const schema of [{ type: 'object' }, object({}), object({}, { additionalProperties: false })])
      assert.deepEqual(formOf(schema), []);
  });

  it('offers choices from enum, enumNames, const, and titled alternatives', () => {
    const options = (property: unknown) => {
      const step = only(property);
      assert.equal(step.kind, 'choice');
      return (step as FormStep & { kind: 'choice' }).options;
    };
    assert.deepEqual(options({ enum: ['a', 1, null] }), [
      { label: 'a', value: 'a' },
      { label: '1', value: 1 },
      { label: 'null', value: null },
    ]);
    assert.deepEqual(options({ type: 'string', enum: ['a'], enumNames: ['A!'] }), [{ label: 'A!', value: 'a' }]);
    assert.deepEqual(options({ const: 5 }), [{ label: '5', value: 5 }]);
    for (const key of ['oneOf', 'anyOf'])
      assert.deepEqual(options({ [key]: [{ const: 'x', title: 'Ex' }, { const: 'y' }] }), [
        { label: 'Ex', value: 'x' },
        { label: 'y', value: 'y' },
      ]);
  });

  it('asks once for a list of simple values, of choices or texts', () => {
    const texts = only({ type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 3, uniqueItems: true });
    assert.deepEqual(texts, {
      path: ['it'],
      required: false,
      kind: 'list',
      items: { kind: 'string' },
      minItems: 1,
      maxItems: 3,
      unique: true,
    });
    const choices = only({ type: 'array', items: { anyOf: [{ const: 'a' }, { const: 'b' }] } });
    assert.equal(choices.kind === 'list' && choices.items.kind, 'choice');
  });

  it('flattens objects, whose parts inherit defaults and required', () => {
    const address = object({ city: { type: 'string' }, zip: { type: 'integer' } }, { required: ['city'] });
    const schema = object({ one: address, two: { ...address, default: { city: 'Ulm' } } }, { required: ['one'] });
    const steps = formOf(schema);
    assert.deepEqual(
      steps.map(({ path, required, default: value }) => [path.join('.'), required, value]),
      [
        ['one.city', true, undefined],
        ['one.zip', false, undefined],
        ['two.city', false, 'Ulm'],
        ['two.zip', false, undefined],
      ],
    );
  });

  it('fills in defaults of an object that may be left out only with all that it requires', () => {
    const address = object(
      { city: { type: 'string' }, country: { default: 'DE', type: 'string' } },
      { required: ['city'] },
    );
    const page = object(
      { size: { default: 20, type: 'integer' }, at: { default: 0, type: 'integer' } },
      { required: ['at'] },
    );
    const schema = object(
      { sender: address, to: address, known: { ...address, default: { city: 'Ulm' } }, page },
      { required: ['sender'] },
    );
    assert.deepEqual(new ArgumentForm(schema, undefined, () => undefined).args, {
      sender: { country: 'DE' },
      known: { city: 'Ulm', country: 'DE' },
      page: { size: 20, at: 0 },
    });
  });

  it('leaves inexpressible parts to JSON, and the rest to the form', () => {
    const schema = object({
      plain: { type: 'string' },
      free: { type: 'object' },
      either: { anyOf: [object({ a: {} }), object({ b: {} })] },
      rows: { type: 'array', items: object({ a: { type: 'string' } }) },
      tuple: { type: 'array', prefixItems: [{}, {}] },
      any: {},
      yes: true,
      no: false,
      odd: 'nonsense',
    });
    const [plain, ...others] = kinds(schema);
    assert.equal(plain, 'plain: string');
    for (const other of others) assert.match(other, /: json$/);
    assert.equal(others.length, 8);
  });

  it('goes three objects deep, then asks for JSON', () => {
    let schema: JsonSchema = { type: 'string' };
    for (const name of ['e', 'd', 'c', 'b', 'a']) schema = object({ [name]: schema });
    assert.deepEqual(kinds(schema), ['a.b.c.d: json']);
  });

  it('follows references, and stops at circular and dangling ones', () => {
    const $defs = {
      name: { type: 'string', minLength: 2 },
      node: object({ value: { type: 'number' }, next: { $ref: '#/$defs/node' } }),
      self: { $ref: '#/$defs/self' },
    };
    const schema = object(
      {
        name: { $ref: '#/$defs/name', description: 'Mine' },
        node: { $ref: '#/$defs/node' },
        self: { $ref: '#/$defs/self' },
        lost: { $ref: '#/$defs/lost' },
        far: { $ref: 'elsewhere.json' },
      },
      { $defs },
    );
    assert.deepEqual(kinds(schema), [
      'name: string',
      'node.value: number',
      'node.next: json',
      'self: json',
      'lost: json',
      'far: json',
    ]);
    const next = formOf(schema)[2]!;
    assert.deepEqual(next.kind === 'json' && next.schema.$defs, $defs);
  });

  it('reads "or null" as optional, and unwraps a single allOf', () => {
    assert.equal(only({ anyOf: [{ type: 'string' }, { type: 'null' }], default: null }).kind, 'string');
    assert.equal(only({ type: ['integer', 'null'], default: null }).kind, 'number');
    assert.equal(only({ allOf: [{ type: 'boolean' }] }).kind, 'boolean');
    assert.equal('default' in only({ anyOf: [{ type: 'string' }, { type: 'null' }], default: null }), false);
  });

  it('offers null where leaving the value out does not mean the same', () => {
    const kindsOf = (property: object, more: JsonSchema = {}) => {
      const step = only(property, more);
      if (step.kind === 'choice') return step.options.map(({ value }) => value);
      return step.kind === 'union' ? step.alternatives.map(({ kind }) => kind) : step.kind;
    };
    assert.deepEqual(kindsOf({ type: ['string', 'null'] }), ['string', 'null']);
    assert.deepEqual(kindsOf({ anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }] }), [
      'list',
      'null',
    ]);
    assert.deepEqual(kindsOf({ type: ['boolean', 'null'] }), [true, false, null]);
    assert.deepEqual(kindsOf({ anyOf: [{ enum: ['a'] }, { type: 'null' }] }), ['a', null]);
    assert.deepEqual(kindsOf({ anyOf: [{ const: 'a' }, { const: 'b' }, { type: 'null' }] }), ['a', 'b', null]);
    assert.deepEqual(kindsOf({ type: ['string', 'null'], enum: ['a', null] }), ['a', null]);
    assert.equal(kindsOf({ type: ['string', 'null'], default: null }), 'string');
    assert.deepEqual(kindsOf({ type: ['string', 'null'], default: null }, { required: ['it'] }), ['string', 'null']);
    const [asked] = formOf(object({ it: { type: ['string', 'null'] } }), { takesNull: false });
    assert.equal(asked?.kind, 'string');
  });

  it('asks for the kind of a value that may be of several', () => {
    const alternatives = (property: object) => {
      const step = only(property);
      return step.kind === 'union' ? step.alternatives.map(({ kind }) => kind) : [step.kind];
    };
    assert.deepEqual(alternatives({ type: ['string', 'number'] }), ['string', 'number']);
    assert.deepEqual(alternatives({ type: ['string', 'integer', 'boolean', 'null'] }), [
      'string',
      'number',
      'boolean',
      'null',
    ]);
    // pydantic's Decimal.
    assert.deepEqual(alternatives({ anyOf: [{ type: 'number' }, { type: 'string', pattern: '^\\d*$' }] }), [
      'number',
      'string',
    ]);
    assert.deepEqual(alternatives({ oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }), [
      'string',
      'list',
    ]);
    assert.deepEqual(alternatives({ anyOf: [{ enum: ['auto'] }, { type: 'number' }] }), ['choice', 'number']);
    assert.deepEqual(alternatives({ anyOf: [{ type: 'string' }, object({ a: {} })] }), ['string', 'json']);
    assert.deepEqual(alternatives({ anyOf: [{ type: 'integer' }, { type: 'number' }] }), ['number']);
    assert.deepEqual(alternatives({ anyOf: [object({ a: {} }), object({ b: {} })] }), ['json']);
    const many = Array.from({ length: 1_000 }, () => ({ type: 'string' }));
    assert.deepEqual(alternatives({ anyOf: many }), ['json']);
  });

  it('lists no more than 1,000 options, however short the schema that repeats them', () => {
    const options = (from: number) => Array.from({ length: 1_000 }, (_, index) => `option ${from + index}`);
    assert.equal(only({ type: 'string', enum: options(0) }).kind, 'choice');
    assert.equal(only({ type: 'string', enum: [...options(0), 'one more'] }).kind, 'string');
    const $defs = { first: { type: 'string', enum: options(0) }, second: { type: 'string', enum: options(1_000) } };
    const anyOf = [{ $ref: '#/$defs/first' }, { $ref: '#/$defs/first' }];
    assert.equal(only({ anyOf }, { $defs }).kind, 'choice');
    assert.equal(only({ anyOf: [...anyOf, { $ref: '#/$defs/second' }] }, { $defs }).kind, 'json');
  });

  it('lists only so much in all its fields, however short the schema that repeats it', () => {
    const long = Array.from({ length: 990 }, (_, index) => `${index}${'x'.repeat(900)}`);
    const anyOf = Array.from({ length: 10 }, (_, at) => ({ enum: long.slice(at * 99, at * 99 + 99) }));
    const properties = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`p${at}`, { $ref: '#/$defs/long' }]));
    const steps = formOf(object(properties, { $defs: { long: { anyOf } } }), { maxSteps: 300 });
    const labels = steps.flatMap(step =>
      step.kind === 'choice' ? step.options.map(({ label }) => String(label)) : [],
    );
    const size = labels.reduce((sum, { length }) => sum + length, 0);
    assert.equal(steps.length, 300);
    assert.ok(size > 0 && size < 3_000_000, `${size}`);
  });

  it('is made of so many members only, however many fields refer to the same large schema', () => {
    const unknown = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`x${at}`, 0]));
    const properties = Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [`p${at}`, { $ref: '#/$defs/large' }]),
    );
    const schema = object(properties, { $defs: { large: { type: 'string', ...unknown } } });
    const steps = formOf(schema, { maxSteps: 300 });
    assert.deepEqual([steps.length, steps[0]!.kind, steps.at(-1)!.kind], [300, 'string', 'json']);
  });

  it('copies no schema for each of too many types', () => {
    let copies = 0;
    const type = Array.from({ length: 100 }, () => 'string');
    const ownKeys = (target: object) => {
      copies++;
      return Reflect.ownKeys(target);
    };
    assert.equal(only(new Proxy({ type }, { ownKeys })).kind, 'json');
    assert.ok(copies < type.length, `${copies}`);
  });

  it('offers no choice of values that are nested too deeply to be shown', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 20_000; level++) deep = [deep];
    for (const property of [{ enum: [deep] }, { const: deep }, { oneOf: [{ const: 1, title: deep }] }])
      assert.deepEqual(kinds(object({ it: property })), ['it: json']);
  });

  it('asks for the names and values of a record', () => {
    const values = (property: object) => {
      const step = only(property);
      return step.kind === 'record' ? step.values.kind : step.kind;
    };
    const number = { type: 'number' };
    assert.equal(values({ type: 'object', propertyNames: { type: 'string' }, additionalProperties: number }), 'number');
    assert.equal(
      values({ type: 'object', properties: {}, additionalProperties: { type: ['string', 'number'] } }),
      'union',
    );
    assert.equal(
      values({ type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } }),
      'list',
    );
    assert.equal(values({ type: 'object', patternProperties: { '^x-': { type: 'string' } } }), 'string');
    assert.equal(values({ type: 'object', additionalProperties: object({ a: {} }) }), 'json');
    assert.equal(values({ type: 'object', additionalProperties: {} }), 'json');
    const named = {
      propertyNames: { type: 'string', enum: ['a', 'b'] },
      additionalProperties: number,
      required: ['a'],
    };
    const schema = object({ it: { type: 'object', ...named } }, { required: ['it'] });
    assert.deepEqual(
      formOf(schema).map(({ path, kind, required }) => [path.join('.'), kind, required]),
      [
        ['it.a', 'number', true],
        ['it.b', 'number', false],
      ],
    );
  });

  it('asks for a text though further keywords limit it', () => {
    assert.equal(only({ type: 'string', allOf: [{ pattern: '^a' }, { pattern: 'b$' }] }).kind, 'string');
    assert.equal(only({ type: 'string', not: { const: '' } }).kind, 'string');
  });

  it('does not look into what no property uses', () => {
    let looks = 0;
    const get = (target: object, key: string) => {
      looks++;
      return Reflect.get(target, key);
    };
    const unused = new Proxy({ type: 'object' }, { get: (target, key) => get(target, String(key)) });
    const schema = object({ it: { type: ['string', 'number'] } }, { $defs: { unused } });
    formOf(schema);
    const once = looks;
    for (let i = 0; i < 100; i++) formOf(schema);
    assert.equal(looks, once);
  });

  it('is JSON as a whole for alternatives, too many values, and invalid schemas', () => {
    const many = Object.fromEntries(Array.from({ length: 41 }, (_, index) => [`p${index}`, { type: 'string' }]));
    for (const schema of [
      { oneOf: [object({ a: {} })], anyOf: [{}, {}] },
      object(many),
      { $ref: '#' },
      { additionalProperties: {} },
    ])
      assert.deepEqual(kinds(schema), [': json']);
    for (const odd of [{ type: 'object', properties: 7, required: 'x' }, { type: 3 }])
      assert.deepEqual(formOf(odd as never), []);
  });

  it('handles names that every object has', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}',
    );
    const [proto, ctor] = formOf(schema);
    let args = withValue({}, proto!.path, 'p');
    args = withValue(args, ctor!.path, 'c');
    assert.equal(JSON.stringify(args), '{"__proto__":"p","constructor":"c"}');
    assert.equal(valueAt({}, ['constructor']), undefined);
    assert.equal(Object.getPrototypeOf(args), Object.prototype);
  });
});

describe('withValue and scaffold', () => {
  it('set a value at its path, and remove it with the objects left empty', () => {
    const args = withValue({ a: 1 }, ['b', 'c'], 2);
    assert.deepEqual(args, { a: 1, b: { c: 2 } });
    assert.equal(valueAt(args, ['b', 'c']), 2);
    assert.deepEqual(withValue(args, ['b', 'c'], undefined), { a: 1 });
    assert.deepEqual(withValue(args, ['x'], undefined), args);
  });

  it('begin JSON with required values and defaults', () => {
    const schema = object(
      {
        text: { type: 'string' },
        kind: { enum: ['a', 'b'] },
        at: object({ x: { type: 'number', minimum: 2 } }, { required: ['x'] }),
        list: { type: 'array', items: { type: 'string' } },
        on: { type: 'boolean' },
        map: { type: 'object', additionalProperties: {} },
        size: { type: 'integer', default: 4 },
        optional: { type: 'string' },
      },
      { required: ['text', 'kind', 'at', 'list', 'on', 'map'] },
    );
    assert.deepEqual(scaffold(schema), { text: '', kind: 'a', at: { x: 2 }, list: [], on: false, map: {}, size: 4 });
  });
});
