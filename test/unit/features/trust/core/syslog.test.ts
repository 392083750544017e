import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { AuditLog } from '../../../../../src/features/trust/core/auditLog';
import { Syslog } from '../../../../../src/features/trust/core/syslog';
import { untilHolds } from '../../../../servers/spawn';
import { temporaryFolder } from '../../../../setup/paths';

const event = (server: string) => ({ type: 'launch', server, state: 'allowed', what: 'node' }) as const;
const isHere = existsSync('/usr/bin/logger') && spawnSync('/usr/bin/python3', ['--version']).status === 0;

/** The log of a system: takes datagrams at a path, and prints each as a line. */
const RECEIVER = `
import socket, sys
taken = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
taken.bind(sys.argv[1])
print("listens", flush=True)
while True:
    print(taken.recv(100000).decode(), flush=True)
`;

describe("the system's log", () => {
  before(function () {
    if (!isHere) this.skip();
  });
  let folder: string;
  let syslog: Syslog;
  let receiver: ChildProcess | undefined;
  let lines: string[];
  const log = () => new AuditLog(folder, text => text, { copy: () => 'syslog', syslog: lines => syslog.write(lines) });
  async function listen(path: string): Promise<void> {
    receiver = spawn('/usr/bin/python3', ['-c', RECEIVER, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    createInterface(receiver.stdout!).on('line', line => lines.push(line));
    await untilHolds(() => assert.equal(lines[0], 'listens'));
  }
  beforeEach(() => {
    lines = [];
    folder = temporaryFolder();
  });
  afterEach(() => {
    syslog?.dispose();
    receiver?.kill();
  });

  it('gets each line of the audit log whole, long ones too', async () => {
    const path = join(folder, 'log');
    await listen(path);
    syslog = new Syslog(['-u', path]);
    const audit = log();
    const long = 'x'.repeat(900);
    for (const server of ['one', long]) {
      audit.record({ ...event(server), reason: long });
      await audit.flush();
    }
    await untilHolds(() => assert.equal(lines.length, 3));
    const [, first = '', second = ''] = lines;
    assert.match(first, /^<38>.* mcp-host: \{"time":.*"server":"one".*\}$/);
    assert.equal(JSON.parse(second.slice(second.indexOf('{'))).server, long);
    assert.match(second, /x{900}.*x{900}"\}$/);
  });

  it('holds up nothing while its program does not read or is missing', async () => {
    const hangs = join(folder, 'hangs');
    writeFileSync(hangs, '#!/bin/sh\nexec sleep 5\n', { mode: 0o755 });
    for (const [logger, problem] of [
      [hangs, 'it does not read'],
      [join(folder, 'none'), 'ENOENT'],
    ] as const) {
      syslog = new Syslog([], logger);
      const told = async () => {
        const code = await syslog.write('x'.repeat(100_000)).then(
          () => undefined,
          (error: NodeJS.ErrnoException) => error.code,
        );
        assert.equal(code, problem);
      };
      await untilHolds(told);
      syslog.dispose();
    }
  });

  it('reports once that it is missing, and receives lines again when it is there', async () => {
    const path = join(folder, 'log');
    syslog = new Syslog(['-u', path]);
    const audit = log();
    const problems = async () =>
      (await audit.read())
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
        .filter(({ type }) => type === 'copy')
        .map(({ problem }) => problem);
    await untilHolds(async () => {
      audit.record(event('lost'));
      await audit.flush();
      assert.deepEqual(await problems(), ['exit code 1']);
    });
    await listen(path);
    await untilHolds(async () => {
      audit.record(event('again'));
      await audit.flush();
      assert.ok(lines.some(line => line.includes('"server":"again"')));
    });
  });
});
