import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { english } from '../../../../src/base/phrase';
import { SandboxAttempts } from '../../../../src/host/sandbox/attempts';
import { engineFor } from '../../../../src/host/sandbox/confinement';
import { cacheVariables, writeProblem } from '../../../../src/host/sandbox/knownPlaces';
import type { SandboxPlace } from '../../../../src/host/sandbox/onDisk';
import { type ConfinedProgram, isHidden, isWritable, policyOf } from '../../../../src/host/sandbox/sandboxPolicy';
import { findSeatbelt, seatbeltArguments } from '../../../../src/host/sandbox/seatbelt';
import { SeatbeltRules } from './seatbeltRules';

const place = (path: string, access: SandboxPlace['access'], isFolder = true): SandboxPlace => ({
  path,
  isFolder,
  access,
});
const TEMP = '/private/tmp/mcp-host-1';

describe('the sandbox engine', () => {
  it('is bubblewrap on Linux, Seatbelt on macOS, and nothing on Windows', () => {
    assert.equal(engineFor({ platform: 'linux', arch: 'arm64' }), 'bubblewrap');
    assert.equal(engineFor({ platform: 'linux', arch: 'ia32' }), undefined);
    assert.equal(engineFor({ platform: 'darwin', arch: 'arm64' }), 'seatbelt');
    assert.equal(engineFor({ platform: 'darwin', arch: 'x64' }), 'seatbelt');
    assert.equal(engineFor({ platform: 'win32', arch: 'x64' }), undefined);
  });
});

describe('a profile of Seatbelt', () => {
  const places = [
    place('/Users/ada/.ssh', 'hidden'),
    place('/private/tmp', 'hidden'),
    place('/Users/ada/work', 'write'),
    place(TEMP, 'write'),
    place('/Users/ada/work/.vscode', 'read'),
    place('/Users/ada/work/sub/.git', 'read'),
    place('/Users/ada/work/sub/other/.env', 'hidden', false),
  ];
  const policy = { places, mayOpenSockets: false, temp: TEMP };
  const rules = new SeatbeltRules(seatbeltArguments(policy));
  const reads = (path: string) => rules.allows('file-read-data', path);
  const writes = (path: string) => rules.allows('file-write-create', path) && rules.allows('file-write-data', path);
  const moves = (path: string) => rules.allows('file-write-unlink', path);

  it('allows reading all but hidden places, and writing only writable ones @seatbelt.allows-reading-hidden', () => {
    for (const path of ['/usr/lib/dyld', '/Users/ada/notes.txt', '/Users/ada/work/a', `${TEMP}/t`])
      assert.ok(reads(path), path);
    for (const path of ['/Users/ada/.ssh/id', '/Users/ada/.ssh', '/private/tmp/x', '/Users/ada/work/sub/other/.env'])
      assert.ok(!reads(path), path);
    for (const path of ['/Users/ada/work/a', '/Users/ada/work/sub/b', `${TEMP}/t`, '/Users/ada/work/.vscode2'])
      assert.ok(writes(path), path);
    for (const path of [
      ...['/Users/ada/a', '/etc/hosts', '/private/tmp/x', '/Users/ada/worker', '/Users/ada/.ssh/id'],
      ...[
        '/Users/ada/work/.vscode',
        '/Users/ada/work/.vscode/settings.json',
        '/Users/ada/work/sub/.git/hooks/pre-commit',
      ],
      '/Users/ada/work/sub/other/.env',
    ])
      assert.ok(!writes(path), path);
  });

  it('prevents moving a folder that contains something protected @seatbelt.prevents-moving-folder', () => {
    for (const path of ['/Users/ada/work/a', '/Users/ada/work/sub/b', `${TEMP}/t`]) assert.ok(moves(path), path);
    for (const path of [
      ...['/Users/ada/work', TEMP, '/Users/ada/work/sub', '/Users/ada/work/sub/other', '/Users/ada/work/.vscode'],
      '/Users/ada/work/sub/other/.env',
    ])
      assert.ok(!moves(path), path);
  });

  it('reveals that parent folders of readable places exist, not their contents', () => {
    const stats = (path: string) => rules.allows('file-read-metadata', path);
    assert.ok(stats('/private/tmp') && stats(TEMP));
    assert.ok(!stats('/private/tmp/other') && !stats('/Users/ada/.ssh'));
    assert.ok(!reads('/private/tmp'));
  });

  it('has no network, or one port of this machine; sockets in its own temporary folder if it may', () => {
    const connects = (to: string, by = rules) => by.allows('network-outbound', to);
    const online = new SeatbeltRules(seatbeltArguments({ ...policy, mayOpenSockets: true }, 4711));
    for (const to of ['localhost:4711', '127.0.0.1:443', '/var/run/docker.sock', `${TEMP}/s`])
      assert.ok(!connects(to), to);
    assert.ok(connects('localhost:4711', online));
    assert.ok(connects(`${TEMP}/s`, online) && online.allows('network-bind', `${TEMP}/s`));
    for (const to of [
      'localhost:4712',
      '*:443',
      '/var/run/docker.sock',
      '/Users/ada/work/s',
      '/private/var/run/mDNSResponder',
    ])
      assert.ok(!connects(to, online) && !online.allows('network-bind', to), to);
    assert.ok(!online.allows('network-inbound', 'localhost:4711') && !online.allows('network-bind', 'localhost:4711'));
  });

  it('opens no key ring, starts no application, and sees neither arguments nor terminals of others @seatbelt.opens-key-ring', () => {
    for (const service of [
      ...['com.apple.SecurityServer', 'com.apple.securityd.xpc', 'com.apple.trustd.agent', 'com.apple.pasteboard.1'],
      ...['com.apple.coreservices.launchservicesd', 'com.apple.coreservices.appleevents', 'com.apple.tccd'],
    ])
      assert.ok(!rules.allows('mach-lookup', service), service);
    assert.ok(rules.allows('mach-lookup', 'com.apple.system.opendirectoryd.libinfo'));
    assert.ok(!rules.allows('lsopen', '') && !rules.allows('appleevent-send', ''));
    assert.ok(rules.allows('sysctl-read', 'hw.ncpu') && rules.allows('sysctl-read', 'kern.proc.pid.17'));
    assert.ok(!rules.allows('sysctl-read', 'kern.procargs2') && !rules.allows('sysctl-read', 'kern.proc.all'));
    assert.ok(!reads('/dev/ttys001') && !reads('/dev/rdisk0') && reads('/dev/urandom'));
    assert.ok(rules.allows('file-write-data', '/dev/null') && !rules.allows('file-write-data', '/dev/ttys001'));
  });

  it('takes every name for a name, whatever is in it @seatbelt.takes-name-name', () => {
    const hostile = [
      ...['/w/a")) (allow file-write* (subpath "/', '/w/a\\', '/w/a\\"', '/w/a\n(allow default)', '/w/(param "P0")'],
      ...['/w/a=b', '/w/;x', '/w/#"', '/w/ä\u0000'.slice(0, -1), '/w/-p', '/w/${HOME}', '/w/a|#'],
    ];
    for (const path of hostile) {
      const args = seatbeltArguments({
        places: [place(path, 'write'), place(`${path}/.git`, 'read')],
        mayOpenSockets: false,
        temp: path,
      });
      const found = new SeatbeltRules(args);
      const plain = seatbeltArguments({
        places: [place('/w/a', 'write'), place('/w/a/.git', 'read')],
        mayOpenSockets: false,
        temp: '/w/a',
      });
      // Rules are the same whatever they are about.
      assert.equal(args[1], plain[1]);
      assert.ok(found.allows('file-write-create', `${path}/x`), path);
      for (const other of ['/etc/x', '/w/x', `${path}/.git/config`])
        assert.ok(!found.allows('file-write-create', other), path);
    }
  });
});

