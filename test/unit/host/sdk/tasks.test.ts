import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { CallToolResult, Progress, Tool } from '@modelcontextprotocol/client';
import type { HostError } from '../../../../src/base/errors';
import { english } from '../../../../src/base/phrase';
import { outputProblem } from '../../../../src/host';
import type { ElicitationPort } from '../../../../src/host/definition';
import { followTask } from '../../../../src/host/sdk/tasks';
import { npmServerPath } from '../../../servers/npm';
import { startHttpServer, waitFor } from '../../../servers/spawn';
import { remove, temporaryFolder } from '../../../setup/paths';
import { raw } from '../../../setup/raw';
import { hostile, TestHost } from '../testHost';

/** What a task of the fixture tells of itself at its end. */
const told = (result: CallToolResult) =>
  JSON.parse((result.content[0] as { text: string }).text) as {
    done: object;
    input: { roots?: object[]; action?: string } | null;
    gaps: number[];
  };

for (const era of ['legacy', 'modern'] as const) {
  describe(`calls that become tasks, ${era} era`, () => {
    const folder = temporaryFolder();
    const kept = join(folder, 'tasks.json');
    const flags = era === 'legacy' ? [`--tasks=${kept}`] : ['--modern', `--modern-tasks=${kept}`];
    let host: TestHost;
    beforeEach(async () => {
      host = new TestHost({}, { trace: () => ({ messages: 1_000, size: 1e7 }) });
      host.configure({ one: hostile(...flags) });
      await host.loads('one');
      assert.equal(host.server('one').info?.era, era);
    });
    afterEach(() => host.close());
    after(() => remove(folder));

    const tool = (name: string): Tool =>
      host.server('one').catalog.tools.find(offered => offered.name === name) ?? assert.fail(name);
    const call = (args: Record<string, unknown>, options = {}, name = 'required') =>
      raw(host.server('one')).callTool(tool(name), args, options);

    it("have the task's result, report its status messages as progress, and poll no faster than requested @tasks.task-result-report", async () => {
      const steps: Progress[] = [];
      const ids: string[] = [];
      const args = { ms: 1_200, poll: 400 };
      const result = await call(args, {
        onProgress: (step: Progress) => void steps.push(step),
        onTask: (id: string) => void ids.push(id),
      });
      const { done, gaps } = told(result);
      assert.deepEqual(done, args);
      assert.ok(gaps.length <= 3, String(gaps));
      for (const gap of gaps) assert.ok(gap >= 390, `asked again after ${gap} ms`);
      assert.equal(steps[0]?.message, 'it is working');
      assert.equal(ids.length, 1);
    });

    it('get the progress of the task under the token of the call, while it works @tasks.get-progress-task', async () => {
      const steps: Progress[] = [];
      await call({ ms: 900, poll: 200, end: 'tell' }, { onProgress: (step: Progress) => void steps.push(step) });
      const told = steps.filter(({ message }) => message === 'told while working');
      assert.ok(told.length > 0, JSON.stringify(steps));
      assert.deepEqual(
        told.map(({ progress }) => progress),
        told.map((_, index) => index + told[0]!.progress),
      );
    });

    it('are followed when the tool allows tasks, and made directly when it forbids them @tasks.followed-tool-allows', async () => {
      assert.deepEqual(told(await call({ ms: 10 }, {}, 'optional')).done, { ms: 10 });
      const plain = await call({}, {}, 'forbidden');
      assert.match(JSON.stringify(plain), /forbidden was called without a task/);
    });

    it('return a tool error as a result, and a protocol error as an error', async () => {
      assert.equal((await call({ ms: 50, end: 'toolError' })).isError, true);
      await assert.rejects(call({ ms: 50, end: 'error' }), ({ message }: HostError) => {
        assert.match(message, /"one" could not call required: its task failed/);
        return true;
      });
      await assert.rejects(call({ ms: 50, end: 'cancelled' }), /its task was cancelled: it is cancelled/);
    });

    it('fail when the server has forgotten the task, and when it expires @tasks.fail-server-forgotten', async () => {
      await assert.rejects(call({ ms: 300, end: 'gone' }), ({ rpcCode }: HostError) => rpcCode === -32602);
      await assert.rejects(call({ end: 'never', ttl: -1 + 1 }), /its task did not finish in time/);
    }).timeout(20_000);

    it('answer requests of the task @tasks.answer-requests-task', async () => {
      const { input } = told(await call({ ms: 600, end: 'ask' }));
      assert.deepEqual(input?.roots, host.roots.items);
      if (era === 'modern') return;
      const sent = host.host.trace
        .records()
        .filter(({ direction }) => direction === 'sent')
        .map(({ text }) => JSON.parse(text) as { method?: string; result?: object });
      const asked = sent.findIndex(({ method }) => method === 'tasks/result');
      const answered = sent.findIndex(({ result }) => result !== undefined && 'roots' in result);
      assert.ok(asked >= 0 && asked < answered, 'the result is requested while the task waits for input');
    });

    if (era === 'modern')
      it('ask a person as a request of its own would: the same form, and the same refusals @tasks.ask-person-request', async () => {
        const asked: object[] = [];
        const elicitation = {
          capability: () => ({ form: {} }),
          elicit: async (_server: unknown, params: object) => {
            asked.push(params);
            return { action: 'accept', content: { name: 'Ada' } };
          },
        } as unknown as ElicitationPort;
        await host.close();
        host = new TestHost({ elicitation });
        host.configure({ one: hostile(...flags) });
        await host.loads('one');
        const form = (field: object) => ({
          method: 'elicitation/create',
          params: { mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: { name: field } } },
        });
        const { input } = told(await call({ ms: 400, end: 'ask', asks: form({ type: 'string', pattern: '^(a+)+$' }) }));
        assert.deepEqual(input, { action: 'accept', content: { name: 'Ada' } });
        assert.ok(asked.length === 1 && !JSON.stringify(asked).includes('pattern'), JSON.stringify(asked));
        for (const [asks, reason] of [
          [form({ type: 'object' }), /the form was refused: its field "name" is an object/],
          [
            { method: 'sampling/createMessage', params: {} },
            /asks for "sampling\/createMessage", which is not supported/,
          ],
          [{ method: 'tools/list', params: {} }, /asks for "tools\/list", which is not supported/],
        ] as const)
          await assert.rejects(call({ ms: 400, end: 'ask', asks }), reason);
        assert.equal(asked.length, 1);
      });

    it('cancel the task on the server when cancelled @tasks.cancel-task-server', async () => {
      const abort = new AbortController();
      let id = '';
      const called = call({ end: 'never' }, { signal: abort.signal, onTask: (task: string) => (id = task) });
      await waitFor(() => id, { what: 'the task' });
      abort.abort();
      await assert.rejects(called, { code: 'CANCELLED' });
      await waitFor(() => host.logged(new RegExp(`cancelled ${id}`)), { what: 'the task to be cancelled' });
    });

    for (const transport of era === 'legacy' ? ['stdio', 'http'] : ['stdio']) {
      it(`cancel the task when it is named after the call was cancelled, over ${transport} @tasks.cancel-task-named`, async () => {
        const far = transport === 'http' ? await startHttpServer('hostile', ['--http', ...flags]) : undefined;
        try {
          if (far) host.configure({ one: { url: far.url('/mcp') } });
          const server = await host.loads('one');
          const abort = new AbortController();
          const called = call({ end: 'never', late: true }, { signal: abort.signal });
          const sent = () =>
            host.host.trace.records().flatMap(({ direction, text }) => {
              const { method = '' } = JSON.parse(text) as { method?: string };
              return direction === 'sent' ? [method] : [];
            });
          await waitFor(() => sent().includes('tools/call'), { what: 'the call' });
          abort.abort();
          await assert.rejects(called, { code: 'CANCELLED' });
          // The server names the task now.
          await server.catalog.load('prompts');
          await waitFor(() => host.logged(/cancelled task-/), { what: 'the task to be cancelled' });
          if (era === 'legacy') assert.ok(!sent().includes('notifications/cancelled'), sent().join());
        } finally {
          await far?.stop();
        }
      });
    }

    it('continue when a restarted server keeps the task, under the same id', async () => {
      const ids: string[] = [];
      const called = call(
        { ms: 1_500 },
        {
          // In this very moment, as the task is not over yet.
          onTask: (id: string) => {
            if (ids.push(id) === 1) process.kill(host.pid('one'), 'SIGKILL');
          },
        },
      );
      assert.deepEqual(told(await called).done, { ms: 1_500 });
      assert.equal(new Set(ids).size, 1);
      assert.ok(host.logged(/It restarts in/));
    });

    it('do not block the window while the end of the server is unnoticed', async () => {
      host.configure({ one: hostile(...flags, '--grandchild') });
      await host.loads('one');
      let ids = 0;
      const onTask = () => ids++ === 0 && process.kill(host.pid('one'), 'SIGKILL');
      // Asked for again before the pipes count as left.
      const args = { ms: 1_500, poll: 20 };
      assert.deepEqual(told(await call(args, { onTask })).done, args);
    });

    it('are found by another host, as after a reload of the window @tasks.found-host-reload', async () => {
      const begun = Promise.withResolvers<string>();
      const called = call({ ms: 2_000 }, { onTask: begun.resolve });
      const id = await begun.promise;
      const definition = tool('required');
      await Promise.all([assert.rejects(called, { code: 'CLOSED' }), host.close()]);
      host = new TestHost();
      host.configure({ one: hostile(...flags) });
      await host.reaches('one', 'ready');
      const result = await raw(host.server('one')).callTool(definition, {}, { taskId: id });
      assert.deepEqual(told(result).done, { ms: 2_000 });
      await assert.rejects(
        raw(host.server('one')).callTool(definition, {}, { taskId: 'task-that-never-was' }),
        ({ rpcCode }: HostError) => rpcCode === -32602,
      );
    });

    // Of the fixture over HTTP the legacy era only; in the modern one no request waits for the end.
    if (era === 'legacy')
      it('over HTTP are requested as the transport demands, and outlive the time limit of ordinary requests @tasks.http-requested-transport', async () => {
        const log = '--http-log=accept,content-type,mcp-session-id,mcp-protocol-version';
        const server = await startHttpServer('hostile', ['--http', log, ...flags]);
        try {
          host.configure({ far: { type: 'http', url: server.url('/mcp'), timeouts: { requestMs: 4_000 } } });
          await host.loads('far');
          const { info, catalog } = host.server('far');
          assert.equal(info?.era, era);
          const required = catalog.tools.find(({ name }) => name === 'required') ?? assert.fail();
          const args = { ms: 6_000, poll: 200, end: 'ask' };
          const { done, input } = told(await raw(host.server('far')).callTool(required, args));
          assert.deepEqual(done, args);
          assert.deepEqual(input?.roots, host.roots.items);
          const seen = server.stderr.flatMap(line => {
            const [method = '', ...headers] = line.replace('hostile: ', '').split(' | ');
            return /^(tools\/call|tasks\/\w+)$/.test(method) ? [{ method, headers: headers.join() }] : [];
          });
          const [session = ''] = /[\da-f-]{36}/.exec(seen[0]?.headers ?? '') ?? [];
          const expected = `application/json, text/event-stream,application/json,${session},2025-11-25`;
          assert.deepEqual(
            new Set(seen.map(({ method }) => method)),
            new Set(['tools/call', 'tasks/get', 'tasks/result']),
          );
          for (const { method, headers } of seen) assert.equal(headers, expected, method);
        } finally {
          await server.stop();
        }
      });

    it('have a result even if the task ends before it is announced', async () => {
      const result = await raw(host.server('one')).callTool(tool('required'), { ms: 0 });
      assert.deepEqual(told(result).done, { ms: 0 });
    });

    it('have a result even if it violates the output schema', async () => {
      const strict: Tool = { ...tool('required'), outputSchema: { type: 'object' } };
      const result = await raw(host.server('one')).callTool(strict, { ms: 10 });
      assert.deepEqual(told(result).done, { ms: 10 });
      assert.match(english(outputProblem(strict, result) ?? ''), /carried out, but its result lacks the structured/);
    });
  });
}

