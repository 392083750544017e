import assert from 'node:assert/strict';
import { fieldsOf, visibleDefaults } from '../../../../../src/features/elicitation/core/formFields';
import { coerce } from '../../../../../src/features/tools/core/fieldChecks';

const fields = (properties: object, required: string[] = []) => fieldsOf({ type: 'object', properties, required });

describe('the fields of a form', () => {
  it('take kind, title, choices and default from the schema @formFields.take-kind-title', () => {
    const found = fields(
      {
        name: { type: 'string', title: 'Name', minLength: 2 },
        age: { type: 'integer', minimum: 18, default: 30 },
        yes: { type: 'boolean', default: true },
        pet: { type: 'string', enum: ['c', 'd'], enumNames: ['Cat', 'Dog'], default: 'd' },
        hero: { type: 'string', oneOf: [{ const: 'h1', title: 'Superman' }] },
        fish: { type: 'array', items: { anyOf: [{ const: 'f1', title: 'Tuna' }] }, minItems: 1, default: ['f1'] },
      },
      ['name'],
    );
    assert.deepEqual(
      found.map(({ name, step }) => [step.title ?? name, step.kind, step.required]),
      [
        ['Name', 'string', true],
        ['age', 'number', false],
        ['yes', 'boolean', false],
        ['pet', 'choice', false],
        ['hero', 'choice', false],
        ['fish', 'list', false],
      ],
    );
    assert.deepEqual({ ...visibleDefaults(found) }, { age: 30, yes: true, pet: 'd', fish: ['f1'] });
  });

  it('take what frameworks send beyond the specification', () => {
    const text = { type: 'string' };
    const properties = {
      optional: { anyOf: [text, { type: 'null' }], default: null, title: 'Optional' },
      nullable: { type: ['string', 'null'] },
      texts: { anyOf: [{ type: 'array', items: text }, { type: 'null' }] },
      untyped: { enum: ['a', 'b'] },
      numbers: { type: 'number', enum: [1, 2] },
      literals: { anyOf: [{ const: 'a' }, { const: 2 }] },
    };
    const kinds = fieldsOf({ type: 'object', properties }).map(({ step }) => step.kind);
    assert.deepEqual(kinds, ['string', 'string', 'list', 'choice', 'choice', 'choice']);
    assert.deepEqual(fieldsOf({ type: 'object', properties: {} }), []);
  });

  it('drop a default that does not fit', () => {
    const defaults = (properties: object) => ({ ...visibleDefaults(fields(properties)) });
    assert.deepEqual(defaults({ a: { type: 'integer', maximum: 3, default: 9 }, b: { type: 'string' } }), {});
    assert.deepEqual(defaults({ a: { type: 'string', enum: ['x'], default: 'y' } }), {});
  });

  it('drop a default with characters that a person would not see @formFields.drop-default-characters', () => {
    const a = { type: 'string', default: '\u202ehidden' };
    assert.deepEqual({ ...visibleDefaults(fields({ a, b: { type: 'string', default: 'plain' } })) }, { b: 'plain' });
  });

  it('can be fifty, each a separate question, also with odd names', () => {
    const names = ['constructor', '__proto__x', ...Array.from({ length: 48 }, (_, i) => `f${i}`)];
    const found = fields(Object.fromEntries(names.map(name => [name, { type: 'string' }])));
    assert.deepEqual(
      found.map(({ name }) => name),
      names,
    );
  });

  it('detect those that ask for secrets @formFields.detect-ask-secrets', () => {
    const found = fields({
      password: { type: 'string' },
      apiKey: { type: 'string' },
      t: { type: 'string', title: 'Access token' },
      tokenUrl: { type: 'string' },
      name: { type: 'string' },
    });
    assert.deepEqual(
      found.map(({ isSecret }) => isSecret),
      [true, true, true, false, false],
    );
  });

  it('check formats, bounds and real dates @formFields.check-formats-bounds', () => {
    const [email, uri, date, time, number] = fields({
      email: { type: 'string', format: 'email' },
      uri: { type: 'string', format: 'uri' },
      date: { type: 'string', format: 'date' },
      time: { type: 'string', format: 'date-time' },
      number: { type: 'number', minimum: 0, maximum: 1 },
    });
    const problem = (field: typeof email, text: string) => 'problem' in coerce(field!.step, text);
    for (const [field, good, ...bad] of [
      [email, 'a@b.c', 'a', 'a b@c'],
      [uri, 'https://x.y/z', 'x', '/a'],
      [date, '2026-02-28', '2026-02-30', '2026-13-01', '1.2.2026'],
      [time, '2026-01-31T08:00:00Z', '2026-01-31', 'now'],
      [number, '0.5', '2', '-1', 'x'],
    ] as const) {
      assert.equal(problem(field, good), false, good);
      for (const text of bad) assert.equal(problem(field, text), true, text);
    }
  });
});
