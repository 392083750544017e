import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { chequeredPng } from '../content/png';
import type { Json, JsonObject, Message } from '../raw/messages';
import { isObject, RpcError } from '../raw/messages';
import { type RawTool, text } from '../raw/offer';
import type { RawSession } from '../raw/session';
import { type Flag, plain, withNumber, withText } from './flag';

/** Sends progress on a call that asked for it. */
function report(message: Message, session: RawSession, progress: JsonObject): void {
  const meta = message.params?._meta;
  const progressToken: Json | undefined = isObject(meta) ? meta.progressToken : undefined;
  if (progressToken === undefined) return;
  session.notify('notifications/progress', { progressToken, ...progress }, message.id ?? undefined);
}

/** What a well-meaning client is to survive: back, the same again, absurd totals, a huge message, then a last good one. */
const absurdProgress: JsonObject[] = [
  { progress: 5, total: 10, message: 'five' },
  { progress: 3, total: 10, message: 'back' },
  { progress: 5, total: 10, message: 'the same' },
  { progress: -1e308, message: 'far back' },
  { progress: 6, total: 2, message: 'm'.repeat(100_000) },
  { progress: 7, total: -1, message: 'seven' },
];

const numberSchema: JsonObject = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
const odd = (name: string, outputSchema: JsonObject | undefined, result: JsonObject): RawTool => ({
  definition: { name, inputSchema: { type: 'object' }, ...(outputSchema && { outputSchema }) },
  call: () => ({ content: [{ type: 'text', text: `${name} has done it` }], ...result }),
});

/** A picture of more than 256 characters of base64. */
const picture = chequeredPng(160).toString('base64');

/** Tools that do what they are asked, with results that a careless client would withhold, or give to everybody. */
const oddResults: RawTool[] = [
  odd('mismatched', numberSchema, { structuredContent: { a: 'no number' } }),
  odd('unstructured', numberSchema, {}),
  odd('elsewhere', { $ref: 'https://example.com/schema.json' }, { structuredContent: { a: 1 } }),
  odd(
    'old-dialect',
    { ...numberSchema, $schema: 'http://json-schema.org/draft-03/schema#' },
    { structuredContent: { a: 1 } },
  ),
  odd('unknown-content', undefined, {
    content: [
      { type: 'hologram', beams: 7 },
      { type: 'text', text: 'beside it' },
    ],
  }),
  // The editor would ask for the task again and again, without a pause.
  odd('more-members', undefined, { task: { taskId: 'none', status: 'working', pollInterval: 0 }, further: 1 }),
  odd('for-person', undefined, {
    content: [
      { type: 'text', text: 'for the person alone', annotations: { audience: ['user'], priority: 0.9 } },
      { type: 'text', text: 'for the model', annotations: { audience: ['assistant'] } },
    ],
  }),
  // As FastMCP does it by itself.
  odd('repeated-picture', undefined, {
    content: [{ type: 'image', mimeType: 'image/png', data: picture }],
    structuredContent: { result: picture },
  }),
  odd('picture-as-text', undefined, {
    content: [{ type: 'text', text: `{"url":"data:image/png;base64,${picture}"}` }],
    structuredContent: {
      url: `data:image/png;base64,${picture}`,
      log: Buffer.from('a line\n'.repeat(600)).toString('base64'),
    },
  }),
  odd('failing-with-picture', undefined, {
    isError: true,
    content: [{ type: 'text', text: `The page looks so: ${picture}` }],
  }),
  odd('linked', undefined, {
    content: [
      { type: 'resource_link', uri: 'hostile://notes/readme.md', name: 'readme', title: 'The notes' },
      { type: 'resource_link', uri: 'hostile://items/7', name: 'item' },
    ],
  }),
];

const failingWithBytes: RawTool = {
  definition: { name: 'fails-with-bytes', inputSchema: { type: 'object' } },
  call: () => {
    throw new RpcError(-32_050, `It looks so: ${picture}`, { page: picture });
  },
};

const properties = (of: Record<string, JsonObject>, required: string[] = []): JsonObject => ({
  type: 'object',
  properties: of,
  required,
});
const answering = (name: string, inputSchema: JsonObject, call: (args: JsonObject) => JsonObject): RawTool => ({
  definition: { name, inputSchema },
  call,
});
const silence = Buffer.from(
  `RIFF$\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\0\0\0\0`,
  'latin1',
);

