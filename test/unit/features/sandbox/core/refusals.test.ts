import assert from 'node:assert/strict';
import {
  type Allowance,
  allowancesFor,
  folderText,
  widened,
  writeWishes,
} from '../../../../../src/features/sandbox/core/refusals';

describe('the policy proposed after blocked attempts', () => {
  const here = { home: '/home/me' };
  const host = { kind: 'network', what: 'api.example.com' } as const;
  const file = { kind: 'write', what: '/home/me/.cache/x/a.json' } as const;
  const secret = { kind: 'read', what: '/home/me/.aws/config' } as const;

  it('keeps what was there, and adds only what is needed @proposal.keeps-adds-needed', () => {
    assert.deepEqual(widened(true, [[host, 'this']], here), { network: ['api.example.com'] });
    assert.deepEqual(widened({ network: ['a.com'], env: ['A'] }, [[host, 'this']], here), {
      network: ['a.com', 'api.example.com'],
      env: ['A'],
    });
    assert.deepEqual(widened({ network: ['api.example.com'] }, [[host, 'this']], here), {
      network: ['api.example.com'],
    });
  });

  it('opens no root beside the allowed ones, and uses the workspace variable where the entry is in the workspace', () => {
    assert.deepEqual(widened(undefined, [[file, 'this']], here), { write: ['~/.cache/x/a.json'] });
    const inRoot = { kind: 'write', what: '/home/me/project/src/a.ts' } as const;
    const workspace = { ...here, workspaceFolder: '/home/me/project' };
    assert.deepEqual(widened(true, [[inRoot, 'folder']], workspace), { write: ['${workspaceFolder}/src'] });
    assert.deepEqual(widened(true, [[inRoot, 'folder']], here), { write: ['~/project/src'] });
    assert.deepEqual(widened({ write: [] }, [[file, 'folder']], here), { write: ['~/.cache/x'] });
    const elsewhere = { kind: 'write', what: '/home/meow/a' } as const;
    assert.deepEqual(widened({ write: ['/srv'] }, [[elsewhere, 'folder']], here), { write: ['/srv', '/home/meow'] });
  });

  it('opens nothing else of the home folder when one of its secret places is allowed', () => {
    assert.deepEqual(widened(true, [[secret, 'this']], here), { read: ['~/.aws/config'] });
    assert.deepEqual(widened({ read: ['~/notes'] }, [[secret, 'folder']], here), { read: ['~/notes', '~/.aws'] });
  });

  it('is one for all attempts, and none without attempts', () => {
    const all = [host, file, secret, { ...host, what: 'b.example.com' }].map(one => [one, 'this'] as const);
    assert.deepEqual(widened(true, all, here), {
      network: ['api.example.com', 'b.example.com'],
      write: ['~/.cache/x/a.json'],
      read: ['~/.aws/config'],
    });
    assert.deepEqual(widened(true, [], here), {});
    assert.deepEqual(widened({ env: ['A'] }, [[{ kind: 'sockets', what: '' }, 'this']], here), {
      env: ['A'],
      sockets: true,
    });
  });

  it('can include a file or its folder, unless that contains programs or is the whole home folder', () => {
    const { home } = here;
    assert.deepEqual(allowancesFor(host, home, false), ['this']);
    assert.deepEqual(allowancesFor(file, home, true), ['this', 'folder']);
    assert.deepEqual(allowancesFor(file, home, false), ['folder']);
    assert.deepEqual(allowancesFor({ kind: 'write', what: '/home/me/a' }, home, false), []);
    assert.deepEqual(allowancesFor({ kind: 'write', what: '/home/me/.bashrc' }, home, true), []);
    assert.deepEqual(allowancesFor(secret, home, true), ['this', 'folder']);
    assert.deepEqual(allowancesFor({ kind: 'read', what: '/home/me/.netrc' }, home, true), ['this']);
  });
});

describe('what a server wants to write', () => {
  before(function () {
    if (process.platform === 'win32') this.skip(); // nothing is confined there
  });
  const refused = (what: string, allowances: readonly Allowance[], more: object = {}) => ({
    attempt: { kind: 'write' as const, what },
    isKept: false,
    allowances,
    ...more,
  });

  it('is one wish for each folder, or for a file where only that can be allowed', () => {
    const wishes = writeWishes([
      refused('/w/src/a', ['folder']),
      refused('/w/package.json', ['this']),
      refused('/w/src/b', ['this', 'folder']),
    ]);
    assert.deepEqual(
      wishes.map(({ path, isFolder, attempts }) => [path, isFolder, attempts.map(({ what }) => what)]),
      [
        ['/w/src', true, ['/w/src/a', '/w/src/b']],
        ['/w/package.json', false, ['/w/package.json']],
      ],
    );
  });

  it('is nothing that stays blocked, can not be allowed, or is read', () => {
    const read = refused('/w/c', ['this'], { attempt: { kind: 'read', what: '/w/c' } });
    assert.deepEqual(writeWishes([refused('/w/a', ['folder'], { isKept: true }), refused('/w/b', []), read]), []);
  });
});

describe('the text for a folder', () => {
  before(function () {
    if (process.platform === 'win32') this.skip(); // nothing is confined there
  });
  const one = { folders: ['/home/ada/work/app'], home: '/home/ada' };

  it('is relative to its workspace folder, whose name says which where there are several', () => {
    assert.equal(folderText('/home/ada/work/app/src/a', one), 'src/a/');
    assert.equal(folderText('/home/ada/work/app', one), 'app/');
    const two = { ...one, folders: [...one.folders, '/srv/lib'] };
    assert.equal(folderText('/home/ada/work/app/src', two), 'app/src/');
    assert.equal(folderText('/srv/lib/a', two), 'lib/a/');
  });

  it('is relative to the home folder elsewhere in it, and whole anywhere else', () => {
    assert.equal(folderText('/home/ada/notes', one), '~/notes/');
    assert.equal(folderText('/home/ada', one), '~/');
    assert.equal(folderText('/home/adam/notes', one), '/home/adam/notes/');
  });
});
