import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import type { ElicitRequest, ElicitResult, TextContent } from '@modelcontextprotocol/client';
import { CallTime, type ServerConnection } from '../../../../src/host';
import type { ElicitationPort } from '../../../../src/host/definition';
import { type HttpFixture, startHttpFixture, waitFor } from '../../../servers/spawn';
import { remove, temporaryFolder } from '../../../setup/paths';
import { raw } from '../../../setup/raw';
import { hostile, TestHost } from '../testHost';

type Params = ElicitRequest['params'];

const form = (properties: object) => ({ message: 'Who?', requestedSchema: { type: 'object', properties } });
const nameForm = form({ name: { type: 'string', pattern: '^(a+)+$' } });

/** A person who answers as told, and what they were asked. */
class Person implements ElicitationPort {
  readonly asked: Params[] = [];
  readonly signals: AbortSignal[] = [];
  readonly visited: string[] = [];
  readonly done: string[] = [];
  answer: () => Promise<ElicitResult> = async () => ({ action: 'accept', content: { name: 'Ada' } });
  wantsAgain = true;

  capability = () => ({ form: {}, url: {} });
  elicit: ElicitationPort['elicit'] = (_server, params, signal) => {
    this.asked.push(params);
    this.signals.push(signal);
    return this.answer();
  };
  visit: ElicitationPort['visit'] = async (_server, urls) => {
    this.visited.push(...urls.map(({ url }) => url));
    return this.wantsAgain;
  };
  completed: ElicitationPort['completed'] = (_server, id) => void this.done.push(id);
}

async function ask(server: ServerConnection, args: Record<string, unknown>): Promise<unknown> {
  const tool = server.catalog.tools.find(({ name }) => name === 'ask');
  assert.ok(tool);
  const { content } = await raw(server).callTool(tool, args);
  return JSON.parse((content[0] as TextContent).text);
}

