import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import type { AuditEvent } from '../../../../../src/features/trust/core/audit';
import { AuditLog } from '../../../../../src/features/trust/core/auditLog';

const event = (server: string): AuditEvent => ({ type: 'launch', server, state: 'ready', what: 'node' });
const DAY_MS = 24 * 3_600_000;

describe('the audit log', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'audit-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const servers = (text: string) =>
    text
      .trim()
      .split('\n')
      .map(line => JSON.parse(line).server as string);

  it('keeps every event in order, with its time, readable by its owner only', async () => {
    const log = new AuditLog(folder);
    for (let i = 0; i < 500; i++) log.record(event(`s${i}`));
    const text = await log.read();
    assert.deepEqual(
      servers(text),
      Array.from({ length: 500 }, (_, i) => `s${i}`),
    );
    assert.match(JSON.parse(text.split('\n')[0]!).time, /^\d{4}-\d\d-\d\dT/);
    const [file] = await readdir(folder);
    if (process.platform !== 'win32') assert.equal((await stat(path.join(folder, file!))).mode & 0o077, 0);
  });

  it('of two windows is one', async () => {
    const [one, other] = [new AuditLog(folder), new AuditLog(folder)];
    for (let i = 0; i < 50; i++) {
      one.record(event('one'));
      other.record(event('other'));
    }
    await Promise.all([one.flush(), other.flush()]);
    assert.equal(servers(await one.read()).length, 100);
  });

  it('starts a new file when one is full, and forgets the oldest when there is too much', async () => {
    const log = new AuditLog(folder, { maxFileBytes: 1_000, maxTotalBytes: 5_000 });
    for (let i = 0; i < 200; i++) {
      log.record(event(`s${i}`));
      await log.flush();
    }
    const kept = servers(await log.read());
    assert.equal(kept.at(-1), 's199');
    assert.ok(kept.length < 100, `${kept.length} are kept`);
    assert.deepEqual(
      kept,
      Array.from({ length: kept.length }, (_, i) => `s${200 - kept.length + i}`),
    );
  });

  it('forgets what is older than 30 days', async () => {
    const old = new AuditLog(folder);
    old.record(event('old'));
    await old.flush();
    const now = Date.now() + 31 * DAY_MS;
    const log = new AuditLog(folder, { now: () => now });
    log.record(event('new'));
    assert.deepEqual(servers(await log.read()), ['new']);
  });

  it('that can not be written stops nothing', async () => {
    const file = path.join(folder, 'file');
    await writeFile(file, '');
    const log = new AuditLog(path.join(file, 'audit'));
    log.record(event('a'));
    assert.equal(await log.read(), '');
  });
});
