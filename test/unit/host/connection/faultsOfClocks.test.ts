import assert from 'node:assert/strict';
import { join } from 'node:path';
import { mock } from 'node:test';
import { untilHolds } from '../../../servers/spawn';
import { remove, temporaryFolder } from '../../../setup/paths';
import { raw } from '../../../setup/raw';
import { hostile, TestHost } from '../testHost';

const HOUR_MS = 3_600_000;

describe('a clock', () => {
  const folder = temporaryFolder();
  afterEach(() => mock.restoreAll());
  after(() => remove(folder));

  const jump = (ms: number) => {
    const { now } = Date;
    mock.method(Date, 'now', () => now() + ms);
  };

  for (const [what, ms] of [
    ['jumps ahead two hours, as after a sleep', 2 * HOUR_MS],
    ['is set back two hours', -2 * HOUR_MS],
  ] as const)
    it(`that ${what} ends no call, task or session, and restarts go on @faultsOfClocks.ends-call-task`, async () => {
      await using test = new TestHost({}, { limits: () => ({ pingIntervalMs: 500 }) });
      test.configure({
        one: { ...hostile('--block-tool'), timeouts: { toolCallMs: 60_000 } },
        tasks: hostile('--modern', `--modern-tasks=${join(folder, 'tasks.json')}`),
      });
      await Promise.all([test.loads('one'), test.loads('tasks')]);
      const pid = test.pid('one');
      const call = (id: string, name: string, options = {}) => {
        const server = test.server(id);
        const tool = server.catalog.tools.find(offered => offered.name === name) ?? assert.fail(name);
        return raw(server).callTool(tool, { ms: 1_500, ttl: 60_000 }, options);
      };
      const begun = Promise.withResolvers<string>();
      const calls = Promise.all([call('one', 'block'), call('tasks', 'required', { onTask: begun.resolve })]);
      await begun.promise;
      jump(ms);
      const [answer, done] = await calls;
      assert.deepEqual(answer.content, [{ type: 'text', text: 'done' }]);
      assert.match((done.content[0] as { text: string }).text, /"done":\{"ms":1500/);
      // At least one ping, and the answers that it may miss.
      await untilHolds(() => assert.ok(test.server('one').health?.roundTripMs !== undefined));
      assert.equal(test.pid('one'), pid);
      const again = test.reaches('one', 'reconnecting');
      process.kill(pid, 'SIGKILL');
      await again;
      await test.loads('one');
    });
});
