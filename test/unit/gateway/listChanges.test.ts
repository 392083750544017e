import assert from 'node:assert/strict';
import { Emitter } from '../../../src/base/events';
import { ListChanges } from '../../../src/gateway';
import { Clock } from '../clock';

describe('changes of lists', () => {
  const clock = new Clock();
  beforeEach(() => clock.start());
  afterEach(() => clock.stop());

  it('are announced after longer and longer pauses as long as they go on, and at once when they have been calm', async () => {
    const onDidChange = new Emitter<void>();
    let tools: unknown[] = [];
    const catalog = {
      onDidChange: onDidChange.event,
      list: (kind: string) => ({ status: kind === 'tools' ? 'ready' : 'unsupported' }),
      get tools() {
        return tools;
      },
      ...{ prompts: [], resources: [], resourceTemplates: [] },
    };
    const server = { id: 'a', catalog, state: { kind: 'ready' } } as never;
    const pins = {
      onDidChange: new Emitter<string>().event,
      blocks: () => false,
      blocksResource: () => false,
    } as never;
    const at: number[] = [];
    let ms = 0;
    const changes = new ListChanges(server, { pins }, () => at.push(ms));
    changes.noteList('tools', tools);
    const change = () => {
      tools = [{ name: `tool ${ms}`, inputSchema: {} }];
      onDidChange.fire();
    };
    for (; ms < 120_000; ms += 100) {
      change();
      await clock.pass(100);
    }
    const pauses = at.slice(1).map((moment, n) => moment - at[n]!);
    assert.ok(at.length < 15, at.join());
    assert.ok(
      pauses.every((pause, n) => n === 0 || pause >= pauses[n - 1]! - 400),
      pauses.join(),
    );
    await clock.pass(90_000);
    ms += 90_000;
    change();
    await clock.pass(400);
    assert.equal(at.at(-1), ms);
    changes.dispose();
  });
});
