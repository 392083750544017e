import assert from 'node:assert/strict';
import { EventFollow } from '../../../src/features/events/core/eventFollow';
import { listEventTypes } from '../../../src/features/events/core/eventTypes';
import { waitFor } from '../../servers/spawn';
import { temporaryFolder } from '../../setup/paths';
import { raw, unasked } from '../../setup/raw';
import { TestHost } from '../host/testHost';
import { demoServer } from './demoClient';

describe('events of the demo server', function () {
  this.timeout(30_000);
  const project = temporaryFolder();
  const test = new TestHost();
  after(async () => {
    await test.close();
  });

  it('are the notes that were added since they are followed, also those with a text in their name alone', async () => {
    test.roots.items = [];
    test.configure({ notebook: { command: process.execPath, args: [demoServer()], cwd: project } });
    const server = await test.loads('notebook');
    const { types } = await listEventTypes({ name: server.name, forward: unasked(server).forward });
    const [type] = types;
    assert.deepEqual([type?.name, type?.modes], ['note.added', ['poll']]);
    const add = async (name: string) => {
      const tool = server.catalog.tools.find(one => one.name === 'add_note')!;
      await raw(server).callTool(tool, { name, text: 'x' });
    };
    await add('before');
    const follow = (args: Record<string, unknown>) =>
      new EventFollow({ server, type: type!, open: () => unasked(server).followEvents(type!.name, args) });
    const [all, plans] = [follow({}), follow({ contains: 'plan' })];
    try {
      await waitFor(() => [all, plans].every(({ state }) => state.kind === 'live'), { what: 'both polls' });
      await add('plan-a');
      await add('letter');
      await waitFor(() => all.events.all.length === 2 && plans.events.all.length === 1, { what: 'the events' });
      assert.deepEqual(JSON.parse(plans.events.all[0]!.payload), { name: 'plan-a' });
    } finally {
      all.dispose();
      plans.dispose();
    }
  });
});
