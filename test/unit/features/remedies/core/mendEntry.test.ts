import assert from 'node:assert/strict';
import { applyEdits, type Edit, parse } from 'jsonc-parser';
import {
  appendToUrl,
  headerToInput,
  mendEntry,
  setField,
  variableToInput,
} from '../../../../../src/features/remedies/core/mendEntry';

const TEXT = `{
  // the team's
  "mcpHost.servers": {
    "box": {
      "url": "https://x.example/api?key=\${env:KEY}", // why
      "headers": { "X-Key": "\${env:KEY}", "X-Text": "$\${env:KEY}" },
    },
    "nested": { "command": "x" },
  },
}
`;
const after = (text: string, edit: Edit | undefined) => applyEdits(text, [edit ?? assert.fail('no edit')]);
const entry = (text: string) => parse(text)['mcpHost.servers'].box;

describe('settings edits that repair an entry', () => {
  it('set a field, with comments kept', () => {
    const once = after(TEXT, setField(TEXT, 'nested', { path: ['timeouts', 'startMs'], value: 120_000 }, {}));
    assert.deepEqual(parse(once)['mcpHost.servers'].nested, { command: 'x', timeouts: { startMs: 120_000 } });
    assert.ok(once.includes("// the team's") && once.includes('// why'), once);
    const again = after(once, setField(once, 'nested', { path: ['timeouts', 'startMs'], value: 240_000 }, {}));
    assert.equal(again, once.replace('120000', '240000'));
    assert.equal(setField(TEXT, 'gone', { path: ['timeouts', 'startMs'], value: 1 }, {}), undefined);
  });

  it('put another program in place of one that is not there, with the arguments behind it', () => {
    const command = (written: string) => {
      const text = JSON.stringify({ 'mcpHost.servers': { box: { command: written } } });
      const how = { remedy: { kind: 'setCommand', to: 'node' }, value: '' } as const;
      return entry(after(text, mendEntry(text, { name: 'box', problems: [] }, how, {})?.edit)).command;
    };
    assert.equal(command('nodee'), 'node');
    assert.equal(command('nodee  "a b.js" --x'), 'node  "a b.js" --x');
  });

  it('append to the path of a URL, before its query and after its variables', () => {
    const url = (written: string) => {
      const text = JSON.stringify({ 'mcpHost.servers': { box: { url: written } } });
      return entry(after(text, appendToUrl(text, 'box', '/mcp', {}))).url;
    };
    assert.equal(
      entry(after(TEXT, appendToUrl(TEXT, 'box', '/mcp', {}))).url,
      'https://x.example/api/mcp?key=${env:KEY}',
    );
    assert.equal(url('https://x.example'), 'https://x.example/mcp');
    assert.equal(url('https://x.example/'), 'https://x.example/mcp');
    assert.equal(url('${config:my.url}'), '${config:my.url}/mcp');
    assert.equal(url('https://x.example/${env:A?b}#c'), 'https://x.example/${env:A?b}/mcp#c');
    assert.equal(appendToUrl(TEXT, 'nested', '/mcp', {}), undefined);
  });

  it('set a header to an input, beside or instead of an existing one', () => {
    const made = headerToInput(TEXT, 'box', { header: 'Authorization', scheme: 'Bearer' }, {});
    const text = after(TEXT, made?.edit);
    assert.equal(entry(text).headers.Authorization, 'Bearer ${input:box-Authorization}');
    assert.equal(entry(text).headers['X-Key'], '${env:KEY}');
    assert.deepEqual(parse(text)['mcpHost.inputs'], [
      {
        type: 'promptString',
        id: 'box-Authorization',
        description: 'Authorization of the MCP server box',
        password: true,
      },
    ]);
    assert.ok(text.includes("// the team's") && text.includes('// why'), text);
    // In any case; its input is asked for again, and no second one is made.
    const again = headerToInput(text, 'box', { header: 'authorization', scheme: '' }, {});
    const twice = after(text, again?.edit);
    assert.equal(entry(twice).headers.Authorization, '${input:box-Authorization}');
    assert.equal(parse(twice)['mcpHost.inputs'].length, 1);
    const plain = text.replace('Bearer ${input:box-Authorization}', 'Bearer abc');
    assert.equal(
      headerToInput(plain, 'box', { header: 'Authorization', scheme: '' }, {})?.input.id,
      'box-Authorization-2',
    );
    const none = headerToInput(TEXT, 'nested', { header: 'A', scheme: '' }, { codeWorkspace: true });
    assert.equal(none, undefined);
  });

  it('replace a variable by an input throughout the entry, but not plain text', () => {
    const made = variableToInput(TEXT, 'box', 'KEY', {});
    const text = after(TEXT, made?.edit);
    assert.equal(entry(text).url, 'https://x.example/api?key=${input:box-KEY}');
    assert.deepEqual(entry(text).headers, { 'X-Key': '${input:box-KEY}', 'X-Text': '$${env:KEY}' });
    assert.equal(made?.input.id, 'box-KEY');
    assert.equal(variableToInput(TEXT, 'box', 'OTHER', {}), undefined);
    assert.equal(variableToInput(TEXT, 'nested', 'KEY', {}), undefined);
  });

  it('are undefined when inputs are no list, or the file is broken', () => {
    const odd = TEXT.replace('{\n', '{\n  "mcpHost.inputs": 5,\n');
    assert.equal(headerToInput(odd, 'box', { header: 'A', scheme: '' }, {}), undefined);
    assert.equal(variableToInput(odd, 'box', 'KEY', {}), undefined);
    assert.equal(setField('{ "mcpHost.servers": ', 'box', { path: ['a'], value: 1 }, {}), undefined);
  });
});
