import assert from 'node:assert/strict';
import { appendFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { type AuditEvent, AuditLog } from '../../../../../src/features/trust/core/auditLog';
import { Redactor } from '../../../../../src/host/secrets/redactor';
import { temporaryFolder } from '../../../../setup/paths';

const event = (server: string): AuditEvent => ({ type: 'launch', server, state: 'ready', what: 'node' });
const asIs = (text: string) => text;
const DAY_MS = 24 * 3_600_000;

describe('the audit log', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });

  const servers = (text: string) =>
    text
      .trim()
      .split('\n')
      .map(line => JSON.parse(line).server as string);

  it('keeps every event in order, with its time, readable by its owner only @auditLog.keeps-event-order', async () => {
    const log = new AuditLog(folder, asIs);
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

  it('is copied to another file while one is named, and says once that this failed @auditLog.copied-file-named', async () => {
    const copy = path.join(folder, 'copy.log');
    let named: string | undefined = copy;
    const log = new AuditLog(folder, asIs, { copy: () => named });
    log.record(event('copied'));
    await log.flush();
    named = path.join(folder, 'no', 'folder.log');
    for (const name of ['lost', 'lost too']) {
      log.record(event(name));
      await log.flush();
    }
    await log.flush();
    named = undefined;
    log.record(event('not copied'));
    const events = (await log.read())
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    assert.deepEqual(
      events.map(({ server, type }) => server ?? type),
      ['copied', 'lost', 'copy', 'lost too', 'not copied'],
    );
    assert.equal(events[2].problem, 'ENOENT');
    assert.deepEqual(servers(await readFile(copy, 'utf8')), ['copied']);
  });

  it('is shared by two windows @auditLog.shared-two-windows', async () => {
    const [one, other] = [new AuditLog(folder, asIs), new AuditLog(folder, asIs)];
    for (let i = 0; i < 50; i++) {
      one.record(event('one'));
      other.record(event('other'));
    }
    await Promise.all([one.flush(), other.flush()]);
    assert.equal(servers(await one.read()).length, 100);
  });

  it('starts a new file when one is full, and forgets the oldest when there is too much', async () => {
    const log = new AuditLog(folder, asIs, { maxFileBytes: 1_000, maxTotalBytes: 5_000 });
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

  it('drops events older than 30 days', async () => {
    const old = new AuditLog(folder, asIs);
    old.record(event('old'));
    await old.flush();
    const now = Date.now() + 31 * DAY_MS;
    const log = new AuditLog(folder, asIs, { now: () => now });
    log.record(event('new'));
    assert.deepEqual(servers(await log.read()), ['new']);
  });

  it('that can not be written stops nothing, shows its last events, and writes them later @auditLog.written-stops-shows', async () => {
    const file = path.join(folder, 'file');
    await writeFile(file, '');
    const log = new AuditLog(path.join(file, 'audit'), asIs);
    for (let n = 0; n <= 1_000; n++) {
      log.record(event(`s${n}`));
      if (n % 100 === 0) await log.flush();
    }
    const shown = servers(await log.read());
    assert.deepEqual([shown.length, shown.at(0), shown.at(-1)], [1_000, 's1', 's1000']);
    await rm(file);
    log.record(event('later'));
    await log.flush();
    assert.deepEqual(servers(await new AuditLog(log.folder, asIs).read()), [...shown, 'later']);
  });

  it('loses no event after a line that a full disk cut off @auditLog.loses-event-line', async () => {
    const log = new AuditLog(folder, asIs);
    log.record(event('a'));
    await log.flush();
    const [file] = await readdir(folder);
    await appendFile(path.join(folder, file!), '{"time":"20');
    const next = new AuditLog(folder, asIs);
    for (const server of ['b', 'c']) {
      next.record(event(server));
      await next.flush();
    }
    const [first, cut, ...rest] = (await next.read()).trim().split('\n');
    assert.deepEqual(servers([first, ...rest].join('\n')), ['a', 'b', 'c']);
    assert.equal(cut, '{"time":"20');
  });

  it('contains no secret, hidden character or endless text, whoever writes an event @auditLog.contains-secret-hidden', async () => {
    const redactor = new Redactor();
    redactor.learn('mail', ['s3cret-of-the-server']);
    const log = new AuditLog(folder, text => redactor.text(text));
    const token = `ghp_${'a1'.repeat(18)}`;
    const what = `mail://s3cret-of-the-server/${token}/\u202egnp.exe\u200b\n${'x'.repeat(5_000_000)}`;
    const by = { origin: 'agent', client: 'an\u202eagent', outcome: 'ok' } as const;
    log.record({ type: 'use', server: 'mail', ...by, method: 'resources/read', what });
    const files = Array.from({ length: 1_000 }, (_, n) => `/s3cret-of-the-server/\u2066${n}`);
    log.record({ type: 'sandbox', server: 'mail', what: 'allowed', files });
    log.record({ type: 'pin', server: 'mail', kind: 'tool', name: `\u202e${token}`, what: 'changed' });
    // Cut in the middle of a secret.
    for (let length = 980; length < 1_000; length++)
      log.record({ ...event('mail'), what: `${'y'.repeat(length)}s3cret-of-the-server` } as AuditEvent);
    const text = await log.read();
    assert.doesNotMatch(text, /s3cr|ghp_|[\u202e\u200b\u2066]/);
    const lines = text.trim().split('\n');
    const [use, sandbox] = lines.map(line => JSON.parse(line));
    assert.match(use.what, /^mail:\/\/•••\/•••\/⟨U\+202E⟩gnp\.exe⟨U\+200B⟩ x+…$/);
    assert.deepEqual([use.client, use.method, use.server], ['an⟨U+202E⟩agent', 'resources/read', 'mail']);
    assert.deepEqual([sandbox.files.length, sandbox.files[1]], [100, '/•••/⟨U+2066⟩1']);
    assert.ok(lines.every(line => line.length < 10_000));
  });
});
