import assert from 'node:assert/strict';
import { applyEdits, parse } from 'jsonc-parser';
import { settingsReading } from '../../../../src/host/settings/reading';
import { pairsOf, type ServerDraft, withPairs } from '../../../../src/host/setup/draft';
import { exportText } from '../../../../src/host/setup/exportServers';
import { placementOf, planAddition, sameEntry } from '../../../../src/host/setup/plan';
import { secretsToInputs } from '../../../../src/host/setup/secrets';
import { addToSettings } from '../../../../src/host/setup/write';

const TOKEN = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';
const draft = (name: string, entry: object, inputs: ServerDraft['inputs'] = []): ServerDraft => ({
  name,
  entry: entry as ServerDraft['entry'],
  inputs,
  values: new Map(),
  notes: [],
});
const prompt = (id: string, description = id) => ({ type: 'promptString', id, description, password: true });
const nothing = { servers: {}, inputs: [] };

describe('secrets of servers that are taken over', () => {
  it('become inputs, wherever they stand; their values are nowhere else', () => {
    const safe = secretsToInputs(
      draft('gh', {
        command: 'docker',
        args: ['run', '--token', TOKEN, `--api-key=${TOKEN}`],
        env: { GITHUB_TOKEN: TOKEN, MODE: 'fast', TWO: `${TOKEN} ${TOKEN}` },
      }),
      settingsReading,
    );
    const written = JSON.stringify([safe.entry, safe.inputs]);
    assert.ok(!written.includes(TOKEN), written);
    assert.deepEqual([...new Set(safe.values.values())], [TOKEN]);
    assert.equal(safe.inputs.length, safe.values.size);
    assert.deepEqual((safe.entry.env as Record<string, string>).GITHUB_TOKEN, '${input:gh-GITHUB_TOKEN}');
    assert.deepEqual((safe.entry.env as Record<string, string>).MODE, 'fast');
  });

  it('in headers, addresses and sign-ins too; the word before one stays', () => {
    const safe = secretsToInputs(
      draft('r', {
        url: `https://x.example/mcp?key=${TOKEN}`,
        headers: { Authorization: `Bearer ${TOKEN}` },
        oauth: { clientId: 'me', clientSecret: 's3cR3tS3cr3tS3cr3tAb12' },
      }),
      settingsReading,
    );
    assert.deepEqual(safe.entry, {
      url: 'https://x.example/mcp?key=${input:r-key}',
      headers: { Authorization: 'Bearer ${input:r-Authorization}' },
      oauth: { clientId: 'me', clientSecret: '${input:r-clientSecret}' },
    });
  });

  it('are, of what a person types, whatever the name says is secret', () => {
    const typed = draft('a', { command: 'x', env: { DB_PASSWORD: 'hunter2', TOKEN: '${env:T}', PORT: '1' } });
    assert.deepEqual(secretsToInputs(typed, settingsReading).entry, typed.entry);
    const safe = secretsToInputs(typed, settingsReading, { byName: true });
    assert.deepEqual(safe.entry.env, { DB_PASSWORD: '${input:a-DB_PASSWORD}', TOKEN: '${env:T}', PORT: '1' });
    assert.deepEqual([...safe.values], [['a-DB_PASSWORD', 'hunter2']]);
  });
});

