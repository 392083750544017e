import assert from 'node:assert/strict';
import type { HostError } from '../../../../../src/base/errors';
import { Emitter } from '../../../../../src/base/events';
import { ResourceReader } from '../../../../../src/features/resources/core/resourceReader';
import type { ServerChange } from '../../../../../src/host';
import type { ServerSet } from '../../../../../src/host/host';
import { raw, unasked } from '../../../../setup/raw';
import { fixture, hostile, TestHost } from '../../../host/testHost';

describe('reading resources for the editor', () => {
  const host = new TestHost();
  const servers = serverSet(host);
  const reader = new ResourceReader(servers, false);
  const read = (uri: string, serverId = 'content') => reader.read({ serverId, uri });
  const text = async (uri: string) => Buffer.from((await read(uri)).shown).toString();

  before(async () => {
    host.configure({
      content: fixture('content'),
      silent: { ...hostile('--hang-at=resources/read'), timeouts: { requestMs: 300 } },
      broken: { command: 'no-such-command-anywhere' },
      off: { ...fixture('content'), enabled: false },
      old: hostile(),
      suite: fixture('suite'),
    });
    // No waiting for it: a read does that.
    assert.equal(host.server('content').state.kind, 'starting');
    assert.match(await text('content://docs/plain.txt'), /日本 🗣/);
    await host.loads('content');
  });
  after(() => {
    reader.dispose();
    return host.close();
  });

  it('returns text as UTF-8, bytes unchanged, and JSON formatted', async () => {
    assert.equal(await text('content://data/minified'), JSON.stringify(minified, null, 2));
    const json = await read('content://data/minified');
    assert.equal(Buffer.from(json.bytes).toString(), JSON.stringify(minified));
    const bytes = await read('content://binary/bytes.bin');
    assert.deepEqual(
      [...bytes.shown],
      Array.from({ length: 256 }, (_, i) => i),
    );
    assert.equal(await text('content://empty/nothing.txt'), '');
    assert.equal(await text('memo:today'), 'A memo for today.\n');
    assert.equal(await text('content://odd/Größe und Maß/日本 語.txt?version=1&note=a b'), 'Odd address.\n');
  });

  it('determines the kind of editor', async () => {
    const uris = ['images/chequered.png', 'images/circle.svg', 'binary/bytes.bin', 'docs/untyped.log'];
    const kinds = await Promise.all(uris.map(async uri => (await read(`content://${uri}`)).kind));
    assert.deepEqual(kinds, ['image', 'text', 'binary', 'text']);
  });

  it('takes the first of several contents when none has the URI', async () => {
    assert.equal(await text('content://several/three'), 'The first');
  });

  it('shares one request among simultaneous readers, and caches the answer briefly', async () => {
    const address = { serverId: 'content', uri: 'content://docs/guide.md' };
    const [one, two] = await Promise.all([reader.read(address), reader.read(address)]);
    assert.equal(one, two);
    assert.equal(await reader.recent(address), one);
    reader.outdate(address);
    assert.equal(reader.isKnown(address), false);
    assert.notEqual(await reader.recent(address), one);
  });

  it('discards an answer requested before the resource changed', async () => {
    const address = { serverId: 'content', uri: 'content://docs/guide.md' };
    reader.outdate(address);
    const early = reader.read(address);
    reader.outdate(address);
    const late = reader.read(address);
    assert.notEqual(await early, await late);
    assert.equal(await reader.recent(address), await late);
    reader.outdate(address);
    const again = reader.read(address);
    reader.outdate(address);
    await again;
    assert.equal(reader.isKnown(address), false);
  });

  it('takes the size from the list if possible, else by reading', async () => {
    const { catalog } = host.server('content');
    for (const { uri, size } of catalog.resources.filter(resource => !resource.uri.includes('broken'))) {
      const address = { serverId: 'content', uri };
      reader.outdate(address);
      const { shown } = await reader.recent(address);
      assert.equal((await reader.stat(address)).size, shown.length, uri);
      if (size !== undefined) assert.equal(size, shown.length);
    }
    const other = new ResourceReader(servers, true);
    const png = { serverId: 'content', uri: 'content://images/chequered.png' };
    const first = await other.stat(png);
    assert.equal(other.isKnown(png), false);
    await other.read(png);
    assert.deepEqual({ ...(await other.stat(png)), digest: '' }, { ...first, digest: '' });
    const dated = await other.stat({ serverId: 'content', uri: 'content://docs/annotated.txt' });
    assert.equal(new Date(dated.mtime).toISOString(), '2026-01-02T03:04:05.000Z');
    other.dispose();
  });

  it('reports a denial with server, URI and code', async () => {
    const error = await failure(read('content://broken/missing.txt'));
    assert.match(error.message, /"content" could not read content:\/\/broken\/missing\.txt: .*not found\. .*Refresh/);
    // One code up to 2025-11-25, another since.
    const codes = [-32002, -32602];
    for (const { rpcCode } of [error, await failure(read('content://nowhere'))])
      assert.ok(codes.includes(rpcCode ?? 0));
  });

  it('advises to check the values of a template, where the address is in no list', async () => {
    const { message } = await failure(read('content://days/2026/99'));
    assert.match(message, /not found\. Check the values in its address: the list of resources does not have it\.$/);
  });

  it('names what an address lacks that the TypeScript SDK finds only as a whole', async () => {
    const suite = 'suite';
    assert.equal(Buffer.from((await read('test://search?text=a&lang=en', suite)).shown).toString(), 'a');
    const { message } = await failure(read('test://search?text=a', suite));
    assert.match(message, /not found.*\. Fill in lang, too: servers made with the TypeScript SDK/);
  });

  it('takes -32002, the code of earlier versions, for a missing resource @resourceReader.takes-32002-code', async () => {
    const error = await failure(read('hostile://none', 'old'));
    assert.match(error.message, /It may no longer exist\. Refresh the list of resources\./);
  });

  it('shows bytes that are not base64 as the text that the server sent', async () => {
    assert.equal(await text('content://broken/base64.bin'), '%%% not base64 %%%');
  });

  it('waits a bounded time for an answer, and for missing, broken and disabled servers', async () => {
    assert.equal((await failure(read('hostile://x', 'silent'))).code, 'TIMEOUT');
    assert.match((await failure(read('x:y', 'unheard-of'))).message, /"unheard-of" .* not configured\. Add it/);
    const broken = await failure(read('x:y', 'broken'));
    assert.match(broken.message, /"broken" could not read x:y: it is not running: command not found: /);
    assert.match((await failure(read('x:y', 'off'))).message, /it is stopped\. Start the server/);
  });

  it('can be cancelled; the request ends with its last reader', async () => {
    const server = host.server('content');
    const original = raw(server).readResource;
    let request: AbortSignal | undefined;
    raw(server).readResource = (_, signal) => {
      request = signal;
      return new Promise(() => {});
    };
    const [first, second] = [new AbortController(), new AbortController()];
    try {
      const address = { serverId: 'content', uri: 'content://cancel' };
      const reads = [first, second].map(({ signal }) => assert.rejects(reader.read(address, signal), /AbortError/));
      await Promise.resolve();
      first.abort();
      await reads[0];
      assert.equal(request?.aborted, false);
      second.abort();
      await reads[1];
      assert.equal(request?.aborted, true);
      await assert.rejects(reader.read(address, first.signal), /AbortError/);
    } finally {
      raw(server).readResource = original;
    }
  });

  it('announces content that changed since it was read', async () => {
    const changes: string[] = [];
    const subscription = reader.onDidChangeContent(({ uri }) => changes.push(uri));
    const uri = 'content://docs/plain.txt';
    await read(uri);
    assert.deepEqual(changes, []);
    const before = await reader.stat({ serverId: 'content', uri });
    const server = host.server('content');
    const original = raw(server).readResource;
    raw(server).readResource = async () => ({ contents: [{ uri, text: 'other' }] });
    try {
      await read(uri);
    } finally {
      raw(server).readResource = original;
    }
    subscription.dispose();
    assert.deepEqual(changes, [uri]);
    const after = await reader.stat({ serverId: 'content', uri });
    assert.ok(after.mtime > before.mtime && after.size === 5);
  });
});

describe('reading a resource before settings were read', () => {
  it('waits for the server to be configured and started', async () => {
    const host = new TestHost();
    const reader = new ResourceReader(serverSet(host), false);
    try {
      const reading = reader.read({ serverId: 'content', uri: 'memo:today' });
      host.configure({ content: fixture('content') });
      assert.equal(Buffer.from((await reading).shown).toString(), 'A memo for today.\n');
    } finally {
      reader.dispose();
      await host.close();
    }
  });
});

const minified = { name: 'content', list: [1, 2, { deep: true }], nothing: null };

async function failure(promise: Promise<unknown>): Promise<HostError> {
  return promise.then(
    () => assert.fail('it should have failed'),
    error => error as HostError,
  );
}

function serverSet({ host }: TestHost): ServerSet {
  const changed = new Emitter<ServerChange | undefined>();
  host.onDidChangeServers(() => changed.fire(undefined));
  host.onDidChangeServer(change => changed.fire(change));
  return {
    get all() {
      return host.servers;
    },
    trace: host.trace,
    get: id => host.get(id),
    byHand: unasked,
    onDidChange: changed.event,
  };
}
