import assert from 'node:assert/strict';
import { secretsToInputs } from '../../../../../src/features/setup/core/missingValues';
import { serverOf } from '../../../../../src/features/setup/core/registryClient';
import { choicesOf, installedAs } from '../../../../../src/features/setup/core/registryServer';
import {
  nameOfServer,
  pairsOf,
  placementOf,
  planAddition,
  sameServer,
  withPairs,
} from '../../../../../src/features/setup/core/serverDraft';
import { draft } from './drafts';

describe('editable variables and headers of a draft', () => {
  it('are texts; a removed variable stays removed', () => {
    const entry = { command: 'x', env: { A: '1', PORT: 80, GONE: null, BACK: null } };
    const pairs = pairsOf(entry);
    assert.deepEqual(Object.fromEntries(pairs), { A: '1', PORT: '80' });
    pairs.delete('A');
    pairs.set('BACK', 'b');
    assert.deepEqual(withPairs(entry, pairs), { command: 'x', env: { PORT: '80', GONE: null, BACK: 'b' } });
    assert.deepEqual(withPairs({ command: 'x', env: { A: '1' } }, new Map()), { command: 'x' });
    assert.deepEqual(withPairs({ url: 'u' }, new Map([['K', 'v']])), { url: 'u', headers: { K: 'v' } });
  });
});

const TOKEN = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';

const prompt = (id: string, description = id) => ({ type: 'promptString', id, description, password: true });

const nothing = { servers: {}, inputs: [] };

describe('planAddition', () => {
  it('places a server under its name, another when that is taken, or nowhere when it exists', () => {
    const one = draft('a', { command: 'npx', args: ['x'] });
    assert.deepEqual(placementOf(one, nothing), { kind: 'new', name: 'a' });
    assert.deepEqual(placementOf(one, { servers: { a: { command: 'other' } } }), { kind: 'renamed', name: 'a-2' });
    assert.deepEqual(placementOf(one, { servers: { a: { command: 'o' }, 'a-2': { command: 'p' } } }), {
      kind: 'renamed',
      name: 'a-3',
    });
    assert.deepEqual(placementOf(one, { servers: { a: { type: 'stdio', ...one.entry, enabled: false } } }), {
      kind: 'there',
      name: 'a',
    });
    assert.deepEqual(placementOf(one, { servers: { a: { command: 'o' }, 'a-2': one.entry } }), {
      kind: 'there',
      name: 'a-2',
    });
    const asks = (id: string) => ({ command: 'x', args: [`\${input:${id}}`] });
    assert.ok(sameServer(draft('a', asks('a')), { entry: asks('b') }));
    assert.ok(!sameServer(draft('a', { command: 'x', args: ['a'] }), { entry: { command: 'x' } }));
  });

  it('treats a draft with another value as another server', () => {
    const of = (value: string) => secretsToInputs(draft('gh', { command: 'x', env: { API_TOKEN: value } }));
    const [old, rotated] = [of(TOKEN), of(`${TOKEN}9`)];
    const { servers, values } = planAddition([old], nothing);
    assert.deepEqual(placementOf(old, { servers, values }), { kind: 'there', name: 'gh' });
    assert.deepEqual(placementOf(rotated, { servers, values }), { kind: 'renamed', name: 'gh-2' });
    // Nobody has entered it yet.
    assert.deepEqual(placementOf(old, { servers }), { kind: 'renamed', name: 'gh-2' });
    // In plain text.
    const plain = { gh: { command: 'x', env: { API_TOKEN: TOKEN } } };
    assert.deepEqual(placementOf(old, { servers: plain }), { kind: 'there', name: 'gh' });
    // A draft that asks for it brings none.
    const asking = draft('gh', { command: 'x', env: { API_TOKEN: '${input:t}' } }, [prompt('t')]);
    assert.deepEqual(placementOf(asking, { servers, values }), { kind: 'there', name: 'gh' });
  });

  it('distinguishes the same server with another secret', () => {
    const of = (value: string) => secretsToInputs(draft('gh', { command: 'x', env: { API_TOKEN: value } }));
    const addition = planAddition([of(TOKEN), of(`${TOKEN}9`), of(TOKEN), of(`${TOKEN}9`)], nothing);
    assert.deepEqual(Object.keys(addition.servers), ['gh', 'gh-2']);
    assert.deepEqual([...addition.values.values()], [TOKEN, `${TOKEN}9`]);
  });

  it('renames inputs whose id is taken, and shares equal ones', () => {
    const entry = { command: 'x', env: { A: '${input:token}', B: '${input:region}' } };
    const addition = planAddition([draft('a', entry, [prompt('token'), prompt('region')])], {
      servers: {},
      inputs: [prompt('token', 'of another'), prompt('region')],
    });
    assert.deepEqual(addition.servers.a, { command: 'x', env: { A: '${input:token-2}', B: '${input:region}' } });
    assert.deepEqual(addition.inputs, [{ ...prompt('token'), id: 'token-2' }]);
  });

  it('drops inputs that its entry no longer uses, because they were not reviewed', () => {
    const command = { id: 'made', type: 'command', command: 'evil.run' };
    const addition = planAddition(
      [draft('a', { command: 'x', args: ['${input:token}'] }, [prompt('token'), command])],
      nothing,
    );
    assert.deepEqual(addition.inputs, [prompt('token')]);
  });

  it('never mixes the secrets of two servers', () => {
    const of = (command: string, value: string) => secretsToInputs(draft('s', { command, env: { API_TOKEN: value } }));
    const addition = planAddition([of('one', TOKEN), of('two', `${TOKEN}9`)], nothing);
    assert.deepEqual(Object.keys(addition.servers), ['s', 's-2']);
    assert.deepEqual(
      [...addition.values],
      [
        ['s-API_TOKEN', TOKEN],
        ['s-API_TOKEN-2', `${TOKEN}9`],
      ],
    );
    assert.deepEqual(addition.servers['s-2']!.env, { API_TOKEN: '${input:s-API_TOKEN-2}' });
  });

  it('writes the same server only once', () => {
    const one = draft('a', { command: 'x' });
    assert.deepEqual(Object.keys(planAddition([one, one], nothing).servers), ['a']);
  });
});

