import * as assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { ServerNode } from '../../src/editor/serverRows';
import { npmServerPath, startEverything } from '../servers/npm';
import { processIsAlive, waitFor } from '../servers/spawn';
import { allow, api, configure, eventually, fixture, loads, logged, passes, raw, reaches, run } from './window';

const rowLabel = (item: vscode.TreeItem) => (typeof item.label === 'string' ? item.label : item.label?.label);

/** The rows of the Servers view below a server, indented: what a person sees when all is expanded. */
async function outline(id: string): Promise<string[]> {
  const { tree } = await api();
  const walk = (node: ServerNode, depth: number): string[] => {
    const item = tree.getTreeItem(node);
    const line = `${'  '.repeat(depth)}${rowLabel(item)}${node.type === 'list' ? ` ${item.description}` : ''}`;
    return [line, ...tree.getChildren(node).flatMap(child => walk(child, depth + 1))];
  };
  return tree
    .getChildren()
    .filter(node => node.server.id === id)
    .flatMap(node => walk(node, 0));
}

describe('servers from settings', () => {
  afterEach(() => configure(undefined));
  after(() => configure(undefined, vscode.ConfigurationTarget.Workspace));

  const program = run(npmServerPath('everything'), 'streamableHttp');
  const started = { ...program, env: { ...program.env, PORT: '${port}' }, url: 'http://localhost:${port}/mcp' };
  for (const transport of ['stdio', 'streamableHttp', 'sse', 'a port of its own'] as const) {
    it(`server-everything over ${transport}: all lists are in the tree, its log in the channel`, async () => {
      const isRemote = transport === 'streamableHttp' || transport === 'sse';
      const remote = isRemote ? await startEverything(transport) : undefined;
      const local = transport === 'stdio' ? run(npmServerPath('everything'), 'stdio') : started;
      try {
        await configure({
          everything: remote ? { url: remote.url(transport === 'sse' ? '/sse' : '/mcp') } : local,
        });
        const server = await loads('everything');
        // The tools that need roots and elicitation come later, one by one.
        await eventually(async () => {
          const rows = await outline('everything');
          for (const row of ['  Tools 17', '  Prompts 4', '  Resources 7', '  Templates 2', '    Echo Tool'])
            assert.ok(rows.includes(row), `${row} is missing in:\n${rows.join('\n')}`);
        });
        for (const { uri } of server.catalog.resources)
          assert.ok((await raw(server).readResource(uri)).contents.length > 0, uri);
        await logged('everything', /\[server everything-server\]/);
      } finally {
        await remote?.stop();
      }
    });
  }

  it('server-filesystem gets the workspace folder as its root', async () => {
    await configure({ files: run(npmServerPath('filesystem'), tmpdir()) });
    const server = await loads('files');
    const root = vscode.workspace.workspaceFolders![0]!.uri.fsPath;
    await waitFor(
      async () => {
        const name = 'list_allowed_directories';
        const result = await raw(server).request(`call ${name}`, (client, options) =>
          client.callTool({ name }, options),
        );
        return JSON.stringify(result).includes(root);
      },
      { what: `${root} to be allowed` },
    );
    // 14 tools and one root.
    await eventually(async () =>
      assert.equal((await outline('files')).filter(row => row.startsWith('    ')).length, 15),
    );
  });

  it('server-memory: its tools and its graph are available', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'mcp-host-')), 'memory.json');
    await configure({
      memory: { ...run(npmServerPath('memory')), env: { ELECTRON_RUN_AS_NODE: '1', MEMORY_FILE_PATH: file } },
    });
    await loads('memory');
    assert.ok((await outline('memory')).includes('    Knowledge Graph'));
  });

  it('restarts only the server whose entry changed', async () => {
    const { servers } = await api();
    const pid = (id: string) => {
      const state = servers.get(id)?.state;
      return state?.kind === 'ready' ? state.pid : undefined;
    };
    await configure({ same: fixture('hostile'), other: fixture('hostile') });
    await Promise.all([loads('same'), loads('other')]);
    const [same, other] = [pid('same'), pid('other')];
    await configure({ same: fixture('hostile'), other: fixture('hostile', '--tools=7') });
    await waitFor(async () => (await loads('other')).catalog.tools.length === 7, { what: 'the changed server' });
    assert.equal(pid('same'), same);
    assert.notEqual(pid('other'), other);
  });

  it('replaces the user entry by the workspace entry of the same name', async () => {
    await configure({ one: fixture('hostile', '--tools=3') });
    await loads('one');
    await configure({ one: fixture('hostile', '--tools=9') }, vscode.ConfigurationTarget.Workspace);
    await allow('one');
    await waitFor(async () => (await loads('one')).catalog.tools.length === 9, { what: 'the workspace entry' });
    await configure(undefined, vscode.ConfigurationTarget.Workspace);
    await waitFor(async () => (await loads('one')).catalog.tools.length === 3, { what: 'the user entry again' });
  });

  it('is stopped, started and restarted by commands on its row', async () => {
    await configure({ one: fixture('hostile') });
    const server = await loads('one');
    const states = [];
    for (const command of ['stopServer', 'startServer', 'restartServer']) {
      await vscode.commands.executeCommand(`mcpHost.${command}`, { server });
      states.push(server.state.kind);
    }
    assert.deepEqual(states, ['stopped', 'ready', 'ready']);
  });

  it('is restarted when its process dies, and its row shows that meanwhile', async () => {
    await configure({ one: fixture('hostile') });
    const { state } = await reaches('one', 'ready');
    assert.ok(state.kind === 'ready');
    const { tree } = await api();
    const row = () => tree.getTreeItem(tree.getChildren().find(({ server }) => server.id === 'one')!);
    const { pid } = state;
    const meanwhile = await passes('one', 'reconnecting', {
      when: () => process.kill(pid!, 'SIGKILL'),
      look: () => row().description,
    });
    assert.equal(meanwhile, 'reconnecting… · its process was ended by SIGKILL without any output on stderr');
    await loads('one');
  });

  it('ends its process when its entry is removed', async () => {
    await configure({ one: fixture('hostile') });
    const { state } = await reaches('one', 'ready');
    assert.ok(state.kind === 'ready');
    const pid = state.pid!;
    assert.ok(processIsAlive(pid));
    await configure(undefined);
    await waitFor(() => !processIsAlive(pid), { what: 'the process to end' });
  });

  it('the demo server is added to user settings by one command, without a path, and works', async () => {
    await vscode.commands.executeCommand('mcpHost.addDemoServer');
    const server = await loads('notebook');
    assert.equal(server.definition.source.scope, 'user');
    const written = vscode.workspace
      .getConfiguration('mcpHost')
      .inspect<Record<string, object>>('servers')?.globalValue;
    assert.deepEqual(written?.notebook, {
      command: '${execPath}',
      args: ['${extensionInstallFolder:mcp-host.mcp-host}/dist/demo-server.js', '--own-notes'],
      env: { ELECTRON_RUN_AS_NODE: '1' },
    });
    await waitFor(() => server.catalog.resources.length >= 1_000, { what: 'its thousand resources' });
    assert.ok(server.catalog.resources.filter(({ uri }) => uri.startsWith('notebook:///notes/')).length >= 5);
    assert.ok(
      server.catalog.tools.length >= 5 &&
        server.catalog.prompts.length >= 3 &&
        server.catalog.resourceTemplates.length >= 2,
    );
  });
});
