import * as assert from 'node:assert/strict';
import { pageOf } from '../../../src/features/apps/core/appPage';
import { appOf, isFor } from '../../../src/host/catalog';
import { type Demo, ERAS, startDemo, stopDemos } from './demoClient';

for (const era of ERAS) {
  describe(`the board of the demo server (${era})`, () => {
    let demo: Demo;
    before(async () => {
      demo = await startDemo({ era });
    });
    after(stopDemos);

    it('shows notes as cards with their first lines, and the same as text', async () => {
      demo.write('plan', '# Plan\n\nTea first.');
      const { structuredContent, content } = await demo.call('show_board');
      const { notes } = structuredContent as { notes: Record<string, unknown>[] };
      assert.deepEqual(
        notes.map(({ name, uri, words, excerpt }) => [name, uri, words, excerpt]),
        [['plan', 'notebook:///notes/plan', 3, 'Tea first.']],
      );
      assert.deepEqual(content, [{ type: 'text', text: '- plan: 3 words' }]);
    });

    it('has a page that declares no sites, and a tool for that page alone', async () => {
      const { tools } = await demo.client.listTools();
      const show = tools.find(({ name }) => name === 'show_board') ?? assert.fail('no show_board');
      const refresh = tools.find(({ name }) => name === 'refresh_board') ?? assert.fail('no refresh_board');
      assert.deepEqual([isFor('model', show), isFor('model', refresh), isFor('app', refresh)], [true, false, true]);
      const uri = appOf(show) ?? assert.fail('no app');
      const { html, declaration } = pageOf(uri, await demo.client.readResource({ uri }));
      assert.match(html, /Board of the notes/);
      assert.deepEqual(Object.values(declaration.domains).flat(), []);
      assert.deepEqual(declaration.permissions, []);
      assert.doesNotMatch(html, /\b(src|href)=/);
    });

    it('returns the current notes to a page that is reloaded', async () => {
      demo.write('later', '# Later\n\nCake.');
      const { contents } = await demo.client.readResource({ uri: 'ui://notebook/board/notes.json' });
      const [content = assert.fail('no content')] = contents;
      assert.ok('text' in content);
      const { structuredContent } = await demo.call('show_board');
      assert.deepEqual(JSON.parse(content.text), structuredContent);
      assert.match(content.text, /"name":"later".*"excerpt":"Cake\."/);
    });

    it('is not among the resources', async () => {
      const { resources } = await demo.client.listResources();
      assert.ok(resources.every(({ uri }) => !uri.startsWith('ui:')));
    });
  });
}
