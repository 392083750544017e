import assert from 'node:assert/strict';
import { AppAgreements } from '../../../../../src/features/apps/core/agreements';
import { declarationOf } from '../../../../../src/features/apps/core/appDeclaration';
import type { AppPage } from '../../../../../src/features/apps/core/appPage';
import type { PinMode } from '../../../../../src/features/trust/core/pins';
import type { ServerDefinition } from '../../../../../src/host/definition';

const server = (id: string) => ({
  definition: { id } as ServerDefinition,
  redact: (text: string) => text.replaceAll('secret', '•••'),
});
const page = (html = '<p>', sites: string[] = [], uri = 'ui://a/b'): AppPage => ({
  uri,
  html,
  declaration: declarationOf({ ui: { csp: { connectDomains: sites } } }, undefined),
});

describe('agreements to apps', () => {
  let mode: PinMode;
  let files: Map<string, unknown>;
  let agreements: AppAgreements;
  beforeEach(() => {
    mode = 'enforce';
    files = new Map();
    const store = {
      read: async ({ id }: ServerDefinition) => files.get(id),
      write: async ({ id }: ServerDefinition, value: unknown) => void files.set(id, JSON.parse(JSON.stringify(value))),
    };
    agreements = new AppAgreements(store, () => mode);
  });

  const state = async (id: string, app: AppPage) => (await agreements.of(server(id), app)).state;

  it('apply to one page of one server', async () => {
    assert.equal(await state('a', page()), 'new');
    await agreements.agree(server('a'), page());
    assert.equal(await state('a', page()), 'agreed');
    assert.equal(await state('b', page()), 'new');
    assert.equal(await state('a', page('<p>', [], 'ui://a/c')), 'new');
  });

  it('apply to the exact page and its declarations', async () => {
    await agreements.agree(server('a'), page('<p>1', ['https://a.example']));
    assert.equal(await state('a', page('<p>2', ['https://a.example'])), 'changed');
    assert.equal(await state('a', page('<p>1', ['https://b.example'])), 'changed');
    assert.equal(await state('a', page('<p>1', [])), 'changed');
    const now = await agreements.of(server('a'), page('<p>2'));
    assert.ok(now.state === 'changed');
    assert.deepEqual([now.before.html, now.before.declared], ['<p>1', { connectDomains: ['https://a.example'] }]);
  });

  it('cover other pages with the same declaration when the person has loosened pins, not other declarations', async () => {
    await agreements.agree(server('a'), page('<p>1', ['https://a.example']));
    for (mode of ['warn', 'off'] as const) {
      assert.equal(await state('a', page('<p>2', ['https://a.example'])), 'agreed');
      assert.equal(await state('a', page('<p>2', ['https://b.example'])), 'changed');
    }
  });

  it('are stored without secrets, and with the page only if it is short', async () => {
    await agreements.agree(server('a'), page('<p>secret'));
    await agreements.agree(server('a'), page('<p>'.padEnd(600_000, 'x'), [], 'ui://a/long'));
    const kept = files.get('a') as Record<string, { html?: string }>;
    assert.equal(kept['ui://a/b']?.html, '<p>•••');
    assert.equal(kept['ui://a/long']?.html, undefined);
    assert.equal(await state('a', page('<p>'.padEnd(600_000, 'x'), [], 'ui://a/long')), 'agreed');
    assert.equal(await state('a', page('<p>'.padEnd(600_001, 'x'), [], 'ui://a/long')), 'changed');
  });

  it('keep the tools that the app may call', async () => {
    const of = (app: AppPage) => agreements.of(server('a'), app);
    await agreements.agree(server('a'), page(), ['read_bytes']);
    assert.deepEqual(await of(page()), { state: 'agreed', tools: ['read_bytes'] });
    await agreements.agree(server('a'), page());
    assert.deepEqual(await of(page()), { state: 'agreed', tools: [] });
  });

  it('that are corrupt count as missing', async () => {
    for (const spoilt of [
      'text',
      7,
      [],
      { 'ui://a/b': null },
      { 'ui://a/b': { page: 1 } },
      { 'ui://a/b': { page: '', declaration: '', at: 1, tools: [7] } },
    ]) {
      files.set('a', spoilt);
      assert.equal(await state('a', page()), 'new');
    }
  });
});
