import assert from 'node:assert/strict';
import { TemplateMemory } from '../../../../src/features/resources/templateMemory';
import { MemoryMemento } from '../../editor/resources/memoryMemento';

const resource = (n: number | string) => ({ uri: `x:${n}`, name: `${n}.md` });

describe('the memory of templates', () => {
  it('keeps the values and the ten newest resources of each template, for each server', async () => {
    const memento = new MemoryMemento();
    const memory = new TemplateMemory(memento);
    const changed: string[] = [];
    memory.onDidChange(server => changed.push(server));
    for (let n = 0; n < 12; n++) await memory.remember('one', 'x:{n}', { n: String(n) }, resource(n));
    await memory.remember('one', 'x:{n}', { n: '5' }, resource(5));
    await memory.remember('two', 'x:{n}', { n: 'z' }, resource('z'));

    const again = new TemplateMemory(memento);
    assert.deepEqual(again.values('one', 'x:{n}'), { n: '5' });
    const uris = again.recent('one', 'x:{n}').map(({ uri }) => uri);
    assert.deepEqual(uris, ['x:5', 'x:11', 'x:10', 'x:9', 'x:8', 'x:7', 'x:6', 'x:4', 'x:3', 'x:2']);
    assert.deepEqual(again.values('two', 'x:{n}'), { n: 'z' });
    assert.deepEqual(again.recent('three', 'x:{n}'), []);
    assert.equal(changed.length, 14);
    assert.equal(changed.at(-1), 'two');
  });

  it('drops very long values', async () => {
    const memory = new TemplateMemory(new MemoryMemento());
    await memory.remember('one', 'x:{n}{m}', { n: '1', m: 'm'.repeat(2_000) }, resource(1));
    assert.deepEqual(memory.values('one', 'x:{n}{m}'), { n: '1' });
  });

  it('is bounded: the least recently used template goes first', async () => {
    const memory = new TemplateMemory(new MemoryMemento());
    for (let n = 0; n < 101; n++) await memory.remember('one', `x:${n}{a}`, { a: 'a' }, resource(n));
    assert.deepEqual(memory.values('one', 'x:0{a}'), {});
    assert.deepEqual(memory.values('one', 'x:1{a}'), { a: 'a' });
  });
});
