import assert from 'node:assert/strict';
import { type SpecTypeName, type StandardSchemaV1, specTypeSchemas } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { carriedIn, type Note } from '../../../src/host/reading/carried';
import { readDiscovered, readInitialized } from '../../../src/host/reading/handshake';
import { readItem } from '../../../src/host/reading/listItems';
import { questionStandIn } from '../../../src/host/reading/peerQuestions';
import { readCompletion, readContents, readPrompt, readToolResult } from '../../../src/host/reading/results';
import { announce, holds, isNight } from './fuzz';
import { type Example, examplesOf, withPart } from './specExamples';

type Read = (value: never, note: Note) => unknown;

const question =
  (method: string): Read =>
  ({ params, ...others }: Record<string, unknown>, note: Note) => ({
    ...others,
    params: carriedIn(questionStandIn(method, params, note)),
  });

/** All that servers send to this client with optional parts, and how it is read. */
const READERS = {
  CallToolResult: readToolResult,
  CompleteResult: readCompletion,
  CreateMessageRequest: question('sampling/createMessage'),
  DiscoverResult: readDiscovered,
  ElicitRequest: question('elicitation/create'),
  GetPromptResult: readPrompt,
  InitializeResult: readInitialized,
  Prompt: (value, note) => readItem('prompts', value, note),
  ReadResourceResult: (value, note) => readContents(value, note, undefined),
  Resource: (value, note) => readItem('resources', value, note),
  ResourceTemplate: (value, note) => readItem('resourceTemplates', value, note),
} as const satisfies Partial<Record<SpecTypeName, Read>>;
type ReadType = keyof typeof READERS;
const TYPES = Object.keys(READERS) as ReadType[];

const ODD: readonly unknown[] = [null, 5, -1, true, '', 'odd', '2025-01-01T00:00:00', [], [5], [{}], {}, { a: 1 }];

interface Subject extends Example {
  readonly type: ReadType;
}

const subjects: readonly Subject[] = TYPES.flatMap(type =>
  examplesOf(specTypeSchemas[type]).map(example => ({ ...example, type })),
);

const issuesOf = ({ type }: Subject, value: unknown) =>
  ((specTypeSchemas[type] as StandardSchemaV1)['~standard'].validate(value) as StandardSchemaV1.Result<unknown>).issues;

const read = ({ type }: Subject, value: unknown, note: Note = () => {}): unknown => READERS[type](value as never, note);

/** Odd optional parts that take the whole down if nothing is done about it. By day, a fifth of them. */
const refused = subjects
  .flatMap(subject => subject.optional.flatMap(path => ODD.map(part => ({ subject, path, part }))))
  .filter((_, n) => isNight || n % 5 === 0)
  .filter(({ subject, path, part }) => issuesOf(subject, withPart(subject.value, path, part)));

describe('fuzz: odd optional parts', () => {
  before(announce);

  it('are looked for in all results and requests of servers', () => {
    for (const subject of subjects) assert.equal(issuesOf(subject, subject.value), undefined, subject.type);
    for (const type of TYPES)
      assert.ok(
        subjects.some(one => one.type === type && one.optional.length > 0),
        type,
      );
  });

  it('leave a whole that the specification allows, whatever they are', () => {
    assert.ok(refused.length > 500, `only ${refused.length}`);
    const failures = new Set<string>();
    for (const { subject, path, part } of refused) {
      const notes: unknown[] = [];
      const made = read(subject, withPart(subject.value, path, part), (...note) => notes.push(note));
      const where = `${subject.type} ${path.join('.')} ${JSON.stringify(part)}`;
      // A prompt with other arguments is another one.
      if (typeof made === 'string' && path[0] === 'arguments') continue;
      // Forms are read by their own code.
      if (path.includes('requestedSchema')) continue;
      if (issuesOf(subject, made)) failures.add(`${where} is not as it should be`);
      if (part !== null && notes.length === 0) failures.add(`${where} is not noted`);
    }
    assert.deepEqual([...failures], []);
  });

  holds(
    'leave a whole that the specification allows together',
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
      const made = read(subject, value);
      if (typeof made !== 'string' && !oddities.some(({ path }) => path.includes('requestedSchema')))
        assert.equal(issuesOf(subject, made), undefined);
    },
  );
});