for (const era of ['legacy', 'modern'] as const) {
  describe(`elicitation in the ${era} era`, () => {
    let host: TestHost;
    let person: Person;
    let server: ServerConnection;
    let http: HttpFixture | undefined;
    before(async () => {
      if (era === 'modern') http = await startHttpFixture();
    });
    after(() => http?.stop());
    beforeEach(async () => {
      person = new Person();
      host = new TestHost({ elicitation: person });
      host.configure({ asker: http ? { type: 'http', url: http.url('/modern') } : hostile('--elicit') });
      server = await host.loads('asker');
      assert.equal(server.info?.era, era);
    });
    afterEach(() => host.close());

    it('does not count the time that a person takes as that of the server', async () => {
      const dayMs = 86_400_000;
      let thoughtMs = 0;
      const now = performance.now.bind(performance);
      const clock = mock.method(performance, 'now', () => now() + thoughtMs);
      // A day passes while they answer.
      person.answer = async () => {
        thoughtMs = dayMs;
        return { action: 'accept', content: { name: 'Ada' } };
      };
      const tool = server.catalog.tools.find(({ name }) => name === 'ask')!;
      const time = new CallTime();
      try {
        await raw(server).callTool(tool, { params: nameForm }, { time });
      } finally {
        clock.mock.restore();
      }
      const took = time.ofServer ?? Number.NaN;
      assert.ok(took >= 0 && took < dayMs, `${took} ms`);
      assert.deepEqual(server.vitals.calls.last(1), [took]);
      assert.equal(server.vitals.tools.get('ask')?.totalMs, took);
    });

    it('shows a form to the person, and returns the answer @elicitation.shows-form-person', async () => {
      const answer = (await ask(server, { params: nameForm })) as ElicitResult;
      assert.equal(answer.action, 'accept');
      assert.deepEqual(answer.content, { name: 'Ada' });
      assert.equal(person.asked[0]?.message, 'Who?');
      assert.ok(!JSON.stringify(person.asked).includes('pattern'), 'no expression of a server comes to be run');
    });

    it('knows what was typed into a field for a secret from then on', async () => {
      const content = { password: 'correct-horse-9911', name: 'Ada Lovelace', second: 'another-horse-12' };
      person.answer = async () => ({ action: 'accept', content });
      const text = { type: 'string' };
      await ask(server, { params: form({ password: text, name: text, second: { ...text, title: 'API key' } }) });
      assert.equal(server.redact(Object.values(content).join(', ')), '•••, Ada Lovelace, •••');
    });

    it('shows forms of frameworks as they are, and returns the answers', async () => {
      const properties = {
        optional: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null, title: 'Optional' },
        texts: { type: 'array', items: { type: 'string' } },
        untyped: { enum: ['a', 'b'] },
        number: { type: 'number', enum: [1, 2] },
      };
      const content = { texts: ['x', 'y'], untyped: 'a', number: 2 };
      person.answer = async () => ({ action: 'accept', content });
      for (const params of [form(properties), form({})]) {
        const answer = (await ask(server, { params })) as ElicitResult;
        assert.equal(answer.action, 'accept');
        assert.deepEqual(answer.content, content);
        const asked = person.asked.at(-1) as { requestedSchema?: unknown; _meta?: unknown };
        assert.deepEqual(asked.requestedSchema, params.requestedSchema);
        assert.ok(!JSON.stringify(asked).includes('mcp-host/'));
      }
    });

    it('distinguishes declining from cancelling @elicitation.distinguishes-declining', async () => {
      for (const action of ['decline', 'cancel'] as const) {
        person.answer = async () => ({ action });
        assert.equal(((await ask(server, { params: nameForm })) as ElicitResult).action, action);
      }
    });

    it('shows a page to the person @elicitation.shows-page-person', async () => {
      person.answer = async () => ({ action: 'accept' });
      const params = { mode: 'url', url: 'https://example.com/x', message: 'Sign in', elicitationId: 'e1' };
      const answer = (await ask(server, { params })) as ElicitResult;
      assert.equal(answer.action, 'accept');
      const [asked] = person.asked;
      assert.ok(asked?.mode === 'url' && asked.url === 'https://example.com/x');
    });

    it('refuses an invalid form, with a reason and a log line', async () => {
      const fields = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`f${i}`, { type: 'string' }]));
      const nested = form({ a: { type: 'object', properties: {} } });
      for (const [params, reason] of [
        [form(fields), /500 fields/],
        [nested, /a.{1,2} is an object/],
      ] as const) {
        const said = await ask(server, { params }).then(
          answer => JSON.stringify(answer),
          (error: Error) => error.message,
        );
        assert.match(said, reason);
        assert.ok(host.logged(reason));
      }
      assert.deepEqual(person.asked, []);
    });

    it('knows how long a server has been waiting for an answer', async () => {
      assert.equal(server.latestRequestAt, undefined);
      let during: number | undefined;
      person.answer = async () => {
        during = server.latestRequestAt;
        return { action: 'cancel' };
      };
      await ask(server, { params: nameForm });
      assert.ok(during !== undefined && Date.now() - during < 60_000);
      assert.equal(server.latestRequestAt, undefined);
    });
  });
}

