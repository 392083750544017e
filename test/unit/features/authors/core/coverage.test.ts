import assert from 'node:assert/strict';
import { Coverage, type CoverageMark, marksOf } from '../../../../../src/features/authors/core/coverage';
import { snapshotOf, snapshotText } from '../../../../../src/features/authors/core/interfaceSnapshot';

const tool = (name: string) => ({ name, inputSchema: { type: 'object' as const } });
const template = (uriTemplate: string) => ({ name: 'one', uriTemplate });
const LISTED = {
  tools: [tool('add'), tool('remove'), tool('__proto__')],
  prompts: [{ name: 'add' }],
  resourceTemplates: [template('notes:///{name}'), template('notes:///{year}/{month}.md')],
  resources: [
    { name: 'plan', uri: 'notes:///plan' },
    { name: 'help', uri: 'help:///' },
    { name: 'about', uri: 'help:///about' },
  ],
};

function covered(): Coverage {
  const coverage = new Coverage();
  coverage.read('notes:///plan'); // before anything is listed
  coverage.read('help:///');
  coverage.listed(LISTED);
  coverage.used('tools', 'add');
  coverage.used('tools', 'add');
  coverage.used('tools', 'unlisted');
  return coverage;
}

/** Each mark with the line of the text where it is. */
const drawn = (text: string, marks: readonly CoverageMark[]) =>
  marks.map(({ name, times, place }) => [name, times, text.split('\n')[place.line]!.slice(place.column)]);

describe('coverage of what a server offers', () => {
  it('counts what is listed, and a template where a URI that it makes is read', () => {
    const coverage = covered();
    const { tools, prompts, resources, resourceTemplates } = coverage.summary;
    assert.deepEqual([tools.used, tools.unused], [['add'], ['remove', '__proto__']]);
    assert.deepEqual([prompts.used, prompts.unused], [[], ['add']]);
    assert.deepEqual([resources.used, resources.unused], [['help:///'], ['help:///about']], 'not what templates make');
    assert.deepEqual(resourceTemplates.used, ['notes:///{name}']);
    coverage.read('notes:///2026/');
    assert.deepEqual(coverage.summary.resourceTemplates.unused, ['notes:///{year}/{month}.md']);
    coverage.read('notes:///2026/05.md');
    assert.deepEqual(coverage.summary.resourceTemplates.unused, []);
  });

  it('takes parts of a template in their order, and none twice', () => {
    const isMade = (uriTemplate: string, uri: string) => {
      const coverage = new Coverage();
      coverage.listed({ tools: [], prompts: [], resources: [], resourceTemplates: [template(uriTemplate)] });
      coverage.read(uri);
      return coverage.summary.resourceTemplates.used.length === 1;
    };
    assert.ok(isMade('a:/{b}', 'a:/'));
    assert.ok(isMade('a:/fixed', 'a:/fixed'));
    assert.ok(isMade('a:/{+path}/end{?q}', 'a:/x/y/end?q=1'));
    assert.ok(!isMade('a:/fixed', 'a:/fixed/more'));
    assert.ok(!isMade('a:/{b}/c/{d}/b', 'a:/x/d/x/b'));
    assert.ok(!isMade('ab{x}ba', 'aba'));
    assert.ok(!isMade('z{x}', 'a:/z'));
  });

  it('is the sum of the tests of one server', () => {
    const [one, other, all] = [covered(), new Coverage(), new Coverage()];
    other.listed({ ...LISTED, tools: [...LISTED.tools, tool('late')] });
    other.used('tools', 'remove');
    other.used('tools', 'add');
    for (const { summary } of [one, other]) all.add(summary);
    assert.deepEqual(all.summary.tools.used, ['add', 'remove']);
    assert.deepEqual(all.summary.tools.unused, ['__proto__', 'late']);
    assert.equal(all.summary.tools.times.get('add'), 3);
    assert.equal(all.summary.resourceTemplates.times.get('notes:///{name}'), 1);
  });

  it('is shown at the lines of the snapshot, and for the rest in a list', () => {
    const text = snapshotText(snapshotOf({ ...LISTED, tools: [tool('add'), tool('__proto__'), tool('gone')] }));
    const { snapshot, listing } = marksOf(covered().summary, text);
    assert.deepEqual(drawn(text, snapshot), [
      ['tools/__proto__', 0, '"__proto__": {'],
      ['tools/add', 2, '"add": {'],
      ['prompts/add', 0, '"add": {}'],
      ['resourceTemplates/notes:///{name}', 1, '"notes:///{name}": {'],
      ['resourceTemplates/notes:///{year}/{month}.md', 0, '"notes:///{year}/{month}.md": {'],
    ]);
    assert.deepEqual(JSON.parse(listing!.text), { tools: ['remove'], resources: ['help:///', 'help:///about'] });
    assert.deepEqual(drawn(listing!.text, listing!.marks), [
      ['tools/remove', 0, '"remove"'],
      ['resources/help:///', 1, '"help:///",'],
      ['resources/help:///about', 0, '"help:///about"'],
    ]);
  });

  it('is a list of everything where there is no snapshot that can be read', () => {
    for (const text of [undefined, '{', '{ "version": 2 }']) {
      const { snapshot, listing } = marksOf(covered().summary, text);
      assert.deepEqual(snapshot, []);
      assert.deepEqual(Object.keys(JSON.parse(listing!.text)), ['tools', 'prompts', 'resourceTemplates', 'resources']);
      assert.deepEqual(drawn(listing!.text, listing!.marks)[1], ['tools/add', 2, '"add",']);
      assert.equal(listing!.marks.length, 8);
    }
    assert.deepEqual(marksOf(new Coverage().summary, undefined), { snapshot: [] });
  });
});
