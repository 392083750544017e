import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { UriTemplate } from '../../src/features/resources/core/uriTemplate';
import { templatesFor } from '../../src/features/resources/openTemplate';
import { TemplateMemory } from '../../src/features/resources/templateMemory';
import type { ServerConnection } from '../../src/host';
import { npmServerPath } from '../servers/npm';
import { waitFor } from '../servers/spawn';
import { inRepository } from '../setup/paths';
import { MemoryMemento } from '../unit/editor/resources/memoryMemento';
import { ownTree } from './ownResourcesTree';
import { closeEditors, configure, fixture, loads, resourceUri, run } from './window';

const { fs } = vscode.workspace;
const templateNamed = (server: ServerConnection, name: string) =>
  server.catalog.resourceTemplates.find(template => template.name === name)!;

describe('resource templates:', () => {
  let content: ServerConnection;
  let notebook: ServerConnection;
  before(async () => {
    await configure({ content: fixture('content'), notebook: run(inRepository('dist/demo-server.js')) });
    content = await loads('content');
    notebook = await loads('notebook');
  });
  afterEach(closeEditors);
  after(() => configure(undefined));

  it('they, and resources opened through them, have rows', async () => {
    const { tree, memory, outline, find } = await ownTree();
    const month = { uri: 'notebook:///archive/2024/03', name: '03.md', mimeType: 'text/markdown' };
    await memory.remember('notebook', 'notebook:///archive/{year}/{month}', { year: '2024', month: '03' }, month);
    const rows = outline();
    const start = rows.indexOf('  Templates', rows.indexOf('notebook'));
    assert.deepEqual(rows.slice(start, start + 5), [
      '  Templates',
      '    Note',
      '    Archive month',
      '      2024/03',
      '    Archive entry',
    ]);
    const recent = find(notebook, month.uri)!;
    const opened = await vscode.commands.executeCommand('mcpHost.openResource', recent);
    assert.equal(opened, true);
    assert.match(vscode.window.activeTextEditor?.document.getText() ?? '', /^# 2024-03/);
    tree.dispose();
  });

  it('a broken one is reported with server and remedy', () => {
    const templates = templatesFor(new TemplateMemory(new MemoryMemento()), { read: assert.fail });
    const cases: [string, RegExp][] = [
      ['x:/{open', /Could not fill in odd of "content".*\{open is invalid: the "\{" at position 4 is not closed/],
      ['x:/}', /closes nothing/],
      ['x:/{}', /names no variable/],
      ['x:/{\u202eevil}{', /⟨U\+202E⟩evil/],
    ];
    for (const [uriTemplate, pattern] of cases) {
      const target = { server: content, template: { uriTemplate, name: 'odd' } };
      assert.throws(() => templates.parse(target), pattern, uriTemplate);
    }
  });

  it('those of the demo and of server-everything expand to URIs that these servers accept', async () => {
    await configure({
      notebook: run(inRepository('dist/demo-server.js')),
      everything: run(npmServerPath('everything'), 'stdio'),
    });
    const everything = await loads('everything');
    const cases: [ServerConnection, string, Record<string, string>][] = [
      [await loads('notebook'), 'archive-month', { year: '2026', month: '01' }],
      ...everything.catalog.resourceTemplates.map(({ name }): [ServerConnection, string, Record<string, string>] => [
        everything,
        name,
        { resourceId: '1' },
      ]),
    ];
    assert.ok(cases.length >= 3);
    for (const [server, name, values] of cases) {
      const uri = new UriTemplate(templateNamed(server, name).uriTemplate).expand(values);
      const file = resourceUri(server.id, { uri, name });
      await vscode.commands.executeCommand('vscode.open', file);
      const bytes = await fs.readFile(file);
      assert.ok(bytes.length > 0, uri);
    }
    await waitFor(() => everything.state.kind === 'ready', { what: 'the server to stay ready' });
  });
});
