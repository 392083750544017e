import * as z from 'zod';
import { MAX_TIMER_MS } from '../../../base/numberText';
import { LOG_LEVELS } from '../../../host/settings';

const MAX_TESTS = 1_000;
const MAX_STEPS = 200;

const milliseconds = (description: string) => z.int().min(1).max(MAX_TIMER_MS).describe(description);
const filled = (description: string) => z.string().min(1).describe(description);
const anything = (description: string) => z.unknown().describe(description);

/** What is found at a path of a value. */
export const part = z.strictObject({
  path: filled('JSONPath (RFC 9535) into the result, for example "$.structuredContent.total".'),
  equals: anything('One value is found there, and it is this.').optional(),
  contains: anything('A value that is found there has this: a text, members of an object, items of a list.').optional(),
  schema: z
    .record(z.string(), z.unknown())
    .describe('Every value that is found there fits this JSON schema.')
    .optional(),
  count: z.int().min(0).describe('So many values are found there. Default: at least one.').optional(),
});

/** Describes a request of the server: see `fitsRequest`. */
const REQUEST =
  'A string: a part of its text. An object: members that its parameters have; of "message", a part is enough.';

export const expectation = z.strictObject({
  equals: anything('The whole result is this.').optional(),
  contains: anything(
    'A string: the text of the result contains it. Anything else: the result has at least these members and items.',
  ).optional(),
  structuredContent: anything('The structured content of the result has at least these members and items.').optional(),
  matches: z.array(part).describe('What parts of the result are.').optional(),
  schema: z.record(z.string(), z.unknown()).describe('The result fits this JSON schema.').optional(),
  isError: z.boolean().describe('Whether the tool reports an error in its result. Default: false.').optional(),
  error: z
    .union([
      z.literal(true),
      z.int(),
      z.string().min(1),
      z.strictObject({
        code: z.union([z.int(), z.string().min(1)]).optional(),
        contains: z.string().min(1).optional(),
      }),
    ])
    .describe(
      'The request fails: with any error (true), with this JSON-RPC code, or with this error of the host, such as "TIMEOUT".',
    )
    .optional(),
  maxMs: milliseconds('The answer takes at most so many milliseconds.').optional(),
  notifications: z
    .array(
      z.strictObject({
        method: filled('Method of the notification.'),
        params: anything('Members that its "params" have.').optional(),
      }),
    )
    .describe('Notifications that the server sends from the beginning of the step on.')
    .optional(),
  logs: z
    .array(
      z.strictObject({
        contains: filled('A part of the line.'),
        level: z.enum(LOG_LEVELS).describe('Its level.').optional(),
      }),
    )
    .describe('Lines that the server logs, or writes to stderr, from the beginning of the step on.')
    .optional(),
  asked: z
    .array(
      z.union([
        z.enum(['sampling', 'elicitation']).describe('Any request of this kind.'),
        z.strictObject({ sampling: anything(REQUEST) }),
        z.strictObject({ elicitation: anything(REQUEST) }),
      ]),
    )
    .describe('What the server asks the client during the step.')
    .optional(),
});

const common = {
  name: filled('What the step is called in reports.').optional(),
  expect: expectation.describe('What is expected. Default: a result that is no error.').optional(),
  timeoutMs: milliseconds('Limit for this step, in milliseconds. Default: that of the file.').optional(),
};
const promptArguments = z.record(z.string(), z.string());

/** What a step does, by the key that says so. */
export const STEPS = {
  call: z.strictObject({
    call: filled('Name of the tool to call.'),
    arguments: z.record(z.string(), z.unknown()).describe('Arguments of the call.').optional(),
    ...common,
  }),
  read: z.strictObject({ read: filled('URI of the resource to read.'), ...common }),
  get: z.strictObject({
    get: filled('Name of the prompt to get.'),
    arguments: promptArguments.describe('Arguments of the prompt.').optional(),
    ...common,
  }),
  complete: z.strictObject({
    complete: z
      .strictObject({
        prompt: filled('Name of the prompt that has the argument.').optional(),
        resource: filled('URI template that has the variable.').optional(),
        argument: filled('Name of the argument or variable.'),
        value: z.string().describe('What has been typed of it. Default: nothing.').optional(),
        arguments: promptArguments.describe('Arguments that have been given already.').optional(),
      })
      .describe('Asks for suggestions.'),
    ...common,
  }),
  list: z.strictObject({
    list: z.enum(['tools', 'prompts', 'resources', 'resourceTemplates']).describe('What to list.'),
    ...common,
  }),
  subscribe: z.strictObject({ subscribe: filled('URI of the resource to follow until the test ends.'), ...common }),
  snapshot: z.strictObject({
    snapshot: z
      .string()
      .regex(/^[^/\\]+\.snapshot\.json$/)
      .describe(
        'Name of a file beside this one, such as "mcp.snapshot.json", that has what the server offered before.',
      ),
    allow: z
      .enum(['added', 'wording', 'nothing'])
      .describe('Changes that pass: all that break no caller ("added"), texts only, or none. Default: "added".')
      .optional(),
    ...common,
  }),
} as const;

