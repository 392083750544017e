import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { loginShellPath, mergePaths } from '../../../../src/host/launch/environment';
import { temporaryFolder } from '../../../setup/paths';

describe('the PATH of the login shell', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });

  it('has absolute folders only, each once', function () {
    if (process.platform === 'win32') this.skip();
    assert.equal(mergePaths('/a:.:/b:', 'bin:/b::/c'), '/a:/b:/c');
  });

  it('is read in the home folder, out of reach of a workspace', async function () {
    if (process.platform === 'win32') this.skip();
    const shell = join(folder, 'shell');
    // Runs what it is asked to, as a shell does, and tells where.
    writeFileSync(shell, `#!/bin/sh\npwd > '${folder}/where'\necho "$PATH" > '${folder}/path'\nexec /bin/sh -c "$4"\n`);
    chmodSync(shell, 0o755);
    const path = await loginShellPath({ SHELL: shell, PATH: `.:node_modules/.bin:/usr/bin:/bin` });
    assert.equal(path, '/usr/bin:/bin');
    assert.equal(readFileSync(join(folder, 'where'), 'utf8').trim(), homedir());
    assert.equal(readFileSync(join(folder, 'path'), 'utf8').trim(), '/usr/bin:/bin');
  });

  it('is not asked of a shell whose path is relative', async () => {
    assert.equal(await loginShellPath({ SHELL: './shell', PATH: '/bin' }), undefined);
    assert.ok(!existsSync(join(folder, 'where')));
  });
});
