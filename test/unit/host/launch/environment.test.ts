import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  findProgram,
  isExecutable,
  loginShellPath,
  mergePaths,
  programAt,
} from '../../../../src/host/launch/environment';
import { temporaryFolder } from '../../../setup/paths';

describe('the program of a server on Windows', () => {
  const there = (...paths: string[]) => ({ isProgram: (path: string) => paths.includes(path) });

  it('is found at its path without its extension, before a script for other shells that lies beside it', () => {
    const node = 'C:\\Program Files\\nodejs';
    const find = (path: string) =>
      programAt(path, { PathExt: '.COM;.EXE;.CMD' }, there(`${node}\\npx`, `${node}\\npx.CMD`, `${node}\\node.exe`));
    assert.equal(find(`${node}\\npx`), `${node}\\npx.CMD`);
    assert.equal(find(`${node}\\node.exe`), `${node}\\node.exe`);
    assert.equal(find(`${node}\\gone.exe`), undefined, 'no shell is asked for it');
    assert.equal(find(`${node}\\gone`), undefined);
  });

  it('finds scripts of any extension, whose first line names the interpreter', () => {
    assert.equal(programAt('C:\\tools\\server.py', {}, there('C:\\tools\\server.py')), 'C:\\tools\\server.py');
  });

  it('is found on shares and behind long paths', () => {
    const long = `\\\\?\\C:\\${'folder\\'.repeat(60)}server.exe`;
    assert.equal(programAt(long, {}, there(long)), long);
    const share = '\\\\files\\tools';
    const find = (command: string) =>
      findProgram(command, { PATH: `C:\\Windows;"${share}"` }, [], {
        platform: 'win32',
        ...there(`${share}\\server.CMD`),
      });
    assert.equal(find('server'), `${share}\\server.CMD`);
    assert.equal(find('other'), undefined);
  });

  it('may be one of the Microsoft Store, which can be run but not looked into', () => {
    const fail = (code: string) => () => {
      throw Object.assign(new Error(code), { code });
    };
    const alias = { access: () => {}, stat: fail('EACCES'), lstat: () => ({ isDirectory: () => false }) };
    const is = (platform: NodeJS.Platform, disk: Parameters<typeof isExecutable>[2]) =>
      isExecutable('C:\\Users\\me\\AppData\\Local\\Microsoft\\WindowsApps\\python.exe', platform, disk);
    assert.ok(is('win32', alias));
    assert.ok(!is('linux', alias), 'there it means that it may not be run');
    assert.ok(!is('win32', { ...alias, lstat: () => ({ isDirectory: () => true }) }));
    assert.ok(!is('win32', { ...alias, lstat: fail('ENOENT') }));
    assert.ok(!is('win32', { ...alias, access: fail('ENOENT') }));
  });
});

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
