import assert from 'node:assert/strict';
import { findProgram, isExecutable, programAt } from '../../../../src/host/launch/environment';

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