describe('tasks of server-everything', () => {
  it('a task that asks for more inputs than a person is to give is over, and the others are not looked at', async () => {
    let looks = 0;
    const inputRequests = {};
    for (let n = 0; n < 1_000; n++)
      Object.defineProperty(inputRequests, `input ${n}`, { enumerable: true, get: () => ++looks && {} });
    const task = { taskId: 'one', status: 'input_required', pollIntervalMs: 250, inputRequests };
    const client = { getProtocolEra: () => 'modern', transport: {}, request: async () => task };
    await assert.rejects(followTask(client as never, undefined, task), /its task asks for/);
    assert.ok(looks <= 101, `${looks}`);
  });

  it('a research query passes its stages to its report @tasks.research-query-passes', async () => {
    const host = new TestHost();
    try {
      host.configure({ all: { command: process.execPath, args: [npmServerPath('everything'), 'stdio'] } });
      const server = await host.loads('all');
      const find = () => server.catalog.tools.find(({ name }) => name === 'simulate-research-query');
      const tool = await waitFor(find, { what: 'the tool' });
      assert.equal(tool.execution?.taskSupport, 'required');
      const stages = new Set<string | undefined>();
      const result = await raw(server).callTool(
        tool,
        { topic: 'roots', ambiguous: true },
        { onProgress: ({ message }) => void stages.add(message) },
      );
      assert.match(JSON.stringify(result), /Research Report: roots/);
      assert.ok(stages.has('Synthesizing findings...'), [...stages].join());
    } finally {
      await host.close();
    }
  }).timeout(30_000);
});
