import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnGroup } from '../../../../src/host/launch/processGroup';
import { temporaryFolder } from '../../../setup/paths';

describe('a Windows script (.cmd)', () => {
  let folder: string;
  let plain: string;
  before(function () {
    if (process.platform !== 'win32') this.skip(); // only its shell runs these
    folder = join(temporaryFolder(), 'a folder & (more)');
    mkdirSync(folder);
    writeFileSync(join(folder, 'echo.js'), 'console.log(JSON.stringify([process.argv.slice(2), process.env.Given]))');
    plain = join(folder, '..', 'plain.cmd');
    writeFileSync(plain, `@"%NODE_PROGRAM%" -p "JSON.stringify([process.argv.slice(1), process.env.Given])" %*\r\n`);
    writeFileSync(join(folder, 'server tool.cmd'), `@"%NODE_PROGRAM%" "%~dp0echo.js" %*\r\n`);
  });
  after(() => folder && rmSync(join(folder, '..'), { recursive: true, force: true }));

  const run = async (command: string, args: string[]) => {
    const env = {
      ...process.env,
      NODE_PROGRAM: process.execPath,
      PATH: `"${folder}";${join(folder, '..')};${process.env.PATH}`,
      GIVEN: 'a%b&c',
    };
    const child = spawnGroup({ command, args, env, cwd: folder });
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', part => {
      text += part;
    });
    child.stderr?.setEncoding('utf8').on('data', part => {
      text += part;
    });
    await new Promise(resolve => child.once('close', resolve));
    return JSON.parse(text) as unknown;
  };

  it('runs by path or name, with or without extension, with its environment', async () => {
    for (const command of [plain, plain.slice(0, -4), 'plain', 'PLAIN.CMD'])
      assert.deepEqual(await run(command, ['x', 'y']), [['x', 'y'], 'a%b&c'], command);
  });

  it('runs from a folder with spaces and special characters, by path or name, with or without extension', async () => {
    for (const command of [join(folder, 'server tool.cmd'), join(folder, 'server tool'), 'server tool'])
      assert.deepEqual(await run(command, ['x']), [['x'], 'a%b&c'], command);
  });

  it('gets its arguments unchanged: spaces, &, ^, %, !, commas, parentheses', async () => {
    const args = ['a b', 'x&y', 'ca^ret', '100%', '%PATH%', 'bang!', 'a,b;c=d', '(x)', '<y>|z', 'C:\\end\\'];
    assert.deepEqual(await run(plain, args), [args, 'a%b&c']);
  });
});
