import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { FileChanges, isLeftOut, watchedPlace } from '../../../../../src/features/dev/core/watchedFiles';

describe('watched files', () => {
  const from = resolve('/home/me/server');

  it('are searched from the folder in which a pattern starts', () => {
    const place = (base: string, pattern: string) => ({ base: resolve(from, base), pattern });
    assert.deepEqual(watchedPlace('src/**/*.ts', from), place('src', '**/*.ts'));
    assert.deepEqual(watchedPlace('*.py', from), place('.', '*.py'));
    assert.deepEqual(watchedPlace('../shared/lib/{a,b}/*.js', from), place('../shared/lib', '{a,b}/*.js'));
    assert.deepEqual(watchedPlace('/srv/tools/**', from), { base: resolve('/srv/tools'), pattern: '**' });
    assert.deepEqual(watchedPlace('src\\**\\*.ts', from, 'win32'), place('src', '**/*.ts'));
  });

  it('are one file, or one folder, where there is no wildcard', () => {
    assert.deepEqual(watchedPlace('server.mjs', from), { base: from, pattern: 'server.mjs{,/**}' });
    assert.deepEqual(watchedPlace('src/', from), { base: from, pattern: 'src{,/**}' });
  });

  it('never include a whole disk', () => {
    for (const glob of ['/**', '/*', '/tmp', '../../../**']) assert.equal(watchedPlace(glob, from), undefined, glob);
  });

  it('are matched by few wildcards', () => {
    for (const glob of ['**/*a*b*c', '**/a/**/b/**/c', `${'**/'.repeat(8)}x`, '**/{a,{b,{c,d}}}'])
      assert.equal(watchedPlace(glob, from), undefined, glob);
    for (const glob of ['src/**/*.{ts,tsx}', '**/src/**', '**/*.test.*', 'packages/*/src/**/*.[jt]s'])
      assert.ok(watchedPlace(glob, from), glob);
  });

  it('exclude what programs generate', () => {
    assert.ok(isLeftOut(from, resolve(from, 'node_modules/x/index.js')));
    assert.ok(isLeftOut(from, resolve(from, 'packages/a/node_modules/x.js')));
    assert.ok(isLeftOut(from, resolve(from, '.git/HEAD')));
    assert.ok(!isLeftOut(from, resolve(from, 'src/node_modules.ts')));
    const inside = resolve(from, 'node_modules/mine');
    assert.ok(!isLeftOut(inside, resolve(inside, 'src/a.ts')), 'the server itself may lie in one');
  });

  it('count a save once, although editor and watcher both report it', () => {
    const files = new FileChanges();
    assert.ok(files.isChange('/a', '1 10', false));
    assert.ok(!files.isChange('/a', '1 10', false));
    assert.ok(files.isChange('/b', '1 10', false));
    assert.ok(files.isChange('/a', '2 10', false));
    assert.ok(files.isChange('/a', undefined, false), 'it was deleted');
    assert.ok(!files.isChange('/a', undefined, false));
  });

  it('exclude what each build rewrites', () => {
    const files = new FileChanges();
    assert.ok(files.isChange('/out.js', '1 10', true), 'somebody may have saved it just then');
    assert.ok(!files.isChange('/out.js', '2 10', true));
    assert.ok(!files.isChange('/out.js', '3 10', true));
    assert.ok(files.isChange('/out.js', '4 10', false), 'a person has written it');
    assert.ok(files.isChange('/src.ts', '4 10', true));
  });
});
