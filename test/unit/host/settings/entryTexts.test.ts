import assert from 'node:assert/strict';
import { parseEnvFile } from '../../../../src/host/settings';
import { socketOf, splitCommandLine } from '../../../../src/host/settings/entryTexts';

const cases: Record<string, string[]> = {
  npx: ['npx'],
  '  npx  ': ['npx'],
  'npx -y foo': ['npx', '-y', 'foo'],
  'npx\t-y\n foo': ['npx', '-y', 'foo'],
  'npx "a b" \'c d\' e"f g"h': ['npx', 'a b', 'c d', 'ef gh'],
  'npx "" x': ['npx', '', 'x'],
  'npx "say \\"hi\\""': ['npx', 'say "hi"'],
  'run a\\ b': ['run', 'a b'],
  'npx "unclosed': ['npx "unclosed'],
  '"/my tools/run"': ['/my tools/run'],
  "/o'neil's/run": ["/o'neil's/run"],
  "it's here": ["it's here"],
  '/usr/bin/node /srv/x.js': ['/usr/bin/node', '/srv/x.js'],
  '/usr/bin/node server.js': ['/usr/bin/node', 'server.js'],
  '/usr/bin/node -v': ['/usr/bin/node', '-v'],
  '/Applications/My App/bin/x': ['/Applications/My App/bin/x'],
  '"/Applications/My App/bin/x" -v': ['/Applications/My App/bin/x', '-v'],
  '${workspaceFolder}/my tools/run': ['${workspaceFolder}/my tools/run'],
  '${workspaceFolder:my folder}/run': ['${workspaceFolder:my folder}/run'],
  'node ${env:MY DIR}/x.js': ['node', '${env:MY DIR}/x.js'],
  'C:\\Program Files\\nodejs\\node.exe': ['C:\\Program Files\\nodejs\\node.exe'],
  'C:\\Program Files\\nodejs\\npx.cmd -y foo': ['C:\\Program Files\\nodejs\\npx.cmd', '-y', 'foo'],
  'node C:\\srv\\x.js': ['node', 'C:\\srv\\x.js'],
  '\\\\host\\share\\my tools\\run': ['\\\\host\\share\\my tools\\run'],
};

describe('splitting a command line', () => {
  for (const [line, words] of Object.entries(cases)) {
    it(`is ${words.length === 1 ? 'one word' : `${words.length} words`}: ${JSON.stringify(line)}`, () => {
      assert.deepEqual(splitCommandLine(line), words);
    });
  }

  it('takes linear time', () => {
    // What went through it again for each bracket or quote would take hours.
    splitCommandLine(`npx ${'${'.repeat(1_000_000)}`);
    splitCommandLine(`npx "${'\\"'.repeat(1_000_000)}`);
    splitCommandLine(`C:\\${' .ex'.repeat(1_000_000)}`);
  });
});

describe('the address of a socket', () => {
  it("contains the socket's path, and in its fragment the request path", () => {
    for (const [address, path, url] of [
      ['unix:///tmp/a.sock', '/tmp/a.sock', 'http://localhost/'],
      ['unix:///tmp/a.sock#/mcp', '/tmp/a.sock', 'http://localhost/mcp'],
      ['UNIX:///tmp/a.sock#mcp/sub?a=b', '/tmp/a.sock', 'http://localhost/mcp/sub?a=b'],
      ['unix:///tmp/a b%20c.sock?a=b#/mcp', '/tmp/a b c.sock', 'http://localhost/mcp?a=b'],
      ['unix:///tmp/100%.sock', '/tmp/100%.sock', 'http://localhost/'],
      ['unix:///tmp/a.sock#//evil.example/mcp', '/tmp/a.sock', 'http://localhost/evil.example/mcp'],
    ] as const)
      assert.deepEqual(socketOf(address, 'linux'), { path, url: new URL(url) }, address);
  });

  it('contains a pipe name, or a file with its drive, on Windows', () => {
    assert.equal(socketOf('pipe:///pipe/named-pipe#/mcp', 'win32')?.path, '\\\\.\\pipe\\named-pipe');
    assert.equal(socketOf('unix:///C:/tmp/a.sock', 'win32')?.path, 'C:/tmp/a.sock');
  });

  it('is invalid with another scheme, a host, or no path', () => {
    for (const address of ['http://localhost/', 'file:///tmp/a.sock', 'unix://tmp/a.sock', 'unix:///', 'unix:///#/mcp'])
      assert.equal(socketOf(address), undefined, address);
  });
});

describe('A .env file', () => {
  it('supports names and values, quotes, comments and export', () => {
    const text = [
      '# comment',
      'A=1',
      'export B = b # more',
      'C="x y # z"',
      "D='l1",
      "l2'",
      'E=',
      'F="a\\nb"',
      'G=a=b',
    ].join('\n');
    const expected = { A: '1', B: 'b', C: 'x y # z', D: 'l1\nl2', E: '', F: 'a\nb', G: 'a=b' };
    assert.deepEqual({ ...parseEnvFile(text) }, expected);
  });

  it('supports a BOM and Windows line ends', () => {
    assert.deepEqual({ ...parseEnvFile('\uFEFFA=1\r\nB="x\r\ny"\r\n') }, { A: '1', B: 'x\ny' });
  });

  it('has as many variables as an entry may have, and no more', () => {
    const lines = (count: number) => Array.from({ length: count }, (_, index) => `V${index}=x`).join('\n');
    assert.equal(Object.keys(parseEnvFile(lines(2_000))).length, 2_000);
    assert.throws(() => parseEnvFile('A="1\0--x"'), /A contains a NUL character/);
    assert.throws(() => parseEnvFile(lines(2_001)), /more than 2000 variables|more than 2,000 variables/);
  });

  it('can be empty or invalid', () => {
    assert.deepEqual({ ...parseEnvFile('') }, {});
    assert.deepEqual(Object.keys(parseEnvFile('nonsense')), []);
  });

  it('cannot reach a prototype', () => {
    const env = parseEnvFile('__proto__=x\nconstructor=c');
    assert.equal(env.constructor as unknown, 'c');
    assert.equal(Object.getPrototypeOf(env), Object.getPrototypeOf(parseEnvFile('')));
  });
});