describe('variables and headers that a person may change', () => {
  it('are texts; a variable that is removed stays removed', () => {
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

describe('where a server goes', () => {
  it('is under its name, another when that is taken, or nowhere when it is there', () => {
    const one = draft('a', { command: 'npx', args: ['x'] });
    assert.deepEqual(placementOf(one, {}), { kind: 'new', name: 'a' });
    assert.deepEqual(placementOf(one, { a: { command: 'other' } }), { kind: 'renamed', name: 'a-2' });
    assert.deepEqual(placementOf(one, { a: { command: 'o' }, 'a-2': { command: 'p' } }), {
      kind: 'renamed',
      name: 'a-3',
    });
    assert.deepEqual(placementOf(one, { a: { type: 'stdio', ...one.entry, enabled: false } }), {
      kind: 'there',
      name: 'a',
    });
    assert.deepEqual(placementOf(one, { a: { command: 'o' }, 'a-2': one.entry }), { kind: 'there', name: 'a-2' });
    assert.ok(sameEntry({ command: 'x', args: ['${input:a}'] }, { command: 'x', args: ['${input:b}'] }));
    assert.ok(!sameEntry({ command: 'x', args: ['a'] }, { command: 'x' }));
  });

  it('has inputs of its own where an id is taken by another, and shares one that is the same', () => {
    const entry = { command: 'x', env: { A: '${input:token}', B: '${input:region}' } };
    const addition = planAddition([draft('a', entry, [prompt('token'), prompt('region')])], {
      servers: {},
      inputs: [prompt('token', 'of another'), prompt('region')],
    });
    assert.deepEqual(addition.servers.a, { command: 'x', env: { A: '${input:token-2}', B: '${input:region}' } });
    assert.deepEqual(addition.inputs, [{ ...prompt('token'), id: 'token-2' }]);
  });

  it('never mixes the secrets of two servers', () => {
    const of = (command: string, value: string) =>
      secretsToInputs(draft('s', { command, env: { API_TOKEN: value } }), settingsReading);
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

describe('what is added to a settings file', () => {
  const addition = { servers: { b: { command: 'npx' } }, inputs: [prompt('t')] };
  const after = (text: string, options = {}) => {
    const edit = addToSettings(text, addition, options);
    return edit && applyEdits(text, [edit]);
  };

  it('leaves comments, formatting and everything else as it is', () => {
    const text = `{
    // how I like it
    "editor.tabSize": 4, /* really */
    "mcpHost.servers": {
        // the first one
        "a": { "command": "one" }, // stays on its line
    },
}
`;
    const changed = after(text)!;
    for (const line of text.split('\n').filter(line => /\S/.test(line) && !/^[\s{},]*$/.test(line)))
      assert.ok(changed.includes(line.trim()), `${line} in\n${changed}`);
    assert.ok(changed.includes('        "b": {\n            "command": "npx"'), changed);
    const value = parse(changed, [], { allowTrailingComma: true });
    assert.deepEqual(Object.keys(value['mcpHost.servers']), ['a', 'b']);
    assert.deepEqual(value['mcpHost.inputs'], addition.inputs);
  });

  it('makes the settings that are not there, in an empty file too, with its line ends', () => {
    for (const text of ['', '{}', '{ "a": 1 }', '// nothing\n{\n}\n']) {
      const value = parse(after(text)!, [], { allowTrailingComma: true });
      assert.deepEqual(value['mcpHost.servers'], addition.servers, text);
    }
    assert.ok(!/(?<!\r)\n/.test(after('{\r\n  "a": 1\r\n}')!));
  });

  it('goes below "settings" of a .code-workspace, and beside what is written nested', () => {
    const workspace = parse(after('{ "folders": [], "settings": {} }', { codeWorkspace: true })!);
    assert.deepEqual(workspace.settings['mcpHost.servers'], addition.servers);
    const nested = parse(after('{ "mcpHost": { "servers": { "a": {} } } }')!);
    assert.deepEqual(Object.keys(nested.mcpHost.servers), ['a', 'b']);
    assert.deepEqual(nested.mcpHost.inputs, addition.inputs);
  });

  it('is nothing where the file is broken, or a setting of another kind', () => {
    for (const text of ['{ "a": ', '{ "mcpHost.servers": [] }', '{ "mcpHost.inputs": {} }', '{ oops }'])
      assert.equal(after(text), undefined, text);
  });
});

describe('an export', () => {
  it('is an mcp.json without a secret, with the inputs that are used', () => {
    const text = exportText(
      [
        {
          name: 'a',
          entry: { command: 'npx -y x', env: { API_TOKEN: TOKEN }, enabled: false, timeouts: { startMs: 5 } },
          inputs: [],
        },
        {
          name: 'r',
          entry: { url: 'https://x.example/mcp', headers: { K: '${input:k}' } },
          inputs: [prompt('k'), prompt('unused')],
        },
        { name: 'a', entry: { command: 'y' }, inputs: [] },
      ],
      settingsReading,
    );
    assert.ok(!text.includes(TOKEN));
    const { servers, inputs } = JSON.parse(text);
    assert.deepEqual(servers, {
      a: { type: 'stdio', command: 'npx', args: ['-y', 'x'], env: { API_TOKEN: '${input:a-API_TOKEN}' } },
      r: { type: 'http', url: 'https://x.example/mcp', headers: { K: '${input:k}' } },
      'a-2': { type: 'stdio', command: 'y' },
    });
    assert.deepEqual(
      inputs.map(({ id }: { id: string }) => id),
      ['a-API_TOKEN', 'k'],
    );
  });
});