/** Tools whose arguments and results put the page of a tool to the test. */
const pageTools: RawTool[] = [
  answering('draw_table', properties({}), () => ({
    content: [],
    structuredContent: {
      rows: [
        { city: 'Paris', people: 2_102_650, note: '<b>no markup</b>' },
        { city: 'Rome', people: 2_754_719, note: '' },
      ],
    },
  })),
  answering('draw_rows', properties({}), () => ({
    content: [],
    structuredContent: { rows: Array.from({ length: 201 }, (_, row) => ({ row })) },
  })),
  answering('draw_long', properties({}), () =>
    text(Array.from({ length: 20_000 }, (_, i) => `line ${i + 1}`).join('\n')),
  ),
  answering('draw_sound', properties({}), () => ({
    content: [
      { type: 'audio', mimeType: 'audio/wav', data: silence.toString('base64') },
      { type: 'image', mimeType: 'image/png', data: Buffer.from('no picture').toString('base64') },
      { type: 'resource_link', uri: 'https://example.com/docs', name: 'Docs' },
    ] satisfies JsonObject[] as JsonObject[],
  })),
  answering(
    'ask_many',
    properties(Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`value ${i + 1}`, { type: 'string' }])), [
      'value 7',
    ]),
    args => text(JSON.stringify(args)),
  ),
  answering(
    'ask_moments',
    properties({
      day: { type: 'string', format: 'date' },
      at: { type: 'string', format: 'date-time', title: 'At', description: 'When it begins' },
      clock: { type: 'string', format: 'time' },
    }),
    args => text(JSON.stringify(args)),
  ),
  answering(
    'ask_kinds',
    properties(
      {
        // As zod and pydantic write them.
        headers: {
          ...{ type: 'object', description: 'Sent with each request' },
          ...{ propertyNames: { type: 'string' }, additionalProperties: { type: 'string' } },
        },
        price: {
          anyOf: [{ type: 'number' }, { type: 'string', pattern: '^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$' }],
          title: 'Price',
        },
        limits: { type: 'object', additionalProperties: { type: ['string', 'integer', 'null'] } },
        owner: { type: ['string', 'null'], description: 'Nobody, if it is null' },
        sort: { anyOf: [{ type: 'string', enum: ['name', 'date'] }, { type: 'null' }] },
        since: { type: 'string', pattern: '^(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?$' },
        address: { type: 'string', format: 'ipv6', pattern: '^(([0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}|::1)$' },
        rules: {
          type: 'array',
          items: {
            anyOf: [properties({ path: { type: 'string' }, deny: { type: 'boolean' } }, ['path']), { type: 'string' }],
          },
        },
        code: { type: 'string', pattern: '^(?:[A-Z]{3}-)?(?:[0-9]{4}|[0-9]{6}|[A-F0-9]{12})(?:-(?:old|new))?$' },
      },
      ['headers', 'price'],
    ),
    args => text(JSON.stringify(args)),
  ),
  answering('draw_wide', properties({}), () => ({
    content: [],
    structuredContent: {
      rows: [1, 2, 3].map(id => ({
        id,
        name: `deployment-${id}`,
        image: 'registry.example.com/team/service:2026-01-31-0123456789abcdef',
        status: 'The last rollout waits for two of five pods, which have not become ready within ten minutes. '.repeat(
          id,
        ),
        owner: 'platform',
        created: '2026-01-31T08:30:00Z',
      })),
    },
  })),
  answering(
    'ask_endless',
    {
      ...properties({ node: { $ref: '#/$defs/node' } }),
      $defs: { node: properties({ name: { type: 'string' }, next: { $ref: '#/$defs/node' } }) },
    },
    args => text(JSON.stringify(args)),
  ),
];

