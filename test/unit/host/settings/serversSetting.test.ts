import assert from 'node:assert/strict';
import { english } from '../../../../src/base/phrase';
import { parseServers } from '../../../../src/host/settings';

const names = (value: unknown) => parseServers(value).servers.map(({ name, entry }) => (entry ? name : `${name}!`));

describe('the value of mcpHost.servers', () => {
  it('may be absent or empty', () => {
    assert.deepEqual(parseServers(undefined), { servers: [], problems: [] });
    assert.deepEqual(parseServers({}), { servers: [], problems: [] });
  });

  for (const value of [null, [], [{ command: 'x' }], 'x', 5, true]) {
    it(`is an error when it is ${JSON.stringify(value)}`, () => {
      const { servers, problems } = parseServers(value);
      assert.deepEqual(servers, []);
      assert.deepEqual(
        problems.map(({ severity, path }) => ({ severity, path })),
        [{ severity: 'error', path: [] }],
      );
      assert.match(english(problems[0]!.message), /must be an object .* but it is .* For example/);
    });
  }

  it('keeps good entries beside bad ones, in order', () => {
    assert.deepEqual(names({ a: { command: 'x' }, b: 5, c: {}, d: { url: 'http://x' } }), ['a', 'b!', 'c!', 'd']);
  });

  for (const name of [
    'files',
    'my server',
    'a.b',
    'GitHub',
    'über',
    '文件',
    '🚀',
    'a@b:c?d#e',
    'constructor',
    'hasOwnProperty',
    'x'.repeat(100),
  ]) {
    it(`accepts the name ${name}`, () => assert.deepEqual(names({ [name]: { command: 'x' } }), [name]));
  }

  for (const name of [
    '',
    ' ',
    ' a',
    'a ',
    'a/b',
    'a\\b',
    'a\nb',
    'a\u0000',
    'a\u202eb',
    'a\u200bb',
    '\u3164',
    'x'.repeat(101),
    '__proto__',
  ]) {
    it(`refuses the name ${JSON.stringify(name)}`, () => {
      const { servers } = parseServers(
        JSON.parse(`{${JSON.stringify(name)}: {"command": "x"}, "good": {"command": "x"}}`),
      );
      assert.deepEqual(
        servers.map(server => server.entry !== undefined),
        [false, true],
      );
      const [problem] = servers[0]!.problems;
      assert.deepEqual({ ...problem, message: '' }, { severity: 'error', path: [name], message: '', onKey: true });
      assert.match(
        english(problem!.message),
        /^The name ".*" cannot be used\. A name must have .* Rename the server\.$/,
      );
      assert.ok(english(problem!.message).length < 250);
    });
  }

  it('cannot reach a prototype', () => {
    const evil =
      '{"a": {"command": "x", "__proto__": {"url": "http://x"}, "env": {"__proto__": {"polluted": 1}, "constructor": "c"}}, "__proto__": {"polluted": {"command": "x"}}}';
    const { servers } = parseServers(JSON.parse(evil));
    assert.deepEqual(
      servers.map(({ name }) => name),
      ['a', '__proto__'],
    );
    const { entry } = servers[0]!;
    assert.ok(entry?.type === 'stdio');
    assert.deepEqual(entry.env, { constructor: 'c' });
    assert.equal(Object.getPrototypeOf(entry), Object.prototype);
    assert.equal(Object.getPrototypeOf(entry.env), Object.prototype);
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
  });

  it('may have null prototypes, be frozen, or be a proxy, as in the editor', () => {
    const entry = Object.freeze(
      Object.assign(Object.create(null), { command: 'x', env: Object.freeze(Object.create(null)) }),
    );
    assert.deepEqual(names(new Proxy(Object.freeze({ a: new Proxy(entry, {}) }), {})), ['a']);
  });

  it('is not modified', () => {
    const value = { a: { command: 'npx -y x', disabled: true, env: { A: 1 } } };
    const before = structuredClone(value);
    parseServers(value);
    assert.deepEqual(value, before);
  });
});

describe('a wrapper around the servers', () => {
  for (const wrapper of ['mcpServers', 'servers', 'mcpHost.servers']) {
    it(`is understood and reported: ${wrapper}`, () => {
      const { servers, problems } = parseServers({ [wrapper]: { a: { command: 'x' }, b: { command: 5 } } });
      assert.deepEqual(
        servers.map(({ name, path, entry }) => [name, path, entry !== undefined]),
        [
          ['a', [wrapper, 'a'], true],
          ['b', [wrapper, 'b'], false],
        ],
      );
      assert.deepEqual(servers[1]!.problems[0]!.path, [wrapper, 'b', 'command']);
      assert.deepEqual(
        problems.map(({ severity, path }) => [severity, ...path]),
        [['warning', wrapper]],
      );
    });
  }

  it('may stand beside servers', () => {
    assert.deepEqual(names({ a: { command: 'x' }, mcpServers: { b: { command: 'x' } } }), ['a', 'b']);
  });

  it('may contain inputs, which are ignored', () => {
    const { servers, problems } = parseServers({ inputs: [{ id: 'x' }], servers: { a: { command: 'x' } } });
    assert.equal(servers.length, 1);
    assert.deepEqual(
      problems.map(({ severity, path }) => [severity, ...path]),
      [
        ['warning', 'inputs'],
        ['warning', 'servers'],
      ],
    );
  });

  it('may be empty', () => assert.deepEqual(names({ mcpServers: {} }), []));

  it('is unwrapped only once', () => {
    assert.deepEqual(names({ servers: { servers: { a: { command: 'x' } } } }), ['servers!']);
  });

  it('is not assumed for a server of that name', () => {
    assert.deepEqual(names({ servers: { command: 'x' }, mcpServers: { url: 'http://x' } }), ['servers', 'mcpServers']);
    assert.deepEqual(names({ servers: { args: ['x'] } }), ['servers!']);
    assert.deepEqual(names({ servers: [] }), ['servers!']);
    assert.deepEqual(names({ servers: { command: { command: 'x' } } }), ['command']);
  });

  it('cannot add a second server of the same name', () => {
    const { servers, problems } = parseServers({ a: { command: 'first' }, servers: { a: { command: 'second' } } });
    assert.deepEqual(
      servers.map(({ entry }) => entry?.type === 'stdio' && entry.command),
      ['first'],
    );
    assert.deepEqual(
      problems.map(({ severity, path }) => [severity, ...path]),
      [
        ['warning', 'servers'],
        ['error', 'servers', 'a'],
      ],
    );
  });
});
