import assert from 'node:assert/strict';
import { checkedDefinitions } from '../../../../src/features/clients/ownServers';

describe('definitions of an extension', () => {
  const check = (given: unknown) => checkedDefinitions('me.mine', given);
  const refused = (given: unknown, ...parts: RegExp[]) =>
    assert.throws(
      () => check(given),
      (error: Error & { code: string }) => {
        assert.equal(error.code, 'INVALID');
        for (const part of parts) assert.match(error.message, part);
        return true;
      },
    );

  it('are copied, with their names', () => {
    const given = {
      one: { command: 'node', args: ['a'], env: { A: '1' } },
      two: { url: 'https://x.example/mcp', headers: { 'X-A': 'b' }, timeouts: { startMs: 1 }, disabled: true },
    };
    const { names, copy } = check(given);
    assert.deepEqual(names, ['one', 'two']);
    assert.deepEqual(copy, given);
    given.one.args.push('b');
    assert.deepEqual(copy.one, { command: 'node', args: ['a'], env: { A: '1' } });
  });

  it('are refused with the names of all unknown fields, and what was meant', () => {
    refused(
      {
        notes: { comand: 'node', command: 'node', nonsense: 1 },
        web: { url: 'https://x.example/', oauth: { scope: [] } },
      },
      /^The servers of me\.mine were not added: /,
      /server "notes" has the unknown field "comand" \(did you mean "command"\?\)/,
      /server "notes" has the unknown field "nonsense";/,
      /server "web" has the unknown field "oauth\.scope"/,
      /The fields are those of the setting "mcpHost\.servers"\.$/,
    );
    // A field of the other kind of server.
    refused({ notes: { command: 'node', headers: {} } }, /"headers"/);
  });

  it('are refused with what is wrong in a field, or lacks', () => {
    refused({ notes: { command: 7 } }, /server "notes": "command" must be a string/);
    refused({ notes: {} }, /server "notes": A server needs a "command"/);
    refused({ notes: 'node' }, /server "notes"/);
    refused({ 'a/b': { command: 'node' } }, /cannot be used/);
  });

  it('have nothing of the name __proto__, wherever it stands', () => {
    refused(JSON.parse('{"__proto__": {"command": "node"}}'), /"__proto__" is no field/);
    refused(JSON.parse('{"notes": {"command": "node", "__proto__": {"env": {}}}}'), /"notes\.__proto__" is no field/);
    refused(
      JSON.parse('{"notes": {"command": "node", "env": {"__proto__": "1"}}}'),
      /"notes\.env\.__proto__" is no field/,
    );
    assert.equal(({} as { command?: string }).command, undefined);
  });

  it('inherit nothing, which a copy would lose', () => {
    refused({ notes: { command: 'node', __proto__: { cwd: '/' } } }, /"notes\.__proto__" is no field/);
    refused({ notes: Object.create({ command: 'node' }) }, /"notes\.__proto__" is no field/);
    const bare = Object.assign(Object.create(null), { command: 'node' });
    assert.deepEqual(check({ notes: bare }).names, ['notes']);
  });

  it('are an object, and JSON', () => {
    for (const given of [7, null, undefined, [], 'x']) refused(given, /The definitions are no object\./);
    const circle: Record<string, unknown> = { command: 'node' };
    circle.env = circle;
    refused({ circle }, /cannot be written as JSON/);
    refused({ big: { command: 'node', args: [1n] } }, /cannot be written as JSON/);
  });

  it('name ten problems at most', () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`field${n}`, n]));
    refused({ notes: { command: 'node', ...many } }, /; and \d+ more\./);
  });
});