/** Faults of tool calls while they run: their progress, their end, what comes after it. */
export const callFlags: Readonly<Record<string, Flag>> = {
  'absurd-progress': plain('report progress that goes backwards and other nonsense at each call', ({ incoming }) => {
    incoming.push((message, session) => {
      if (message.method === 'tools/call') for (const progress of absurdProgress) report(message, session, progress);
      return undefined;
    });
  }),
  'progress-burst': withNumber('n', 'report progress n times at once at each call', ({ incoming }, n) => {
    incoming.push((message, session) => {
      if (message.method !== 'tools/call') return undefined;
      for (let i = 1; i <= n; i++) report(message, session, { progress: i, total: n });
      return undefined;
    });
  }),
  'page-tools': plain(
    'offer tools with much to ask and to show, and one that is gone after its call',
    ({ offer, incoming }) => {
      offer.tools.push(
        ...pageTools,
        answering('call_once', properties({}), () => text('the only time')),
      );
      incoming.push((message, session) => {
        if (message.method !== 'tools/call' || message.params?.name !== 'call_once') return undefined;
        setImmediate(() => {
          offer.tools = offer.tools.filter(({ definition }) => definition.name !== 'call_once');
          session.notify('notifications/tools/list_changed', {});
        });
        return undefined;
      });
    },
  ),
  'odd-results': plain('offer tools whose results are right in some parts, or not for everybody', ({ offer }) => {
    offer.tools.push(...oddResults, failingWithBytes);
  }),
  'flood-tool': plain('offer a tool "flood": `count` log messages, every `every`th an error', ({ offer }) => {
    offer.tools.push({
      definition: {
        name: 'flood',
        inputSchema: { type: 'object', properties: { count: { type: 'integer' }, every: { type: 'integer' } } },
      },
      call: ({ count, every }, call) => {
        for (let i = 1; i <= Number(count); i++) {
          const isError = i % Number(every) === 0;
          call.log(isError ? 'error' : 'info', 'flood', `${isError ? 'fault' : 'message'} ${i} of a flood of messages`);
        }
        return text('done');
      },
    });
  }),
  'log-beat': withNumber(
    'ms',
    'log something every so many milliseconds: a detail, a word, a warning',
    ({ incoming }, ms) => {
      incoming.push((message, session) => {
        if (message.method !== 'notifications/initialized') return undefined;
        let beat = 0;
        setInterval(() => {
          beat++;
          session.log('debug', 'cache', `looked up key ${beat}`);
          session.log('info', 'http', `\u001b[32m200\u001b[0m request ${beat} answered`);
          const sql = 'select * from orders where total > 100 and customer in (select id from customers)';
          if (beat % 3 === 0) session.log('warning', 'db', { message: 'slow query', sql, tookMs: 1_200 + beat });
        }, ms).unref();
        return undefined;
      });
    },
  ),
  'stream-tool': plain(
    'offer a tool "streams" that sends its content as fastmcp does, and ends when `together` calls run; `echo` sends more',
    ({ offer, incoming }) => {
      const name = 'streams';
      offer.tools.push(answering(name, properties({ together: { type: 'integer' } }), () => ({ content: [] })));
      const running: Message[] = [];
      incoming.push((message, session) => {
        if (message.method !== 'tools/call') return undefined;
        const stream = (said: string) =>
          session.notify('notifications/tool/streamContent', { toolName: name, ...text(said) });
        if (message.params?.name === 'echo') stream('late');
        if (message.params?.name !== name) return undefined;
        const { together = 1, fails } = message.params.arguments as JsonObject;
        running.push(message);
        if (running.length < Number(together)) return 'handled';
        for (const part of ['one', 'two']) stream(part);
        for (const { id } of running.splice(0))
          session.send(
            fails
              ? { jsonrpc: '2.0', id: id!, error: { code: -32603, message: 'broken' } }
              : { jsonrpc: '2.0', id: id!, result: { content: [] } },
          );
        return 'handled';
      });
    },
  ),
  'late-answers': plain('answer calls only when they are cancelled', ({ incoming }) => {
    incoming.push((message, session) => {
      if (message.method === 'tools/call') return 'handled';
      if (message.method !== 'notifications/cancelled') return undefined;
      const id = message.params?.requestId as number;
      session.log('info', 'cancelled', message.params ?? null);
      session.send({ jsonrpc: '2.0', id, result: text('late') }, id, true);
      return 'handled';
    });
  }),
  'die-at-first-call': withText(
    'file',
    'exit at the first call ever; the file says that it was made',
    (behaviour, file) => {
      behaviour.incoming.push(message => {
        if (message.method !== 'tools/call' || existsSync(file)) return undefined;
        writeFileSync(file, '');
        process.exit(1);
      });
    },
  ),
  'block-tool': plain('offer a tool "block" that holds up the whole server for `ms`', ({ offer }) => {
    offer.tools.push({
      definition: { name: 'block', inputSchema: { type: 'object', properties: { ms: { type: 'integer' } } } },
      call({ ms }) {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(ms));
        return text('done');
      },
    });
  }),
  crowd: withNumber(
    'ms',
    'offer a tool "crowd" that takes so long and tells how many of it ran at once',
    (behaviour, ms) => {
      let running = 0;
      behaviour.offer.tools.push({
        definition: { name: 'crowd', inputSchema: { type: 'object' } },
        async call() {
          const crowd = ++running;
          await delay(ms);
          running--;
          return text(String(crowd));
        },
      });
    },
  ),
};
