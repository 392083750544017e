import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import { isPreRelease, notesOf, obstacles, problemsOfVsix, readRelease } from '../../release/releaseRules';
import { inRepository, root, temporaryFolder } from '../../setup/paths';
import { withPlainModes, zipEntries } from '../../setup/zip';

const log = `# Changelog

## [Unreleased]

### Added

- Something.

## [0.2.0] - 2026-11-30

### Fixed

- Another.

## [0.1.0] - 2026-11-01

- The first.
`;

describe('a release', () => {
  const released = {
    version: '0.2.0',
    repository: { url: 'https://github.com/someone/mcp-host.git' },
    oauthClient: 'https://someone.github.io/mcp-host/oauth-client.json',
  };

  it('is a pre-release when the minor version is odd', () => {
    assert.deepEqual(['0.1.0', '0.2.9', '1.3.1', '2.10.0'].map(isPreRelease), [true, false, true, false]);
  });

  it('has the notes of its version', () => {
    assert.equal(notesOf(log, '0.2.0'), '### Fixed\n\n- Another.');
    assert.equal(notesOf(log, 'Unreleased'), '### Added\n\n- Something.');
    assert.equal(notesOf(log, '0.1.0'), '- The first.');
    assert.equal(notesOf(log, '0.3.0'), undefined);
    assert.equal(notesOf(log, '0.2'), undefined);
  });

  it('is refused under a wrong tag, without notes, and while repository or client document are placeholders @release.refused-wrong-tag', () => {
    assert.deepEqual(obstacles('v0.2.0', released, log, 'someone/mcp-host'), []);
    assert.match(obstacles('v0.2.1', released, log).join(), /the tag is v0\.2\.1.*0\.2\.0/);
    assert.match(obstacles('v0.2.0', released, log, 'else/mcp-host').join(), /this is else\/mcp-host/);
    assert.match(obstacles('v0.3.0', { ...released, version: '0.3.0' }, log).join(), /"## \[0\.3\.0\] - <date>"/);
    const undated = log.replace(' - 2026-11-30', '');
    assert.match(obstacles('v0.2.0', released, undated).join(), /"## \[0\.2\.0\] - <date>"/);
    const empty = log.replace('### Fixed\n\n- Another.', '');
    assert.match(obstacles('v0.2.0', released, empty).join(), /says nothing/);
    const suffixed = { ...released, version: '0.2.0-beta' };
    assert.match(obstacles('v0.2.0-beta', suffixed, log).join(), /three numbers/);
    const placeholder = { ...released, repository: { url: 'https://github.com/--owner--/mcp-host.git' } };
    assert.match(obstacles('v0.2.0', placeholder, log).join(), /package\.json: "repository" is still the placeholder/);
    const unknown = { ...released, oauthClient: 'https://--owner--.github.io/mcp-host/oauth-client.json' };
    assert.match(obstacles('v0.2.0', unknown, log).join(), /oauth-client\.json: "client_id" is still the placeholder/);
    assert.equal(obstacles('v0.2.0', { ...released, oauthClient: 'http://someone.example/a' }, log).length, 1);
  });

  it('has one repository address, from which vsce makes the others', () => {
    assert.match(readRelease().repository.url, /^https:\/\/github\.com\/[^/]+\/[^/]+\.git$/);
    const manifest = JSON.parse(readFileSync(inRepository('package.json'), 'utf8')) as Record<string, unknown>;
    assert.deepEqual([manifest.homepage, manifest.bugs, manifest.badges], [undefined, undefined, undefined]);
    const [, owner = ''] = /github\.com\/([^/]+)/.exec(readRelease().repository.url) ?? [];
    for (const page of ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'CONTRIBUTING.md'])
      assert.ok(!readFileSync(inRepository(page), 'utf8').includes(`github.com/${owner}`), page);
  });

  it('has badges and pictures that work in the marketplaces', () => {
    const { name, publisher } = JSON.parse(readFileSync(inRepository('package.json'), 'utf8')) as Record<
      string,
      string
    >;
    const readme = readFileSync(inRepository('README.md'), 'utf8');
    for (const place of [
      `vsmarketplacebadges.dev/version-short/${publisher}.${name}.svg`,
      `itemName=${publisher}.${name})`,
      `img.shields.io/open-vsx/v/${publisher}/${name})`,
      `open-vsx.org/extension/${publisher}/${name})`,
      '../../actions/workflows/ci.yml/badge.svg', // vsce puts the address of the repository before it
    ])
      assert.ok(readme.includes(place), place);
    for (const [, image = ''] of readme.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g))
      assert.ok(/^(https:\/\/|\.\.\/\.\.\/actions\/)/.test(image) || existsSync(inRepository(image)), image);
  });

  it('has a change log in the customary form, newest first', () => {
    const lines = readFileSync(inRepository('CHANGELOG.md'), 'utf8').split('\n');
    const [first, ...versions] = lines.filter(line => line.startsWith('## '));
    assert.equal(first, '## [Unreleased]');
    const known = versions.map(
      line => /^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$/.exec(line)?.[1] ?? assert.fail(line),
    );
    const newestFirst = (a: string, b: string) => b.localeCompare(a, 'en', { numeric: true });
    assert.deepEqual(known, [...new Set(known)].sort(newestFirst));
    for (const line of lines.filter(line => line.startsWith('### ')))
      assert.match(line, /^### (Added|Changed|Deprecated|Removed|Fixed|Security)$/);
    const begins = lines.filter(line => line.startsWith('- ')).map(line => line.slice(0, 40));
    assert.equal(
      begins.find((one, i) => begins.indexOf(one) !== i),
      undefined,
      'what is said once',
    );
  });
});

