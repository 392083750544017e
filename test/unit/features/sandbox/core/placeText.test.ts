import assert from 'node:assert/strict';
import { folderText } from '../../../../../src/features/sandbox/core/refusals';

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
