import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { shellCommand } from '../../../../../src/features/trace/core/copyAsCode';
import { call, copied, http } from './copiedMessages';

describe('shellCommand', () => {
  it('uses curl for a server with an address, with variables for secrets', () => {
    const text = shellCommand(copied(http));
    assert.match(text, /^curl -N 'https:\/\/example.com\/mcp\?api_key='"\$HIDDEN"/);
    assert.match(text, /-H 'Authorization: Bearer '"\$API_TOKEN"/);
    assert.match(text, /-H 'X-Api-Key: '"\$KEY"/);
    assert.match(text, /-H 'X-Token: '"\$X_TOKEN"/);
    assert.match(text, /-H 'X-Team: blue'/);
    assert.match(text, /-H 'Mcp-Session-Id: '"\$MCP_SESSION_ID"/);
    assert.doesNotMatch(text, /tok-from-env|literal-secret|plainkey/);
    assert.doesNotMatch(shellCommand(copied(http, { era: 'modern' })), /Session/);
  });

  it('reaches a server on a socket', function () {
    if (process.platform === 'win32') this.skip(); // its path is written otherwise there
    const text = shellCommand(copied({ url: 'unix:///tmp/a b.sock#/mcp' }));
    assert.match(text, /^curl -N --unix-socket '\/tmp\/a b\.sock' '?http:\/\/localhost\/mcp'? /);
  });

  it('uses variables for secrets among program arguments too', () => {
    const args = ['run', '-e', 'API_KEY=9f8a7b6c5d4e3f2a', 'img', '--header', 'Authorization: Bearer 1a2b3c4d5e6f7a8b'];
    const text = shellCommand(copied({ command: 'docker', args }));
    assert.doesNotMatch(text, /9f8a7b6c|1a2b3c4d/);
    assert.match(text, /API_KEY='?"\$HIDDEN"/);
  });

  it('makes curl send the message byte for byte', function () {
    if (process.platform === 'win32') this.skip(); // no such shell there
    const text = shellCommand(copied({ url: 'http://127.0.0.1/' })).replace(
      'curl -N',
      `'${process.execPath}' -e 'console.log(process.argv.at(-1))' --`,
    );
    assert.deepEqual(JSON.parse(execFileSync('/bin/sh', ['-c', text], { encoding: 'utf8' })), call);
  });

  it("writes to the program's input, after the handshake", function () {
    if (process.platform === 'win32') this.skip(); // no such shell there
    const script = 'process.stdin.on("data", d => process.stdout.write(process.env.API_TOKEN + " " + d))';
    const entry = {
      command: process.execPath,
      args: ['-e', script],
      env: { API_TOKEN: '${env:API_TOKEN}', GONE: null },
    };
    const text = shellCommand(copied(entry)).replace('sleep 5', ':');
    assert.match(text, /API_TOKEN="\$API_TOKEN"/);
    assert.match(text, /env .*-u GONE/);
    const said = execFileSync('/bin/sh', ['-c', text], {
      encoding: 'utf8',
      env: { ...process.env, API_TOKEN: 'mine' },
    });
    const lines = said.trim().split('\n');
    assert.match(lines[0]!, /^mine .*"initialize"/);
    assert.deepEqual(JSON.parse(lines[2]!), call);
    assert.doesNotMatch(shellCommand(copied(entry, { era: 'modern' })), /initialize/);
  });
});
