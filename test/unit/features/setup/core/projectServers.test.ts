import assert from 'node:assert/strict';
import {
  projectEntries,
  projectServers,
  withVariableNames,
} from '../../../../../src/features/setup/core/projectServers';

describe("a project's .mcp.json", () => {
  it('has comments, variables of the environment, inputs, and fields that are ours', () => {
    const text = `\ufeff{ // for all
      "mcpServers": {
        "a": { "type": "stdio", "command": "x", "env": { "T": "\${TOKEN:-none}" }, "sandbox": true, "theirs": 1 },
        "b": { "type": "http", "url": "https://x.example/mcp", "headers": { "A": "\${input:key}" }, "disabled": true },
        "odd": 7,
      } }`;
    const { value, inputs } = projectServers(text, name => name === 'HOME')!;
    assert.deepEqual(value, {
      a: { sandbox: true, command: 'x', env: { T: '${env:TOKEN:-none}' } },
      b: { type: 'http', url: 'https://x.example/mcp', headers: { A: '${input:key}' }, enabled: false },
      odd: 7,
    });
    assert.deepEqual(inputs, [{ type: 'promptString', id: 'key', description: 'key', password: true }]);
  });

  it('is none while it cannot be read, and empty without servers', () => {
    for (const text of ['', '{', '[]', '7', '{ "mcpServers": { "a": { }'])
      assert.equal(
        projectServers(text, () => false),
        undefined,
        text,
      );
    for (const text of ['{}', '{ "mcpServers": [] }'])
      assert.deepEqual(projectServers(text, () => false)?.value, {}, text);
  });

  it('never throws, however deeply it is nested', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    assert.equal(
      projectServers(`{ "mcpServers": { "a": { "command": "x", "args": ${deep} } } }`, () => false),
      undefined,
    );
  });

  it('asks for a variable that the editor lacks and that has no default', () => {
    const env = { A: '${TOKEN}', B: '${env:TOKEN}', C: '${HOME}', D: '${REGION:-eu}', E: '$${TOKEN}' };
    const { value, inputs } = projectServers(
      JSON.stringify({ mcpServers: { a: { command: '${TOKEN}', args: ['--t=${TOKEN}'], env } } }),
      name => name === 'HOME',
    )!;
    assert.deepEqual(value.a, {
      command: '${env:TOKEN}',
      args: ['--t=${input:TOKEN}'],
      env: { A: '${input:TOKEN}', B: '${input:TOKEN}', C: '${env:HOME}', D: '${env:REGION:-eu}', E: '$${env:TOKEN}' },
    });
    assert.deepEqual(inputs, [{ type: 'promptString', id: 'TOKEN', description: 'TOKEN', password: true }]);
  });

  it('has programs that print headers, and asks for variables that these lack', () => {
    const servers = {
      a: { type: 'http', url: 'https://x.example/mcp', headersHelper: './get "$TOKEN" ${TOKEN}' },
      b: { url: 'https://x.example/mcp', headersHelper: { command: 'get', env: { TOKEN: '${TOKEN}' } } },
    };
    const { value, inputs } = projectServers(JSON.stringify({ mcpServers: servers }), () => false)!;
    assert.deepEqual(value, {
      a: { ...servers.a, headersHelper: './get "$TOKEN" $${TOKEN}' },
      b: { type: 'http', ...servers.b, headersHelper: { command: 'get', env: { TOKEN: '${input:TOKEN}' } } },
    });
    assert.deepEqual(
      inputs.map(({ id }) => id),
      ['TOKEN'],
    );
  });

  it('has what was an input of settings as a variable, under a name that is free', () => {
    const input = (id: string) => ({ type: 'promptString', id });
    const ids = ['one-GITHUB_TOKEN', 'one-Authorization', '9'];
    const addition = {
      servers: {
        one: { command: 'x', args: ids.map(id => `\${input:${id}}`), env: { A: '${env:B:-c}', D: '$${env:E}' } },
      },
      inputs: ids.map(input),
      values: new Map([['one-GITHUB_TOKEN', 'secret']]),
    };
    const { servers, inputs, values } = withVariableNames(addition, name => name === 'GITHUB_TOKEN');
    const names = ['GITHUB_TOKEN_2', 'ONE_AUTHORIZATION', '_9'];
    assert.deepEqual([inputs.map(({ id }) => id), [...values]], [names, [['GITHUB_TOKEN_2', 'secret']]]);
    assert.deepEqual(projectEntries(servers).one, {
      command: 'x',
      args: names.map(name => `\${${name}}`),
      env: { A: '${B:-c}', D: '$${env:E}' },
    });
  });
});