describe('a VSIX', () => {
  const files = { 'extension/package.json': '{}', 'extension/dist/a.js': 'const a = 1;', '[Content_Types].xml': '' };
  const expected = ['package.json', 'dist/a.js'];

  it('is read, and its file modes are normalized', () => {
    const zip = zipOf(files, 0o100600);
    const modes = (buffer: Buffer) => zipEntries(buffer).map(({ at }) => buffer.readUInt32LE(at + 38) >>> 16);
    assert.deepEqual(modes(zip), [0o100600, 0o100600, 0o100600]);
    const plain = withPlainModes(zip);
    assert.deepEqual(modes(plain), [0o100644, 0o100644, 0o100644]);
    assert.ok(plain.equals(withPlainModes(zipOf(files, 0o100755))));
    assert.deepEqual(
      Object.fromEntries(zipEntries(plain).map(({ name, content }) => [name, content().toString()])),
      files,
    );
    assert.throws(() => zipEntries(Buffer.from('not a zip file, and longer than its end')), /not a zip file/);
  });

  it('is refused when its files differ from what git has and the build makes', () => {
    assert.deepEqual(problemsOfVsix(zipOf(files), expected), []);
    const other = zipOf({ 'extension/package.json': '{}', 'extension/.env': 'A=1', 'extension/dist/a.js.map': '{}' });
    const problems = problemsOfVsix(other, expected).join('\n');
    for (const problem of ['dist/a.js is missing', '.env is neither in git nor built', 'dist/a.js.map is neither'])
      assert.ok(problems.includes(problem), problems);
    assert.match(problemsOfVsix(zipOf({ 'extension/readme.md': '' }), ['README.md']).join(), /^$/);
  });

  it('is refused when it contains a secret or a folder of the machine', () => {
    const key = ['-----BEGIN RSA PRIVATE', ` KEY-----\n${'A'.repeat(64)}\n-----END`].join('');
    for (const secret of [key, `ghp${'_'}${'a1'.repeat(18)}`, `npm${'_'}${'b2'.repeat(18)}`, `AKIA${'Z9'.repeat(8)}`])
      assert.match(
        problemsOfVsix(zipOf({ ...files, 'extension/dist/a.js': `x = "${secret}";` }), expected).join(),
        /secret/,
      );
    for (const folder of [root, os.homedir()]) {
      const traced = zipOf({ ...files, 'extension/dist/a.js': `// ${path.join(folder, 'a.ts')}` });
      assert.match(problemsOfVsix(traced, expected).join(), /names a folder of this machine/);
    }
  });

  it('is refused when it is too big', () => {
    const noise = randomBytes(2_800_000).toString('base64');
    assert.match(problemsOfVsix(zipOf({ ...files, 'extension/dist/a.js': noise }), expected).join(), /at most 2,300/);
  });
});

