import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readyProgram } from '../../../../src/host/sandbox/launcher';
import { StdioTransport } from '../../../../src/host/transport/stdioTransport';
import { processIsAlive, waitFor } from '../../../servers/spawn';

/** Needs a second to clean up, and leaves a file when it has. It ignores the end of its stdin. */
const SERVER = `
  const { writeFileSync } = require('node:fs');
  process.on('SIGTERM', () => {
    console.error('cleaning up');
    setTimeout(() => {
      console.error('cleaned up');
      writeFileSync('cleaned', '');
      process.exit(0);
    }, 1_000);
  });
  setInterval(() => {}, 1_000);
  writeFileSync('pid', String(process.pid));
  console.error('up');`;
const DEAF = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1_000);
  require('node:fs').writeFileSync('pid', String(process.pid));
  console.error('up');`;

describe('a server behind a program that SIGTERM ends at once', function () {
  this.timeout(60_000);
  if (process.platform === 'win32') return; // it has no SIGTERM
  let folder: string;
  let stderr: string[];
  let transport: StdioTransport;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mcp-host-'));
    stderr = [];
  });
  afterEach(async () => {
    await transport.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const start = async (script: string, command: string, ...args: string[]) => {
    writeFileSync(join(folder, 'server.js'), script);
    const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1', NODE: process.execPath };
    transport = new StdioTransport(
      { ready: () => readyProgram({ command, args, env, cwd: folder }) },
      { stderr: line => stderr.push(line), noise: () => {}, log: () => {}, leftOut: () => {}, wire: () => {} },
    );
    await transport.start();
    await waitFor(() => stderr.includes('up'), { timeoutMs: 30_000, what: () => `the start; ${stderr}` });
    return { leader: transport.pid!, server: Number(readFileSync(join(folder, 'pid'), 'utf8')) };
  };
  const cleanedUp = (server: number) => {
    assert.deepEqual(stderr.slice(-2), ['cleaning up', 'cleaned up']);
    assert.ok(existsSync(join(folder, 'cleaned')));
    assert.equal(processIsAlive(server), false);
  };

  it('cleans up behind a shell, and is heard until its end', async () => {
    const { leader, server } = await start(SERVER, '/bin/sh', '-c', '"$NODE" server.js; exit 3');
    assert.notEqual(leader, server);
    await transport.close();
    assert.deepEqual(transport.exit, { code: null, signal: 'SIGTERM' });
    cleanedUp(server);
  });

  it('cleans up behind npx', async () => {
    const own = join(folder, 'node_modules', 'slow-end');
    mkdirSync(own, { recursive: true });
    mkdirSync(join(folder, 'node_modules', '.bin'));
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "dependencies": { "slow-end": "1.0.0" } }');
    writeFileSync(join(own, 'package.json'), '{ "name": "slow-end", "version": "1.0.0", "bin": "run.sh" }');
    const run = '#!/bin/sh\nexec "$NODE" server.js\n';
    writeFileSync(join(own, 'run.sh'), run, { mode: 0o755 });
    writeFileSync(join(folder, 'node_modules', '.bin', 'slow-end'), run, { mode: 0o755 });
    const { leader, server } = await start(SERVER, 'npx', '--no', '--offline', 'slow-end');
    assert.notEqual(leader, server);
    await transport.close();
    cleanedUp(server);
  });

  it('is killed when its time is up', async () => {
    const { server } = await start(DEAF, '/bin/sh', '-c', '"$NODE" server.js; exit 3');
    await transport.close();
    await waitFor(() => !processIsAlive(server), { what: 'the end of the server, which was killed' });
  });

  it('is killed immediately when the program in front of it dies unasked', async () => {
    const { leader, server } = await start(SERVER, '/bin/sh', '-c', '"$NODE" server.js; exit 3');
    process.kill(leader, 'SIGKILL');
    await waitFor(() => !processIsAlive(server), { what: 'the end of the server' });
    await transport.close();
    assert.equal(existsSync(join(folder, 'cleaned')), false);
  });

  if (process.platform !== 'linux') return;
  const ownGroup = ['/bin/bash', '-c', 'set -m; "$NODE" server.js & wait'] as const;

  it('cleans up in a process group of its own', async () => {
    const { server } = await start(SERVER, ...ownGroup);
    await transport.close();
    cleanedUp(server);
  });

  it('is killed in a process group of its own, when its time is up', async () => {
    const { server } = await start(DEAF, ...ownGroup);
    await transport.close();
    await waitFor(() => !processIsAlive(server), { what: 'the end of the server, which was killed' });
  });

  it('is killed in a process group of its own when the program in front of it dies unasked', async () => {
    const { leader, server } = await start(SERVER, ...ownGroup);
    process.kill(leader, 'SIGKILL');
    await waitFor(() => !processIsAlive(server), { what: 'the end of the server' });
  });

  it('leaves a daemon with a session of its own running', async () => {
    const script = `${SERVER}
      const { spawn } = require('node:child_process');
      const daemon = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { detached: true, stdio: 'ignore' });
      writeFileSync('daemon', String(daemon.pid));
      daemon.unref();`;
    const { server } = await start(script, '/bin/sh', '-c', '"$NODE" server.js; exit 3');
    const daemonFile = join(folder, 'daemon');
    const daemon = Number(
      await waitFor(() => existsSync(daemonFile) && readFileSync(daemonFile, 'utf8'), { what: 'its pid' }),
    );
    await transport.close();
    cleanedUp(server);
    assert.ok(processIsAlive(daemon));
    process.kill(daemon, 'SIGKILL');
  });
});