describe('elicitation', () => {
  let host: TestHost;
  let person: Person;
  beforeEach(() => {
    person = new Person();
    host = new TestHost({ elicitation: person });
  });
  afterEach(() => host.close());

  const legacy = async (more: object = {}) => {
    host.configure({ asker: { ...hostile('--elicit'), ...more } });
    return host.loads('asker');
  };

  it('pauses the time limit of the call', async () => {
    const server = await legacy();
    person.answer = () =>
      new Promise(resolve => setTimeout(resolve, 5_500, { action: 'accept', content: { name: 'slow' } }));
    const answer = await host.withLimits('asker', { toolCallMs: 5_000 }, () => ask(server, { params: nameForm }));
    assert.deepEqual((answer as ElicitResult).content, { name: 'slow' });
  });

  it('resumes the time limit after the person answered', async () => {
    const server = await legacy();
    person.answer = () => new Promise(resolve => setTimeout(resolve, 5_500, { action: 'cancel' }));
    const call = { params: nameForm, times: 1, cancelAfterMs: 60_000 };
    const answer = await host.withLimits('asker', { toolCallMs: 5_000 }, () => ask(server, call));
    assert.equal((answer as ElicitResult).action, 'cancel');
    assert.equal(person.asked.length, 1);
    await host.withLimits('asker', { toolCallMs: 1_000 }, async () => {
      const hung = raw(server).callTool({ name: 'wait', inputSchema: { type: 'object' } }, { ms: 60_000, steps: 1 });
      await assert.rejects(hung, /no answer within/);
    });
  });

  it('is withdrawn when the server cancels it, and when the server dies @elicitation.withdrawn-server-cancels', async () => {
    const folder = temporaryFolder();
    const go = join(folder, 'go');
    try {
      const { env, ...entry } = hostile('--elicit');
      host.configure({ asker: { ...entry, env: { ...env, ELICIT_GO: go } } });
      const server = await host.loads('asker');
      person.answer = () => new Promise(() => {});
      /** The server goes on when the person has been asked. */
      const whenAsked = async (times: number) => {
        await waitFor(() => person.asked.length === times, { what: 'the question' });
        writeFileSync(go, '');
      };
      await Promise.all([ask(server, { params: nameForm, cancelAfterMs: -1 }), whenAsked(1)]);
      assert.ok(host.logged(/^its elicitation\/create was cancelled: no longer needed$/), 'the reason is logged');
      await waitFor(() => person.signals[0]?.aborted, { what: 'the cancelled question to be withdrawn' });
      await Promise.all([assert.rejects(ask(server, { params: nameForm, dieAfterMs: -1 })), whenAsked(2)]);
      await waitFor(() => person.signals[1]?.aborted, { what: 'the question of the dead server to be withdrawn' });
    } finally {
      await host.close();
      remove(folder);
    }
  });

  it('logs an internal error with its stack, and answers the server', async () => {
    const server = await legacy();
    person.answer = () => (undefined as unknown as { missing(): never }).missing();
    const answer = (await ask(server, { params: nameForm })) as { code?: number };
    assert.equal(answer.code, -32603);
    const [bug = ''] = host.bugs.splice(0);
    assert.match(bug, /TypeError: Cannot read properties of undefined.*\n\s+at /);
    assert.ok(host.logs.some(({ level, data }) => level === 'error' && data === bug));
  });

  it('takes the id of a page as it is, whatever it is @elicitation.takes-id-page', async () => {
    const server = await legacy();
    for (const elicitationId of [' Spaced ', 'UPPER', '../%00', '007', '\u202eback', '{"a":1}']) {
      const params = { mode: 'url', url: 'https://example.com/x', message: 'Sign in', elicitationId };
      await ask(server, { params, required: true, completeAfterMs: 1 });
      await waitFor(() => person.done.includes(elicitationId), { what: () => `${elicitationId}, not ${person.done}` });
    }
  });

  it('repeats a call that needed a page, once the person was there @elicitation.repeats-call-needed', async () => {
    const server = await legacy();
    const params = { mode: 'url', url: 'https://example.com/x', message: 'Sign in', elicitationId: 'e1' };
    assert.equal(await ask(server, { params, required: true, completeAfterMs: 1 }), 'done');
    assert.deepEqual(person.visited, ['https://example.com/x']);
    await waitFor(() => person.done.includes('e1'), { what: 'the completion' });
    person.wantsAgain = false;
    const other = { ...params, elicitationId: 'e2' };
    await assert.rejects(ask(server, { params: other, required: true }), { rpcCode: -32042 });
  });

  it('is not declared when the person denies it @elicitation.declared-person-denies', async () => {
    await host.close();
    const trace = () => ({ messages: 1_000, size: 1e7 });
    host = new TestHost({ elicitation: Object.assign(person, { capability: () => undefined }) }, { trace });
    const server = await legacy();
    const answer = (await ask(server, { params: nameForm })) as { code?: number };
    assert.equal(answer.code, -32601);
    const initialize = host.host.trace.records().find(({ text }) => text.includes('"initialize"'));
    assert.ok(initialize && !('elicitation' in JSON.parse(initialize.text).params.capabilities));
  });
});
