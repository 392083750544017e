import assert from 'node:assert/strict';
import { type SpecTypeName, type StandardSchemaV1, specTypeSchemas } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { lenient } from '../../../src/host/sdk/lenient';
import { announce, holds, isNight } from './fuzz';
import { type Example, examplesOf, withPart } from './specExamples';

/** All that servers send to this client with optional parts. */
const TYPES = [
  'CallToolResult',
  'CompleteResult',
  'CreateMessageRequest',
  'DiscoverResult',
  'ElicitRequest',
  'GetPromptResult',
  'GetTaskResult',
  'InitializeResult',
  'ListRootsRequest',
  'Prompt',
  'ReadResourceResult',
  'Resource',
  'ResourceTemplate',
  'Tool',
] as const satisfies readonly SpecTypeName[];

const ODD: readonly unknown[] = [null, 5, -1, true, '', 'odd', '2025-01-01T00:00:00', [], [5], [{}], {}, { a: 1 }];

interface Subject extends Example {
  readonly type: (typeof TYPES)[number];
}

const subjects: readonly Subject[] = TYPES.flatMap(type =>
  examplesOf(specTypeSchemas[type]).map(example => ({ ...example, type })),
);

const schemaOf = ({ type }: Subject) => specTypeSchemas[type] as StandardSchemaV1;

function accepted(subject: Subject, value: unknown): unknown {
  const result = schemaOf(subject)['~standard'].validate(value) as StandardSchemaV1.Result<unknown>;
  if (result.issues) assert.fail(`${subject.type}: ${JSON.stringify(result.issues)}`);
  return result.value;
}

/** Odd optional parts that take the whole down if nothing is done about it. By day, a fifth of them. */
const refused = subjects
  .flatMap(subject => subject.optional.flatMap(path => ODD.map(part => ({ subject, path, part }))))
  .filter((_, n) => isNight || n % 5 === 0)
  .filter(({ subject, path, part }) => {
    const result = schemaOf(subject)['~standard'].validate(withPart(subject.value, path, part));
    return (result as StandardSchemaV1.Result<unknown>).issues;
  });

describe('fuzz: odd optional parts', () => {
  before(announce);

  it('are looked for in all results and requests of servers', () => {
    for (const subject of subjects) accepted(subject, subject.value);
    for (const type of TYPES)
      assert.ok(
        subjects.some(one => one.type === type && one.optional.length > 0),
        type,
      );
  });

  it('are left out alone, one by one, whatever they are', () => {
    assert.ok(refused.length > 1_000, `only ${refused.length}`);
    for (const { subject, path, part } of refused) {
      const where = `${subject.type} ${path.join('.')} ${JSON.stringify(part)}`;
      const read = lenient(schemaOf(subject), withPart(subject.value, path, part)) ?? assert.fail(where);
      const bare = (value: unknown) => withPart(value, path, undefined);
      assert.deepEqual(bare(read.value), bare(accepted(subject, bare(subject.value))), where);
      accepted(subject, read.raw);
      assert.equal(read.leftOut.length, 1, where);
    }
  });

  holds(
    'are left out together, and the content survives',
    'leniency',
    fc.constantFrom(...subjects).chain(({ value }) =>
      fc.array(fc.constantFrom(...refused.filter(({ subject }) => subject.value === value)), {
        minLength: 1,
        maxLength: 12,
      }),
    ),
    oddities => {
      const { subject } = oddities[0]!;
      const value = oddities.reduce((value, { path, part }) => withPart(value, path, part), subject.value);
      const read = lenient(schemaOf(subject), value) ?? assert.fail(subject.type);
      const bare = (whole: unknown) => oddities.reduce((value, { path }) => withPart(value, path, undefined), whole);
      assert.deepEqual(bare(read.value), bare(accepted(subject, bare(subject.value))));
    },
  );
});
