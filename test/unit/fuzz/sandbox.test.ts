import assert from 'node:assert/strict';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { isWithin } from '../../../src/base/filePlace';
import { literalOf, placeOf } from '../../../src/base/networkAddress';
import { SandboxAttempts } from '../../../src/host/sandbox/attempts';
import { PolicyError } from '../../../src/host/sandbox/keptPlaces';
import { isObeyed } from '../../../src/host/sandbox/knownPlaces';
import { FilteringProxy, ReachableHosts } from '../../../src/host/sandbox/proxy';
import { isWritable, policyOf, type SandboxPolicy } from '../../../src/host/sandbox/sandboxPolicy';
import { announce, holds } from './fuzz';
import { oneOf, pick } from './texts';

const NAMES = [
  'a',
  'b',
  '.git',
  '.husky',
  '.vscode',
  'HEAD',
  'objects',
  'config',
  'hooks',
  'commondir',
  'package.json',
];
const names = pick(...NAMES, 'Makefile', '.idea', 'node_modules', '.bin', 'pyvenv.cfg', 'x.txt', 'sub');
/** Relative to the folder of the link, or with the top of the world for `~`. */
const targets = pick(
  '.',
  '..',
  'a',
  'sub/b',
  '../..',
  '~',
  '~/home/notes',
  '~/home/.ssh',
  '~/home/other/.env',
  '/etc',
  '~/no',
);
const paths = fc.array(names, { minLength: 1, maxLength: 3 }).map(parts => parts.join('/'));
const steps = fc.array(
  oneOf<{ path: string; make: 'file' | 'folder' | 'link' | 'nothing'; to: string }>(
    [4, fc.record({ path: paths, make: pick('file', 'folder', 'nothing'), to: targets })],
    [3, fc.record({ path: paths, make: pick('link'), to: targets })],
  ),
  { maxLength: 12 },
);

class Disk {
  readonly top = realpathSync(mkdtempSync('/var/tmp/mcp-host-fuzz-'));
  readonly home = this.folder('home');
  readonly granted = this.folder('home/work/granted');
  readonly own = this.folder('storage/own');
  readonly outside = [
    'home/.ssh/id',
    'home/notes/n.txt',
    'home/other/.env',
    'home/other/x.txt',
    'home/work/next/y.txt',
  ].map(path => {
    this.folder(dirname(path));
    writeFileSync(join(this.top, path), '');
    return join(this.top, path);
  });

  folder(path: string): string {
    mkdirSync(join(this.top, path), { recursive: true });
    return join(this.top, path);
  }

  /** What a program that may change the folder does there, as far as it can. */
  apply(made: readonly { path: string; make: string; to: string }[]): void {
    for (const { path, make, to } of made) {
      const at = join(this.granted, path);
      try {
        if (make === 'nothing') rmSync(at, { recursive: true, force: true });
        else mkdirSync(make === 'folder' ? at : dirname(at), { recursive: true });
        // Only where it is allowed to: not by a link.
        if (!isWithin(this.granted, realpathSync(dirname(at)))) continue;
        if (make === 'file') writeFileSync(at, 'ref: refs/heads/main\n', { flag: 'wx' });
        if (make === 'link') symlinkSync(to.replace('~', this.top), at);
      } catch {
        // It is there, or is no folder.
      }
    }
  }

  /** Undefined: nothing would start. */
  async policy(more: { roots: readonly string[]; args: readonly string[]; write: readonly string[] }) {
    const { home, granted, own } = this;
    const { roots, args, write } = more;
    const rules = { write: [granted, ...write] };
    const start = { rules, roots, args, home, base: home, program: '/bin/sh', cwd: granted, env: { PATH: args[0] } };
    const ours = {
      folder: own,
      ours: [dirname(own)],
      helpers: [],
      keeps: [],
      temp: { shared: ['/tmp'] },
      others: async () => [],
    };
    try {
      return await policyOf({ ...start, ...ours });
    } catch (error) {
      if (error instanceof PolicyError) return undefined;
      throw error;
    }
  }

  /** Everything in the folder that others obey by its name, where it lies. */
  obeyed(folder = this.granted): string[] {
    return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
      const path = join(folder, entry.name);
      if (isObeyed(entry.name)) return entry.isSymbolicLink() ? [] : [path];
      return entry.isDirectory() && entry.name !== 'node_modules' ? this.obeyed(path) : [];
    });
  }
}

const accessOf = ({ places }: SandboxPolicy, path: string) =>
  places.findLast(place => isWithin(place.path, path))?.access ?? 'read';

