import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inRepository, temporaryFolder } from '../../setup/paths';

describe('mcppolicy.js', () => {
  let folder: string;
  before(() => {
    folder = temporaryFolder();
  });

  const write = (name: string, value: unknown) =>
    writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value));
  const mcppolicy = (...args: string[]) =>
    new Promise<{ code: unknown; stdout: string; stderr: string }>(resolve => {
      const program = inRepository('dist', 'mcppolicy.js');
      execFile(process.execPath, [program, ...args], { cwd: folder }, (error, stdout, stderr) =>
        resolve({ code: error ? error.code : 0, stdout, stderr }),
      );
    });

  it('says what rules refuse of the servers in settings files, and fails if that is any', async () => {
    write('rules.json', { allowedMcpServers: [{ serverCommand: ['npx', '-y', 'pkg@1.0.0'] }] });
    write('good.json', { 'mcpHost.servers': { files: { command: 'npx', args: ['-y', 'pkg@1.0.0'] } } });
    write('mcp.json', { servers: { other: { command: 'npx', args: ['-y', 'other'] } } });
    const good = await mcppolicy('rules.json', 'good.json');
    assert.deepEqual([good.code, good.stdout], [0, 'good.json: files: may start\n']);
    const both = await mcppolicy('rules.json', 'good.json', 'mcp.json');
    assert.equal(both.code, 1);
    assert.match(
      both.stdout,
      /mcp\.json: other: refused, because your organization allows only servers that rules\.json lists/,
    );
  });

  it('fails for rules that are not valid, and for files that are not there', async () => {
    write('good.json', { 'mcpHost.servers': {} });
    write('broken.json', '{"allowedMcpServers": [{"serverUrl": "https://a*.example/"}]}');
    const broken = await mcppolicy('broken.json', 'good.json');
    assert.equal(broken.code, 1);
    assert.match(
      broken.stdout,
      /broken\.json is not accepted, so it refuses every server: rule 1 of "allowedMcpServers": "\*" in a host stands for/,
    );
    for (const args of [['gone.json', 'good.json'], ['broken.json'], ['--help']])
      assert.equal((await mcppolicy(...args)).code, 2, args.join(' '));
  });
});