describe('a policy without mounts', () => {
  let top: string;
  beforeEach(function () {
    if (process.platform === 'win32') this.skip(); // nothing is confined there
    top = realpathSync.native(mkdtempSync('/var/tmp/mcp-host-seatbelt-'));
    for (const folder of ['home/.ssh', 'home/work/root/.vscode', 'temp/own', 'data/one'])
      mkdirSync(join(top, folder), { recursive: true });
    writeFileSync(join(top, 'home/work/root/.vscode/settings.json'), '{}');
  });
  afterEach(() => top && rmSync(top, { recursive: true, force: true }));

  const policy = (more: Partial<ConfinedProgram> = {}) =>
    policyOf({
      ...{
        rules: { write: [join(top, 'home/work/root')] },
        program: '/bin/sh',
        args: [],
        cwd: join(top, 'home/work/root'),
        env: {},
        helpers: [],
        keeps: [],
        ours: [],
        others: async () => [],
      },
      ...{ roots: [join(top, 'home/work/root')], base: join(top, 'home/work/root'), home: join(top, 'home') },
      ...{ folder: join(top, 'data/one'), temp: { shared: [join(top, 'temp')], own: join(top, 'temp/own') } },
      ...more,
    });

  it('hides the temporary folders of the machine, but for its own', async () => {
    writeFileSync(join(top, 'temp/other'), 'secret');
    const found = await policy();
    assert.equal(found.temp, join(top, 'temp/own'));
    assert.ok(isHidden(found, join(top, 'temp/other')));
    assert.ok(isWritable(found, join(top, 'temp/own/x')) && !isWritable(found, join(top, 'temp/x')));
    const rules = new SeatbeltRules(seatbeltArguments(found));
    assert.ok(!rules.allows('file-read-data', join(top, 'temp/other')));
    assert.ok(rules.allows('file-write-create', join(top, 'temp/own/x')));
    assert.ok(rules.allows('file-write-create', join(top, 'data/one/npm/x')));
    assert.ok(!rules.allows('file-read-data', join(top, 'home/.ssh/id')));
  });

  it('protects what editor and git obey, also as a link or when missing', async () => {
    symlinkSync(join(top, 'data'), join(top, 'home/work/root/.husky'));
    const found = await policy();
    assert.deepEqual(found.notes, []);
    const rules = new SeatbeltRules(seatbeltArguments(found));
    const root = join(top, 'home/work/root');
    assert.ok(rules.allows('file-write-create', join(root, 'a')));
    for (const path of ['.vscode/settings.json', '.vscode', '.git', '.git/hooks/pre-commit', '.husky']) {
      assert.ok(!rules.allows('file-write-create', join(root, path)), path);
      assert.ok(!rules.allows('file-write-unlink', join(root, path)), path);
    }
  });

  it('needs no list of sockets, as only its own can be reached', async () => {
    const found = await policy({ rules: { sockets: true } });
    const rules = new SeatbeltRules(seatbeltArguments(found));
    assert.ok(rules.allows('network-outbound', join(top, 'temp/own/s')));
    assert.ok(!rules.allows('network-outbound', join(top, 'home/work/root/s')));
  });
});

