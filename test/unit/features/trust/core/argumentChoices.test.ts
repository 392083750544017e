import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { argumentChoices, ruleChoices } from '../../../../../src/features/trust/core/argumentChoices';
import { ruleHolds } from '../../../../../src/features/trust/core/argumentRules';
import { temporaryFolder } from '../../../../setup/paths';

describe('What a person can narrow of a call', () => {
  let root: string;
  const context = (more = {}) => ({ folders: [root], isLocal: true, isSecret: () => false, ...more });
  before(() => {
    root = temporaryFolder();
    mkdirSync(join(root, 'a', 'b'), { recursive: true });
  });
  const foldersOf = (args: Record<string, unknown>, more = {}) =>
    argumentChoices(args, context(more)).flatMap(({ choices }) =>
      choices.flatMap(choice => (choice.is === 'below' ? [choice.folder] : [])),
    );

  it('is each argument, also in objects: its value first, any value last', () => {
    const args = { text: 'x', options: { deep: { n: 1 }, list: [1] }, none: null, empty: {} };
    const parts = argumentChoices(args, context());
    assert.deepEqual(
      parts.map(({ path, choices }) => [path, choices.map(({ is }) => is)]),
      ['/text', '/options/deep/n', '/options/list', '/none', '/empty'].map(path => [path, ['equals', 'any']]),
    );
    assert.deepEqual(argumentChoices({}, context()), []);
  });

  it('always means the call at hand, whatever is chosen', () => {
    const args = {
      path: join(root, 'a', 'b', 'new.txt'),
      folder: join(root, 'a'),
      paths: [join(root, 'a', 'x'), join(root, 'a', 'b', 'y')],
      url: 'https://example.com/x',
      urls: ['https://a.example', 'https://b.example/x'],
      options: { depth: 3 },
    };
    const parts = argumentChoices(args, context());
    const longest = Math.max(...parts.map(({ choices }) => choices.length));
    for (let number = 0; number < longest; number++) {
      const rule = parts.map(({ choices }) => choices[Math.min(number, choices.length - 1)]!);
      assert.ok(ruleHolds(rule, args), JSON.stringify(rule));
      assert.ok(!ruleHolds(rule, { ...args, more: 1 }));
    }
  });

  it('are folders up to that of the workspace; elsewhere the next one; never all of a disk', () => {
    const [a, b] = [join(root, 'a'), join(root, 'a', 'b')];
    assert.deepEqual(foldersOf({ path: join(b, 'x', 'new.txt') }), [join(b, 'x'), b, a, root]);
    assert.deepEqual(foldersOf({ path: root }), [root]);
    assert.deepEqual(foldersOf({ path: b }, { folders: [] }), [a]);
    assert.deepEqual(foldersOf({ path: '/file' }), []);
    assert.deepEqual(foldersOf({ path: '/' }), []);
    assert.deepEqual(foldersOf({ paths: [join(a, 'x'), join(b, 'y')] }), [a, root]);
    assert.deepEqual(foldersOf({ paths: [join(a, 'x'), 'relative'] }), []);
    assert.deepEqual(foldersOf({ path: join(b, '..', 'x') }), [a, root]);
    assert.deepEqual(foldersOf({ path: `${b}/../x` }), []);
    assert.deepEqual(foldersOf({ path: join(b, 'x') }, { isLocal: false }), []);
  });

  it('are hosts where an address leaves no doubt', () => {
    const hosts = (args: Record<string, unknown>) =>
      argumentChoices(args, context()).flatMap(({ choices }) =>
        choices.flatMap(choice => (choice.is === 'host' ? [choice.hosts] : [])),
      );
    assert.deepEqual(hosts({ url: 'https://Example.com:8443/x' }), [['https://example.com:8443']]);
    assert.deepEqual(hosts({ url: 'https://a@b.example' }), []);
    assert.deepEqual(hosts({ urls: ['https://b.example', 'https://a.example', 'https://b.example/2'] }), [
      ['https://a.example', 'https://b.example'],
    ]);
  });

  it('are no values that are secret or long: then any value has to be chosen', () => {
    const only = (args: Record<string, unknown>, more = {}) =>
      argumentChoices(args, context(more)).map(({ choices }) => choices.map(({ is }) => is));
    assert.deepEqual(only({ text: 'x'.repeat(2_000) }), [['any']]);
    assert.deepEqual(only({ token: 'hunter2' }, { isSecret: (text: string) => text.includes('hunter2') }), [['any']]);
  });

  it('are asked one by one up to a point', () => {
    const many = { all: Object.fromEntries(Array.from({ length: 40 }, (_, number) => [`a${number}`, number])), b: 1 };
    assert.deepEqual(
      argumentChoices(many, context()).map(({ path }) => path),
      ['/all', '/b'],
    );
  });

  it('offers for an existing rule its own value, wider folders, and any value', () => {
    const rule = [
      { path: '/p', is: 'below', folder: join(root, 'a', 'b') },
      { path: '/n', is: 'equals', value: 1 },
      { path: '/x', is: 'any' },
    ] as const;
    const choices = ruleChoices(rule, context());
    assert.deepEqual(
      choices.map(part => part.choices.map(({ is }) => is)),
      [['below', 'below', 'below', 'any'], ['equals', 'any'], ['any']],
    );
  });
});
