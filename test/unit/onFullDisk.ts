// Prints what becomes of files on a disk that is full for a while: for fullDisk.test.ts, which mounts a small one for this program.
import { existsSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createFile, replaceFile } from '../../src/base/files';
import { inspectBundle } from '../../src/features/bundles/core/bundleFile';
import { BundleStore } from '../../src/features/bundles/core/bundleStore';
import { downloadBundle } from '../../src/features/bundles/core/downloadBundle';
import { AuditLog } from '../../src/features/trust/core/auditLog';
import { bundleWith, manifestWith, writeZip } from './features/bundles/core/zipBytes';

const [disk = '', elsewhere = ''] = process.argv.slice(2);
const { signal } = new AbortController();
const room = () => Number(statfsSync(disk).bavail);
const reasonOf = (made: Promise<unknown>) =>
  made.then(
    () => 'none',
    error => String(error.message),
  );

/** Every event there is, by its server, and how many lines are no events. */
function eventsIn(text: string) {
  const lines = text.trimEnd().split('\n');
  const events = lines.flatMap(line => (line.endsWith('}') ? [JSON.parse(line).server as string] : []));
  return { events, cut: lines.length - events.length };
}

async function auditLog() {
  const copy = join(elsewhere, 'copy.jsonl');
  const log = new AuditLog(join(disk, 'audit'), text => text, { copy: () => copy });
  const other = new AuditLog(join(disk, 'audit'), text => text);
  const record = async (by: AuditLog, server: string) => {
    by.record({ type: 'launch', server, state: 'ready', what: 'x'.repeat(900) });
    await by.flush();
  };
  await record(log, 'first');
  const filler = join(disk, 'filler');
  writeFileSync(filler, Buffer.alloc(room() * Number(statfsSync(disk).bsize)));
  // A disk is full at the end of a block, which is within a line.
  const count = 12;
  for (let n = 0; n < count; n++) await record(log, `full ${n}`);
  const shown = eventsIn(await log.read());
  rmSync(filler);
  await record(other, 'other window');
  await record(log, 'last');
  const whole = eventsIn(await log.read());
  const onDisk = eventsIn(
    readdirSync(join(disk, 'audit'))
      .map(name => readFileSync(join(disk, 'audit', name), 'utf8'))
      .join(''),
  );
  const expected = ['first', ...Array.from({ length: count }, (_, n) => `full ${n}`)];
  return { shown, whole, onDisk, expected, copied: eventsIn(readFileSync(copy, 'utf8')) };
}

async function files() {
  const [kept, made] = [join(disk, 'kept.json'), join(disk, 'made.json')];
  await replaceFile(kept, 'before');
  const large = 'x'.repeat(1024 * 1024);
  const reasons = [await reasonOf(replaceFile(kept, large)), await reasonOf(createFile(made, large))];
  return {
    reasons,
    kept: readFileSync(kept, 'utf8'),
    left: readdirSync(disk).filter(name => name.startsWith('made') || name.endsWith('.tmp')),
  };
}

async function bundles() {
  const store = new BundleStore(join(disk, 'bundles'));
  const zip = writeZip(
    join(elsewhere, 'a.mcpb'),
    bundleWith(manifestWith(), { name: 'large', content: Buffer.alloc(1024 * 1024, 'x') }),
  );
  const bundle = await inspectBundle(zip, { signal, platform: 'linux' });
  const unpacked = await reasonOf(store.add(bundle, signal));
  await bundle.file.close();
  const server = createServer((_, response) => response.end(Buffer.alloc(1024 * 1024)));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const draft = await store.draft();
  const downloaded = await reasonOf(downloadBundle(`http://127.0.0.1:${port}/a.mcpb`, draft, signal));
  rmSync(draft, { force: true });
  server.close();
  return { unpacked, downloaded, left: existsSync(store.folder) ? readdirSync(store.folder) : [] };
}

const main = async () =>
  console.log(JSON.stringify({ log: await auditLog(), files: await files(), bundles: await bundles() }));
void main();
