import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { remove } from '../../setup/paths';
import { type Demo, ERAS, startDemo, stopDemos, textOf } from './demoClient';

for (const era of ERAS) {
  describe(`the note tools of the demo server (${era})`, () => {
    let demo: Demo;
    before(async () => {
      demo = await startDemo({ era });
    });
    afterEach(() => {
      for (const name of fs.readdirSync(demo.project)) remove(path.join(demo.project, name));
      demo.logs.length = 0;
    });
    after(stopDemos);

    it('have titles, descriptions and annotations for reading, writing and destroying', async () => {
      const { tools } = await demo.client.listTools();
      assert.equal(tools.length, 11);
      for (const tool of tools) assert.ok(tool.title && tool.description && tool.annotations, tool.name);
      const destructive = tools.filter(tool => tool.annotations?.destructiveHint).map(tool => tool.name);
      assert.deepEqual(destructive, ['delete_note']);
      const writing = tools.filter(tool => !tool.annotations?.readOnlyHint).map(tool => tool.name);
      assert.deepEqual(writing.sort(), ['add_note', 'delete_note', 'plan_release']);
    });

    it('write a note into the folder .notebook of the first root, list it, and delete it', async () => {
      const added = await demo.call('add_note', { name: 'first', text: '# One\n\ntwo three' });
      assert.equal(added.isError, undefined);
      assert.deepEqual(demo.notes(), ['first.md']);
      const { structuredContent } = await demo.call('list_notes');
      const { notes } = structuredContent as { notes: { name: string; uri: string; words: number }[] };
      assert.deepEqual(
        notes.map(({ name, uri, words }) => [name, uri, words]),
        [['first', 'notebook:///notes/first', 3]],
      );
      await demo.call('delete_note', { name: 'first' });
      assert.deepEqual(demo.notes(), []);
    });

    it('find lines and count words', async () => {
      demo.write('a', 'Alpha beta\ngamma');
      demo.write('b', 'BETA\n\nbeta gamma delta');
      const search = await demo.call('search_notes', { query: 'beta', limit: 2 });
      assert.deepEqual(search.structuredContent, {
        hits: [
          { name: 'a', line: 1, text: 'Alpha beta' },
          { name: 'b', line: 1, text: 'BETA' },
        ],
        total: 3,
      });
      assert.deepEqual((await demo.call('count_words')).structuredContent, { notes: 2, words: 7, longest: 'b' });
      assert.deepEqual((await demo.call('count_words', { name: 'a' })).structuredContent, {
        notes: 1,
        words: 3,
        longest: 'a',
      });
    });

    it('never overwrite a note', async () => {
      demo.write('kept', 'as it was');
      const result = await demo.call('add_note', { name: 'kept', text: 'other' });
      assert.equal(result.isError, true);
      assert.match(textOf(result), /already is a note called "kept"/);
      assert.equal(fs.readFileSync(path.join(demo.project, '.notebook', 'kept.md'), 'utf8'), 'as it was');
    });

    it('name the existing notes when a note is missing', async () => {
      demo.write('here', 'text');
      const result = await demo.call('delete_note', { name: 'gone' });
      assert.equal(result.isError, true);
      assert.equal(textOf(result), 'There is no note called "gone". The notes are: here.');
    });

    it('refuse every name that leads out of the folder', async () => {
      fs.writeFileSync(path.join(demo.project, 'outside.md'), 'kept');
      for (const name of [
        '../outside',
        '..',
        '/etc/passwd',
        'a/b',
        'a\\b',
        '.hidden',
        'a.md',
        '',
        'a\0b',
        'C:x',
        'ü',
      ]) {
        for (const tool of ['add_note', 'delete_note', 'count_words', 'summarize_note']) {
          const result = await demo.call(tool, { name, text: 'text' });
          assert.equal(result.isError, true, `${tool} ${name}`);
        }
      }
      assert.deepEqual(fs.readdirSync(demo.project), ['outside.md']);
    });

    it('follow no symbolic link out of the project', async function () {
      if (process.platform === 'win32') this.skip(); // links take a privilege there
      const outside = path.join(demo.project, 'outside');
      fs.mkdirSync(outside);
      fs.writeFileSync(path.join(outside, 'secret.md'), 'secret');
      fs.symlinkSync(outside, path.join(demo.project, '.notebook'));
      const refused = await demo.call('add_note', { name: 'new', text: 'text' });
      assert.match(textOf(refused), /is not a folder/);
      assert.equal((await demo.client.listResources()).resources.length, 1004);
      fs.unlinkSync(path.join(demo.project, '.notebook'));

      demo.write('real', 'text');
      fs.symlinkSync(path.join(outside, 'secret.md'), path.join(demo.project, '.notebook', 'linked.md'));
      const { structuredContent } = await demo.call('search_notes', { query: 'e' });
      assert.deepEqual(structuredContent, { hits: [{ name: 'real', line: 1, text: 'text' }], total: 1 });
      assert.equal((await demo.call('add_note', { name: 'linked', text: 'text' })).isError, true);
      assert.deepEqual(fs.readdirSync(outside), ['secret.md']);
      assert.equal(fs.readFileSync(path.join(outside, 'secret.md'), 'utf8'), 'secret');
    });

    it('log what they write', async () => {
      await demo.call('add_note', { name: 'logged', text: 'four' });
      assert.deepEqual(
        demo.logs.map(({ level, logger, data }) => ({ level, logger, data })),
        [{ level: 'info', logger: 'notes', data: 'Added logged, 4 bytes' }],
      );
    });
  });
}
