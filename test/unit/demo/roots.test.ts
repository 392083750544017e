import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { ERAS, startDemo, stopDemos, until } from './demoClient';

for (const era of ERAS) {
  describe(`the working folder of the demo server (${era})`, () => {
    afterEach(stopDemos);

    it('is the current directory when the client has no roots', async () => {
      const demo = await startDemo({ era, roots: 'none' });
      await demo.call('add_note', { name: 'here', text: 'text' });
      assert.deepEqual(demo.notes(), ['here.md']);
    });

    it('is the current directory when no root is a folder of this machine', async () => {
      const demo = await startDemo({ era, roots: () => ['vscode-remote://host/folder', 'file://%2F/x'] });
      await demo.call('add_note', { name: 'here', text: 'text' });
      assert.deepEqual(demo.notes(), ['here.md']);
    });

    it('is the first root, even after it changed', async () => {
      let folders: string[] = [];
      const demo = await startDemo({ era, roots: () => folders });
      const [a = '', b = ''] = ['a', 'b'].map(name => path.join(demo.project, name));
      for (const folder of [a, b]) fs.mkdirSync(folder);
      for (const [first, second] of [
        [a, b],
        [b, a],
      ] as const) {
        folders = [first, second];
        if (era === 'legacy') await demo.client.sendRootsListChanged();
        await demo.call('add_note', { name: `in-${path.basename(first)}`, text: 'text' });
      }
      assert.deepEqual(fs.readdirSync(path.join(a, '.notebook')), ['in-a.md']);
      assert.deepEqual(fs.readdirSync(path.join(b, '.notebook')), ['in-b.md']);
      assert.deepEqual(demo.notes(), []);
      folders = [];
      if (era === 'legacy') await demo.client.sendRootsListChanged();
      await demo.call('add_note', { name: 'without-roots', text: 'text' });
      assert.deepEqual(demo.notes(), ['without-roots.md']);
    });

    it('is followed by the resource list, with a notification of the change', async () => {
      let folder = '';
      const demo = await startDemo({ era, roots: () => (folder ? [folder] : []) });
      if (era === 'modern') await demo.client.listen({ resourcesListChanged: true });
      folder = path.join(demo.project, 'other');
      fs.mkdirSync(path.join(folder, '.notebook'), { recursive: true });
      fs.writeFileSync(path.join(folder, '.notebook', 'there.md'), 'text');
      if (era === 'legacy') await demo.client.sendRootsListChanged();
      else await demo.call('list_notes');
      await until(() => demo.listChanges > 0, 'the news that the list changed');
      const { resources } = await demo.client.listResources();
      assert.ok(resources.some(({ uri }) => uri === 'notebook:///notes/there'));
    });

    it('is never created: a missing root is an error', async () => {
      const demo = await startDemo({ era, roots: () => [path.join('/', 'no', 'such', 'folder')] });
      const result = await demo.call('add_note', { name: 'lost', text: 'text' });
      assert.equal(result.isError, true);
      assert.deepEqual(demo.notes(), []);
    });
  });
}