describe('on macOS', () => {
  it('no spelling of a path makes files writable that run automatically', () => {
    const problem = (path: string, platform: NodeJS.Platform) =>
      writeProblem(path, '/Users/Ada', platform) !== undefined;
    for (const path of [
      '/Users/Ada/.SSH',
      '/users/ada/.zshrc',
      '/Users/Ada/x/.VSCode',
      '/OPT/homebrew/bin',
      '/Users/Ada',
    ])
      assert.ok(problem(path, 'darwin'), path);
    assert.ok(!problem('/Users/Ada/work', 'darwin'));
    for (const path of ['/Users/Ada/Library/Application Support/x', '/Users/Ada/.local/share/UV', '/private/var/log'])
      assert.ok(problem(path, 'darwin'), path);
    for (const path of ['/Users/Ada/Library/Caches/mine', '/Users/Ada/.local/share/mine', '/private/var/folders/x'])
      assert.ok(!problem(path, 'darwin'), path);
    assert.ok(!problem('/Users/Ada/x/.VSCode', 'linux'));
  });

  it('browsers of Playwright are where they are there', () => {
    const path = (platform: NodeJS.Platform) =>
      cacheVariables('/f', '/home/ada', undefined, platform).PLAYWRIGHT_BROWSERS_PATH;
    assert.equal(path('darwin'), '/home/ada/Library/Caches/ms-playwright');
    assert.equal(path('linux'), '/home/ada/.cache/ms-playwright');
  });

  it('a refusal that a server reports counts as reading or writing according to the rules', () => {
    const attempts = new SandboxAttempts();
    attempts.hides = path => path.startsWith('/hidden');
    attempts.canChange = path => path.startsWith('/root');
    for (const line of [
      "Error: EPERM: operation not permitted, open '/hidden/id'",
      "PermissionError: [Errno 1] Operation not permitted: '/etc/x'",
      'sh: /var/log/y: Operation not permitted',
      "Error: EPERM: operation not permitted, mkdir '/hidden/new'",
      "Error: EPERM: operation not permitted, chmod '/root/mine'",
      'Error: listen EPERM: operation not permitted /root/s.sock',
    ])
      attempts.said(line);
    assert.deepEqual(
      attempts.blocked.map(({ kind, what }) => `${kind} ${what}`),
      ['read /hidden/id', 'write /etc/x', 'write /var/log/y', 'write /hidden/new', 'sockets '],
    );
  });

  describe('nothing is confined', () => {
    let folder: string;
    beforeEach(function () {
      if (process.platform === 'win32') this.skip(); // no such shell there
      folder = mkdtempSync('/var/tmp/mcp-host-sandbox-exec-');
    });
    afterEach(() => folder && rmSync(folder, { recursive: true, force: true }));

    const found = async (script?: string) => {
      const path = join(folder, 'sandbox-exec');
      if (script !== undefined) writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      const result = await findSeatbelt(path);
      return 'reason' in result ? `${english(result.reason)}. ${english(result.remedy)}` : 'it is used';
    };

    it('where sandbox-exec is missing or the system refuses it, with the reason @seatbelt.sandbox-exec-missing', async () => {
      assert.match(await found(), /"[^"]*sandbox-exec" cannot do that here \(it does not exist\)/);
      const refused = await found('echo "sandbox-exec: sandbox_apply: Operation not permitted" >&2; exit 71');
      assert.match(refused, /\(sandbox-exec: sandbox_apply: Operation not permitted\)\. It is part of macOS/);
      assert.match(refused, /Set "sandbox" to false/);
    });

    it('where sandbox-exec does not confine, which is tested, not trusted @seatbelt.sandbox-exec-confine', async () => {
      assert.match(await found('while [ "$1" != -- ]; do shift; done; shift; exec "$@"'), /\(it blocks nothing\)/);
      assert.ok(existsSync(folder));
    });
  });
});