describe('notices', () => {
  let folder: string;
  let notices: { bundledPackages(metafiles: object[]): { name: string; version: string; text: string }[] };

  before(async () => {
    folder = temporaryFolder();
    notices = (await import(pathToFileURL(inRepository('notices/notices.js')).href)) as typeof notices;
  });

  /** The metafile of a bundle with `code` of a package in it. */
  function bundleWith(name: string, manifest: object, texts: Record<string, string>, code = '', bytesInOutput = 1) {
    const place = path.join(folder, 'node_modules', name);
    mkdirSync(place, { recursive: true });
    const all = { 'package.json': JSON.stringify({ name, version: '1.0.0', ...manifest }), 'index.js': code, ...texts };
    for (const [file, text] of Object.entries(all)) writeFileSync(path.join(place, file), text);
    const input = path.relative(root, path.join(place, 'index.js')).replaceAll('\\', '/');
    return { outputs: { 'dist/x.js': { inputs: { [input]: { bytesInOutput } } } } };
  }

  it('refuse a forbidden licence, and a package without a text', () => {
    const gpl = bundleWith('strict', { license: 'GPL-3.0-only' }, { LICENSE: 'GNU' });
    assert.throws(() => notices.bundledPackages([gpl]), /strict: "GPL-3\.0-only" is not allowed/);
    const none = bundleWith('silent', { license: 'MIT' }, {});
    assert.throws(() => notices.bundledPackages([none]), /silent: there is no licence text/);
    const unused = bundleWith('silent', { license: 'MIT' }, {}, '', 0);
    assert.deepEqual(notices.bundledPackages([unused]), []);
  });

  it('have every text of a package, and those of code bundled in it', () => {
    const code =
      '//#region ../../node_modules/.pnpm/@cfworker+json-schema@9.9.9/node_modules/@cfworker/json-schema/a.js\n';
    const texts = { LICENSE: 'MIT License A', 'NOTICE.txt': 'Notice B', 'third-party-licenses.md': 'C' };
    const packages = notices.bundledPackages([bundleWith('copying', { license: 'MIT' }, texts, code)]);
    const [cfworker, copying] = packages;
    assert.deepEqual([cfworker?.name, cfworker?.version], ['@cfworker/json-schema', '9.9.9']);
    assert.equal(copying?.text, 'MIT License A\n\nNotice B\n\nC');
  });
});

/** A zip file as the packager writes one; what no test looks at is zero. */
function zipOf(files: Record<string, string>, mode = 0o100644): Buffer {
  const locals: Buffer[] = [];
  const headers: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const [packed, named] = [deflateRawSync(text), Buffer.from(name)];
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50);
    local.writeUInt16LE(named.length, 26);
    const header = Buffer.alloc(46);
    header.writeUInt32LE(0x02014b50);
    header.writeUInt16LE(8, 10);
    header.writeUInt32LE(packed.length, 20);
    header.writeUInt16LE(named.length, 28);
    header.writeUInt32LE((mode << 16) >>> 0, 38);
    header.writeUInt32LE(offset, 42);
    locals.push(local, named, packed);
    headers.push(header, named);
    offset += local.length + named.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, ...headers, end]);
}