describe('a server of a registry that is installed', () => {
  const packaged = (registryType: string, identifier: string, version = '2.0.0') => ({
    packages: [{ registryType, identifier, version, transport: { type: 'stdio' } }],
  });
  const found = (server: object, entry: unknown) =>
    installedAs(choicesOf(serverOf({ name: 'com.example/x', version: '2.0.0', ...server })!), { mine: entry });
  const run = (command: string, ...args: unknown[]) => ({ command, args });

  it('is found in another version, with other options and under another name', () => {
    for (const [server, entry] of [
      [packaged('npm', '@a/x'), run('npx', '-y', '@a/x@1.0.0', '--all')],
      [packaged('npm', '@a/x'), run('npx', '-y', '@a/x')],
      [packaged('pypi', 'x'), run('uvx', 'x==1.0')],
      [packaged('oci', 'ghcr.io/a/x:2'), run('docker', 'run', '-i', '--rm', 'ghcr.io/a/x:1')],
      [packaged('oci', 'localhost:5000/a/x', ''), run('docker', 'run', 'localhost:5000/a/x@sha256:00')],
      [{ remotes: [{ type: 'sse', url: 'https://x.example/sse' }] }, { type: 'sse', url: 'https://x.example/sse' }],
    ] as const) {
      assert.equal(found(server, entry), 'mine', JSON.stringify(entry));
    }
  });

  it('is not another one, or what settings have that is no entry', () => {
    for (const [server, entry] of [
      [packaged('npm', '@a/x'), run('npx', '-y', '@a/y@2.0.0')],
      [packaged('npm', '@a/x'), run('npx', '-y', 'x')],
      [packaged('npm', 'x'), run('uvx', 'x')],
      [packaged('npm', 'x'), run('npx', 7)],
      [packaged('npm', 'x'), { command: 'npx', args: 'x' }],
      [packaged('npm', 'x'), null],
      [packaged('npm', ''), run('npx', '')],
      [packaged('cargo', 'x'), run('cargo', 'x')],
      [{ remotes: [{ type: 'sse', url: 'https://x.example/sse' }] }, { url: 'https://x.example/' }],
      [{}, run('npx', 'x')],
    ] as const) {
      assert.equal(found(server, entry), undefined, JSON.stringify(entry));
    }
  });
});

describe('nameOfServer', () => {
  const names: [name: string, command: string, ...args: string[]][] = [
    ['filesystem', 'npx', '-y', '@modelcontextprotocol/server-filesystem', '/tmp'],
    ['filesystem', 'node', '/x/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js', '/tmp'],
    ['playwright', 'npx', '@playwright/mcp@latest'],
    ['github', 'docker', 'run', '-i', '--rm', '-e', 'TOKEN', '-v', '/a:/b', 'ghcr.io/github/github-mcp-server:v1'],
    ['weather', 'uv', '--directory', '/srv/weather', 'run', 'main.py'],
    ['fetch', 'python', '-m', 'mcp_server_fetch'],
    ['serena', 'uvx', '--from', 'git+https://github.com/oraios/serena@main', 'serena', 'start-mcp-server'],
    ['example', 'npx', '-y', 'mcp-remote', 'https://mcp.example.com/sse'],
    ['notes', 'C:\\tools\\notes\\build\\index.exe'],
    ['notes', '/opt/my tools/bin/node', 'C:\\Program Files\\notes.js'],
    ['bash', 'bash', '-c', 'cd /srv/x && node ./y.js'],
    ['obsidian', 'uvx', 'mcp-obsidian'],
    ['context7', 'npx', '-y', '@upstash/context7-mcp@1.0'],
    ['server', 'node', 'server.js'],
  ];
  for (const [name, command, ...args] of names)
    it(`${name}: ${[command, ...args].join(' ')}`, () => assert.equal(nameOfServer({ command, args }), name));

  for (const [name, url] of [
    ['linear', 'https://mcp.linear.app/sse'],
    ['githubcopilot', 'https://api.githubcopilot.com/mcp/'],
    ['example', 'https://example.co.uk/mcp'],
    ['127.0.0.1-8080', 'http://127.0.0.1:8080/mcp'],
    ['localhost', 'http://localhost/mcp'],
  ])
    it(`${name}: ${url}`, () => assert.equal(nameOfServer({ url }), name));
});