export type StepKind = keyof typeof STEPS;
export type Expectation = z.output<typeof expectation>;
export type TestStep = { [K in StepKind]: z.output<(typeof STEPS)[K]> }[StepKind];

const answers = z
  .strictObject({
    sampling: z
      .array(
        z.strictObject({
          when: anything(`${REQUEST} Default: any request.`).optional(),
          text: z.string().describe('The answer of the model.').optional(),
          result: z.record(z.string(), z.unknown()).describe('The whole result, in place of a text.').optional(),
          refuse: z.literal(true).describe('The person refuses.').optional(),
        }),
      )
      .describe('Answers to sampling requests. The first that fits is given.')
      .optional(),
    elicitation: z
      .array(
        z.strictObject({
          when: anything(`${REQUEST} Default: any request.`).optional(),
          action: z.enum(['accept', 'decline', 'cancel']).describe('What the person does. Default: accept.').optional(),
          content: z
            .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))
            .describe('What the person enters.')
            .optional(),
        }),
      )
      .describe('Answers to elicitation requests. The first that fits is given.')
      .optional(),
  })
  .describe('What the client answers when the server asks. It declares sampling and elicitation if there are answers.');

export type TestAnswers = z.output<typeof answers>;

const protocol = z
  .enum(['legacy', 'modern', 'both'])
  .describe(
    'The era of the protocol that the server has to speak: "legacy" (to 2025-11-25), "modern" (from 2026-07-28), or "both", each in a test of its own. Default: whichever it speaks.',
  );

/** A test; its steps are checked one by one (`readTestFile`), because what is wrong with a step depends on what it does. */
const test = z.strictObject({
  name: filled('Name of the test, unique in the file.'),
  answers: answers.optional(),
  protocol: protocol.optional(),
  steps: z.array(z.unknown()).min(1).max(MAX_STEPS).describe('What is done, in this order, up to the first failure.'),
});

/** The file; its `server` is checked as an entry of the settings is. */
export const testFile = z.strictObject({
  $schema: z.string().optional(),
  server: z.union([z.string().min(1), z.record(z.string(), z.unknown())]),
  emptyFolder: z
    .boolean()
    .describe('Whether each test runs the server in an empty folder of its own, which is deleted afterwards.')
    .optional(),
  roots: z.array(z.string().min(1)).describe('Folders that the server can ask for, relative to this file.').optional(),
  timeoutMs: milliseconds('Limit for each step, in milliseconds. Default: 30000.').optional(),
  answers: answers.optional(),
  protocol: protocol.optional(),
  tests: z.array(test).min(1).max(MAX_TESTS).describe('Each test gets a server process of its own.'),
});

/** The JSON schema of test files, for completion, hovers and squiggles. */
export function testFileJsonSchema(): object {
  const steps = z
    .array(z.union(Object.values(STEPS)))
    .min(1)
    .max(MAX_STEPS);
  const server = {
    description:
      'The server to test: the name of one in settings, or an entry as there. Paths are relative to this file.',
    anyOf: [
      { type: 'string' },
      {
        type: 'object',
        properties: {
          command: { type: 'string', description: 'Program to run.' },
          args: { type: 'array', items: { type: 'string' }, description: 'Arguments for the program.' },
          env: { type: 'object', description: 'Environment variables.' },
          cwd: { type: 'string', description: 'Folder to run the program in. Default: that of this file.' },
          url: { type: 'string', description: 'Address of a server that runs already.' },
          headers: { type: 'object', description: 'HTTP headers.' },
          timeouts: { type: 'object', description: 'Time limits, in milliseconds: startMs, requestMs, toolCallMs.' },
        },
        anyOf: [{ required: ['command'] }, { required: ['url'] }],
      },
    ],
  };
  const whole = z.toJSONSchema(
    testFile.extend({ tests: z.array(test.extend({ steps: steps.describe(test.shape.steps.description ?? '') })) }),
    { io: 'input', reused: 'ref' },
  ) as { properties: Record<string, object> };
  return { ...whole, title: 'Tests of an MCP server', properties: { ...whole.properties, server } };
}