describe('fuzz: policies of sandboxes', () => {
  before(function () {
    if (process.platform === 'win32') this.skip(); // nothing is confined there
    announce();
  });

  holds(
    'whatever a program makes in its folder, its next start reads and changes nothing more, and leaves alone what others obey @sandbox.program-makes-folder',
    'policies',
    fc.record({ before: steps, made: steps, arg: paths, root: paths, named: fc.option(paths) }),
    async ({ before, made, arg, root, named }) => {
      const disk = new Disk();
      try {
        const inGranted = (path: string) => join(disk.granted, path);
        const launch = {
          roots: [disk.granted, inGranted(root)],
          args: [inGranted(arg), '--directory', inGranted(arg)],
          write: named === null ? [] : [inGranted(named)],
        };
        // Links of the person lead nowhere else: what those open is up to them.
        disk.apply(before.filter(({ make }) => make !== 'link'));
        const first = await disk.policy(launch);
        const kept = first && new Set(disk.obeyed().filter(path => !isWritable(first, path)));
        disk.apply(made.filter(({ path }) => ![...(kept ?? [])].some(place => isWithin(place, inGranted(path)))));
        const next = await disk.policy(launch);
        if (!next) return;
        for (const path of disk.outside) assert.equal(accessOf(next, path), 'hidden', path);
        for (const { path, access } of next.places)
          assert.ok(access !== 'write' || [disk.granted, disk.own].some(mine => isWithin(mine, path)), path);
        const isNamed = (path: string) => next.named.some(place => isWithin(place, path));
        for (const path of disk.obeyed()) assert.ok(!isWritable(next, path) || isNamed(path), path);
        for (const path of disk.outside) assert.ok(lstatSync(path).isFile());
      } finally {
        rmSync(disk.top, { recursive: true, force: true });
      }
    },
  );
});

/** An IPv4 address of no public server, and how it may be written. */
const inner = fc
  .tuple(
    pick('127.0.0.0', '10.0.0.0', '172.16.0.0', '192.168.0.0', '169.254.169.0', '0.0.0.0', '100.64.0.0'),
    fc.nat(0xff),
  )
  .map(([network, last]) => [...network.split('.').slice(0, 3).map(Number), last]);
const hex = (part: number, digits = 0) => part.toString(16).padStart(digits, '0');
const pairs = ([a = 0, b = 0, c = 0, d = 0]: readonly number[]) => `${hex(a, 2)}${hex(b, 2)}:${hex(c, 2)}${hex(d, 2)}`;
const spellings = pick<(parts: readonly number[]) => string>(
  parts => parts.join('.'),
  parts => `${parts.join('.')}.`,
  parts => String(parts.reduce((value, part) => value * 256 + part, 0)),
  parts => `0x${parts.map(part => hex(part, 2)).join('')}`,
  parts => parts.map(part => `0${part.toString(8)}`).join('.'),
  parts => parts.map(part => `0x${hex(part)}`).join('.'),
  ([a = 0, b = 0, c = 0, d = 0]) => `${a}.${b}.${c * 256 + d}`,
  ([a = 0, b = 0, c = 0, d = 0]) => `${a}.${(b * 256 + c) * 256 + d}`,
  parts => `[::ffff:${parts.join('.')}]`,
  parts => `[0:0:0:0:0:FFFF:${pairs(parts)}]`,
  parts => `[64:ff9b::${pairs(parts)}]`,
  parts => `[2002:${pairs(parts)}::1]`,
);

describe('fuzz: addresses', () => {
  let proxy: FilteringProxy;
  let way: URL;
  before(async () => {
    proxy = new FilteringProxy(
      new ReachableHosts({ hosts: ['*'], fetchesFrom: [] }, { attempts: new SandboxAttempts() }),
    );
    way = new URL((await proxy.listen()).url);
  });
  after(() => proxy.close());

  holds(
    'of this machine, its network and a cloud are not reached by "*", however they are written @sandbox.machine-network-cloud',
    'addresses',
    fc.tuple(inner, spellings, fc.integer({ min: 1, max: 65_535 })),
    async ([parts, spell, port]) => {
      const host = spell(parts);
      assert.notEqual(placeOf(literalOf(new URL(`http://${host}/`)) ?? ''), 'public', host);
      const status = await new Promise((resolve, reject) => {
        const authorization = `Basic ${Buffer.from(`${way.username}:${way.password}`).toString('base64')}`;
        const headers = { 'Proxy-Authorization': authorization };
        const url = `http://${host}:${port}/`;
        request({ host: way.hostname, port: way.port, path: url, headers, agent: false }, answer => {
          answer.resume();
          resolve(answer.statusCode);
        })
          .once('error', reject)
          .end();
      });
      assert.equal(status, 403, host);
    },
  );
});
