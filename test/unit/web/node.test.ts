import assert from 'node:assert/strict';
import * as crypto from 'node:crypto';
import * as net from 'node:net';
import * as path from 'node:path';
import * as url from 'node:url';
import * as zlib from 'node:zlib';
import { Buffer as WebBuffer } from '../../../src/web/buffer';
import * as webNode from '../../../src/web/node';
import * as webPath from '../../../src/web/paths';
import { setTimeout as delay } from '../../../src/web/promisedTimers';

const texts = ['', 'a', 'naïve 🗣', '\0\ufeffx', 'a'.repeat(20_000)];

describe("replacements of Node's modules in web windows, compared with Node", () => {
  it('encode and decode Buffers alike', () => {
    for (const text of texts) {
      const [ours, nodes] = [WebBuffer.from(text), Buffer.from(text)];
      assert.deepEqual([...ours], [...nodes]);
      assert.equal(WebBuffer.byteLength(text), Buffer.byteLength(text));
      for (const encoding of ['utf8', 'latin1', 'hex', 'base64', 'base64url'] as const) {
        const encoded = nodes.toString(encoding);
        assert.equal(ours.toString(encoding), encoded);
        assert.deepEqual([...WebBuffer.from(encoded, encoding)], [...Buffer.from(encoded, encoding)], encoding);
      }
    }
    for (const bad of ['a', 'ab=c', 'a b\nc_-', '####'])
      assert.deepEqual([...WebBuffer.from(bad, 'base64')], [...Buffer.from(bad, 'base64')], bad);
  });

  it('find, join and read numbers in Buffers alike', () => {
    const bytes = [0xff, 0xd8, 0xff, 1, 2, 3, 4, 0xff, 0xd9, 0];
    const [ours, nodes] = [WebBuffer.from(bytes), Buffer.from(bytes)];
    assert.equal(ours.lastIndexOf('ffd9', -1, 'hex'), nodes.lastIndexOf('ffd9', -1, 'hex'));
    assert.equal(ours.lastIndexOf('ffd7', -1, 'hex'), -1);
    assert.equal(ours.lastIndexOf(0xff), nodes.lastIndexOf(0xff));
    assert.equal(ours.indexOf(0xd9, 3), nodes.indexOf(0xd9, 3));
    assert.equal(ours.readUInt32BE(2), nodes.readUInt32BE(2));
    assert.equal(ours.readUInt32LE(3), nodes.readUInt32LE(3));
    assert.equal(ours.readUIntBE(0, 3), nodes.readUIntBE(0, 3));
    const joined = WebBuffer.concat([WebBuffer.alloc(2), ours.subarray(1, 3)]);
    assert.equal(joined.toString('hex'), '0000d8ff');
    assert.equal(WebBuffer.from(ours.buffer, 1, 2).toString('hex'), 'd8ff');
  });

  it('join, resolve and compare paths alike', () => {
    const paths = ['/', '/a', '/a/b/', '/a/../b', 'a', 'a/./b', '../a', '..', '.', '/a//b', ''];
    for (const one of paths) {
      assert.equal(webPath.isAbsolute(one), path.posix.isAbsolute(one), one);
      if (one) assert.equal(webPath.basename(one), path.posix.basename(one), one);
      for (const other of paths) {
        const ends = (text: string) => text.replace(/(?<=.)\/$/, '');
        assert.equal(webPath.join(one, other), ends(path.posix.join(one, other)), `join ${one} ${other}`);
        assert.equal(webPath.resolve('/x', one, other), path.posix.resolve('/x', one, other), `${one} ${other}`);
        const [from, to] = [`/${one}`, `/${other}`];
        assert.equal(webPath.relative(from, to), path.posix.relative(from, to), `relative ${from} ${to}`);
      }
    }
    for (const one of ['/a/b', '/a', '/', 'a/b']) assert.equal(webPath.dirname(one), path.posix.dirname(one), one);
  });

  it('hash, compare in constant time and checksum alike', () => {
    for (const text of texts) {
      const hash = (from: typeof webNode | typeof crypto) => from.createHash('sha256').update('x').update(text);
      for (const encoding of ['hex', 'base64', 'base64url'] as const)
        assert.equal(hash(webNode).digest(encoding), hash(crypto).digest(encoding));
      assert.equal(webNode.crc32(Buffer.from(text)), zlib.crc32(Buffer.from(text)));
    }
    assert.equal(webNode.timingSafeEqual(Buffer.from('ab'), Buffer.from('ab')), true);
    assert.equal(webNode.timingSafeEqual(Buffer.from('ab'), Buffer.from('ac')), false);
    assert.throws(() => webNode.timingSafeEqual(Buffer.from('ab'), Buffer.from('a')), RangeError);
    assert.equal(webNode.randomBytes(16).length, 16);
  });

  it('recognize UTF-8 and IP addresses', () => {
    assert.equal(webNode.isUtf8(Buffer.from('naïve')), true);
    assert.equal(webNode.isUtf8(Uint8Array.of(0xff)), false);
    for (const text of ['1.2.3.4', '1.2.3.256', '1.2.3', '::1', 'fe80::1', '::ffff:10.0.0.1', 'example.org', ':', ''])
      assert.equal(webNode.isIP(text), net.isIP(text), text);
  });

  it('write international host names alike', () => {
    for (const host of ['github.com', 'bücher.example', '例え.テスト', 'раураl.com', 'xn--a', 'mañana.🗣.com']) {
      const ascii = url.domainToASCII(host) || host;
      assert.equal(webNode.domainToUnicode(ascii), url.domainToUnicode(ascii), host);
    }
  });

  it('wait, and stop waiting when aborted', async () => {
    assert.equal(await delay(1, 'value'), 'value');
    const abort = new AbortController();
    const waiting = delay(60_000, undefined, { signal: abort.signal });
    abort.abort();
    await assert.rejects(waiting, { name: 'AbortError' });
    await assert.rejects(delay(60_000, undefined, { signal: abort.signal }), { name: 'AbortError' });
  });
});
