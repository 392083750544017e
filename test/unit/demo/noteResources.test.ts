import * as assert from 'node:assert/strict';
import { crc32, inflateSync } from 'node:zlib';
import { type Demo, ERAS, startDemo, stopDemos, until } from './demoClient';

for (const era of ERAS) {
  describe(`the resources of the demo server (${era})`, () => {
    let demo: Demo;
    beforeEach(async () => {
      demo = await startDemo({ era });
    });
    afterEach(stopDemos);

    const read = async (uri: string) => {
      const { contents } = await demo.client.readResource({ uri });
      assert.equal(contents.length, 1);
      const [content] = contents;
      assert.ok(content);
      assert.equal(content.uri, uri);
      return content;
    };
    const readText = async (uri: string) => {
      const content = await read(uri);
      assert.ok('text' in content);
      return content.text;
    };

    it('are listed in pages: the fixed ones, the notes, a thousand of the archive', async () => {
      await demo.call('add_note', { name: 'mine', text: 'text' });
      const sizes: number[] = [];
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const page = await demo.client.listResources(cursor === '' ? undefined : { cursor });
        sizes.push(page.resources.length);
        cursor = cursor === '' ? '200' : page.nextCursor;
      }
      assert.deepEqual(sizes, [1005, 200, 200, 200, 200, 5]); // the client joins all pages where none is asked for
      const { resources } = await demo.client.listResources();
      assert.equal(new Set(resources.map(({ uri }) => uri)).size, 1005);
      assert.deepEqual(
        resources.slice(0, 6).map(({ uri, mimeType }) => [uri, mimeType]),
        [
          ['notebook:///readme.md', 'text/markdown'],
          ['notebook:///project.json', 'application/json'],
          ['notebook:///log.txt', 'text/plain'],
          ['notebook:///cover.png', 'image/png'],
          ['notebook:///notes/mine', 'text/markdown'],
          ['notebook:///archive/2026/01/entry-0001.md', 'text/markdown'],
        ],
      );
      assert.equal(resources[4]?.size, 4);
      assert.deepEqual(resources[0]?.annotations, { audience: ['user', 'assistant'], priority: 1 });
      assert.ok(Date.parse(resources[4]?.annotations?.lastModified ?? ''));
      await assert.rejects(demo.client.listResources({ cursor: 'x' }), /Unknown cursor/);
    });

    it('are text, JSON and a picture', async () => {
      assert.match(await readText('notebook:///readme.md'), /^# Project Notebook/);
      const project = JSON.parse(await readText('notebook:///project.json'));
      assert.equal(project.root, demo.project);
      const cover = await read('notebook:///cover.png');
      assert.ok('blob' in cover);
      const { resources } = await demo.client.listResources();
      const png = Buffer.from(cover.blob, 'base64');
      assert.equal(resources.find(({ uri }) => uri === cover.uri)?.size, png.length);
      assert.equal(countPixels(png), 256 * 256);
    });

    it('are all read from the archive as listed', async () => {
      const { resources } = await demo.client.listResources();
      const last = resources.at(-1);
      assert.equal(last?.uri, 'notebook:///archive/2024/01/entry-0040.md');
      const text = await readText('notebook:///archive/2024/01/entry-0040.md');
      assert.equal(Buffer.byteLength(text), last.size);
      assert.match(await readText('notebook:///archive/2025/07'), /^# 2025-07\n\n(- 2025-07-\d\d: .*\n){40}$/);
    });

    it('are not found when missing', async () => {
      demo.write('note', 'text');
      for (const path of [
        'nothing',
        'notes/gone',
        'notes/..%2F..%2Fx',
        'archive/2027/01',
        'archive/2026/02/entry-0001.md',
      ]) {
        await assert.rejects(demo.client.readResource({ uri: `notebook:///${path}` }), /not found/i, path);
      }
    });

    it('have templates with completion, whose months depend on the year', async () => {
      demo.write('note-a', 'text');
      demo.write('other', 'text');
      const { resourceTemplates } = await demo.client.listResourceTemplates();
      const uris = resourceTemplates.map(template => template.uriTemplate);
      assert.deepEqual(uris, [
        'notebook:///notes/{name}',
        'notebook:///archive/{year}/{month}',
        'notebook:///archive/{year}/{month}/{entry}',
      ]);
      assert.ok(resourceTemplates.every(({ title, description, mimeType }) => title && description && mimeType));
      const complete = async (index: number, name: string, value: string, args?: Record<string, string>) => {
        const { completion } = await demo.client.complete({
          ref: { type: 'ref/resource', uri: uris[index] ?? '' },
          argument: { name, value },
          ...(args && { context: { arguments: args } }),
        });
        return completion.values;
      };
      // Completion cannot ask for roots in the modern era: until a first call it is about the working directory.
      assert.deepEqual(await complete(0, 'name', 'no'), ['note-a']);
      assert.deepEqual(await complete(1, 'year', ''), ['2024', '2025', '2026']);
      assert.deepEqual(await complete(1, 'month', '', { year: '2026' }), ['01']);
      assert.equal((await complete(1, 'month', '0', { year: '2024' })).length, 9);
      assert.equal((await complete(2, 'entry', 'entry-', { year: '2024', month: '12' })).length, 40);
    });

    it('announce a new note and the log to subscribers only', async () => {
      const uri = 'notebook:///log.txt';
      await demo.call('add_note', { name: 'unheard', text: 'text' });
      if (era === 'legacy') await demo.client.subscribeResource({ uri });
      else await demo.client.listen({ resourceSubscriptions: [uri], resourcesListChanged: true });
      const before = demo.listChanges;
      await demo.call('add_note', { name: 'heard', text: 'text' });
      await until(() => demo.updated.length > 0 && demo.listChanges > before, 'the news of a new note');
      assert.deepEqual(demo.updated, [uri]);
      assert.match(await readText(uri), /added unheard\n.* added heard\n$/);
      await demo.call('delete_note', { name: 'heard' });
      await until(() => demo.updated.length > 1, 'the news of a deleted note');
      if (era === 'legacy') {
        await demo.client.unsubscribeResource({ uri });
        await demo.call('delete_note', { name: 'unheard' });
        await demo.client.listTools();
        assert.deepEqual(demo.updated, [uri, uri]);
      }
    });
  });
}

/** Reads a PNG as far as to know that it is whole, and gives the number of its pixels. */
function countPixels(png: Buffer): number {
  const data: Buffer[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const typed = png.subarray(at + 4, at + 8 + length);
    assert.equal(png.readUInt32BE(at + 8 + length), crc32(typed));
    if (typed.toString('latin1', 0, 4) === 'IDAT') data.push(typed.subarray(4));
    at += 12 + length;
  }
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  assert.equal(inflateSync(Buffer.concat(data)).length, height * (1 + 4 * width));
  return width * height;
}
