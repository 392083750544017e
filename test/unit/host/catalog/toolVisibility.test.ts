import assert from 'node:assert/strict';
import { appOf, isFor } from '../../../../src/host/catalog';
import { fixture, TestHost } from '../testHost';

const of = (visibility: unknown) => ({ _meta: { ui: { visibility } } });

describe('tools of MCP Apps', () => {
  it('are for models and apps, unless the server declares otherwise', () => {
    const who = (tool: Parameters<typeof isFor>[1]) => (['model', 'app'] as const).filter(who => isFor(who, tool));
    assert.deepEqual(who({}), ['model', 'app']);
    assert.deepEqual(who({ _meta: {} }), ['model', 'app']);
    assert.deepEqual(who({ _meta: { ui: 'app' } }), ['model', 'app']);
    assert.deepEqual(who(of(undefined)), ['model', 'app']);
    assert.deepEqual(who(of(['model', 'app'])), ['model', 'app']);
    assert.deepEqual(who(of(['app'])), ['app']);
    assert.deepEqual(who(of(['model'])), ['model']);
    assert.deepEqual(who(of('app')), ['app'], 'a word in place of a list');
    assert.deepEqual(who(of([])), []);
    assert.deepEqual(who(of([{}, 'models'])), []);
  });

  it('name their app in the current or the earlier form', () => {
    const app = (_meta: Record<string, unknown>) => appOf({ _meta });
    assert.equal(app({ ui: { resourceUri: 'ui://a/b' } }), 'ui://a/b');
    assert.equal(app({ 'ui/resourceUri': 'ui://old' }), 'ui://old');
    assert.equal(app({ ui: { resourceUri: 'ui://new' }, 'ui/resourceUri': 'ui://old' }), 'ui://new');
    assert.equal(app({ ui: { resourceUri: 'https://elsewhere' } }), undefined);
    assert.equal(app({ ui: { resourceUri: 7 } }), undefined);
    assert.equal(appOf({}), undefined);
  });

  for (const drawsApps of [true, false]) {
    it(`are hidden by a server from a client that draws ${drawsApps ? 'apps: not from this' : 'none'}`, async () => {
      await using test = new TestHost({ drawsApps });
      test.configure({ apps: fixture('apps', '--gated') });
      const server = await test.loads('apps');
      const named = server.catalog.tools.map(({ name }) => name);
      assert.equal(named.includes('show_board'), drawsApps, named.join());
      assert.ok(named.includes('say'));
    });
  }
});
