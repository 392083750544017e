import * as assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import * as vscode from 'vscode';
import { KnownModels } from '../../../src/features/sampling/samplingPort';
import { since } from '../../setup/since';

type Models = readonly vscode.LanguageModelChat[];

since('language models of extensions').describe('what a starting server is told of models', () => {
  let looks: PromiseWithResolvers<Models>[];
  let modelsChange: () => void;
  let known: KnownModels;

  /** With what was known before; undefined: nothing, as after the installation. */
  function begin(before?: boolean): void {
    const state = new Map(before === undefined ? [] : [['mcpHost.hasModels', before]]);
    known = new KnownModels({
      get: (key: string) => state.get(key),
      update: async (key: string, value: boolean) => void state.set(key, value),
    });
  }
  const model = {} as vscode.LanguageModelChat;
  /** Whether it has become reliable by now. */
  async function isReady(ready: Promise<void>): Promise<boolean> {
    return (await Promise.race([ready, setImmediate('later')])) !== 'later';
  }

  beforeEach(() => {
    looks = [];
    mock.method(vscode.lm, 'selectChatModels', () => {
      const look = Promise.withResolvers<Models>();
      looks.push(look);
      return look.promise;
    });
    mock.method(vscode.lm, 'onDidChangeChatModels', (listener: () => void) => {
      modelsChange = listener;
      return { dispose: () => {} };
    });
  });
  afterEach(() => {
    known.dispose();
    mock.restoreAll();
  });

  it('waits, the first time, until the editor has answered', async () => {
    begin();
    const ready = known.ready();
    assert.equal(await isReady(ready), false);
    looks[0]!.resolve([model]);
    await ready;
    assert.equal(known.any, true);
  });

  it('is the remembered answer, without waiting', async () => {
    for (const before of [true, false]) {
      begin(before);
      void known.resolve();
      assert.equal(await isReady(known.ready()), true);
      assert.equal(known.any, before);
      known.dispose();
    }
  });

  it('waits for models that have just appeared', async () => {
    for (const before of [undefined, false]) {
      begin(before);
      void known.resolve();
      modelsChange();
      const ready = known.ready();
      assert.equal(await isReady(ready), false);
      const [earlier, later] = looks.splice(0);
      later!.resolve([model]);
      await ready;
      assert.equal(known.any, true);
      // What was asked before is no news any more.
      earlier!.resolve([]);
      await setImmediate();
      assert.equal(known.any, true);
      known.dispose();
    }
  });

  it('waits for a bounded time, and not at all in the next window', async () => {
    begin();
    mock.timers.enable({ apis: ['setTimeout'] });
    const ready = known.ready();
    mock.timers.tick(10_000);
    mock.timers.reset(); // at once: the whole extension host has these timers
    await ready;
    assert.equal(known.any, false);
    assert.equal(await isReady(known.ready()), true);
  });
});
