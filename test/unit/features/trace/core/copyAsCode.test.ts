import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { sdkCall, shellCommand } from '../../../../../src/features/trace/core/copyAsCode';
import { call, copied, http, reach } from './copiedMessages';

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

describe('sdkCall', () => {
  const { method, params } = call;

  it('connects over HTTP, with environment variables for secrets', () => {
    const text = sdkCall({ method, params, reach: reach(http) });
    assert.match(
      text,
      /new StreamableHTTPClientTransport\(new URL\(`https:\/\/example.com\/mcp\?api_key=\$\{process.env.HIDDEN\}`\)/,
    );
    assert.match(text, /Authorization: `Bearer \$\{process.env.API_TOKEN\}`,/);
    assert.match(text, /"X-Team": "blue",/);
    assert.match(text, /await client.callTool\(\{\n {2}name: "it's",\n {2}arguments: \{\n {4}a: "\$HOME `x`"/);
    assert.doesNotMatch(text, /tok-from-env|literal-secret|plainkey/);
  });

  it('launches a program', () => {
    const entry = { command: 'node', args: ['--token', 'redacted-1', 'a b'], env: { KEY: 'v' }, cwd: '/tmp' };
    const text = sdkCall({ method: 'tools/list', params: {}, reach: reach(entry) });
    assert.match(text, /args: \["--token", `\$\{process.env.HIDDEN\}`, "a b"\]/);
    assert.match(text, /env: \{ KEY: process.env\["KEY"\] \?\? '', \}/);
    assert.match(text, /await client.listTools\(\);/);
  });

  it('uses the general method for unknown requests', () => {
    const text = sdkCall({
      method: 'toString',
      params: { ['__proto__']: 1, 'a-b': 2 },
      reach: reach({ command: 'x' }),
    });
    assert.match(text, /client.request\(\{\n {2}method: "toString"/);
    assert.match(text, /\["__proto__"\]: 1,\n {4}"a-b": 2/);
    assert.match(
      sdkCall({ method: 'logging/setLevel', params: { level: 'info' }, reach: reach({ command: 'x' }) }),
      /setLoggingLevel\("info"\)/,
    );
  });
});
