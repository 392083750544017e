import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { type CallToolResult, Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { eventually } from '../drivers/dom';
import { answerNotification } from '../drivers/notifications';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { waitFor } from '../servers/spawn';
import { remove, temporaryFolder } from '../setup/paths';

const CURSOR_FILE = '{\n  // mine\n  "mcpServers": { "other": { "command": "other" } }\n}\n';

describe('agents beside the editor', () => {
  let w: Workbench;
  /** Where the person's files are, and what windows and bridges share. */
  let home: string;
  const clients: Client[] = [];
  before(async () => {
    home = temporaryFolder();
    w = await openWorkbench({ viewport: { width: 1500, height: 950 }, env: { HOME: home, USERPROFILE: home } });
    await w.page.locator('[id="mcp-host.mcp-host.mcpHost.status"][aria-label*="2 ready"]').waitFor();
  });
  after(async () => {
    await Promise.allSettled(clients.map(client => client.close()));
    await w?.close();
    remove(home);
  });

  const connect = async (name: string) => {
    const client = new Client({ name, version: '2.1.0' }, { versionNegotiation: { mode: 'legacy' } });
    clients.push(client);
    const args = [path.join(home, '.mcp-host', 'bridge.js')];
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, cwd: w.folder, stderr: 'ignore' }),
    );
    return client;
  };
  const windows = () => {
    const folder = path.join(home, '.mcp-host', 'windows');
    return fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  };

  it('get one entry in their own file, shown as a difference before it is written; nothing listens until then', async () => {
    const file = path.join(home, '.cursor', 'mcp.json');
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, CURSOR_FILE);
    assert.deepEqual(windows(), []);
    // It ends with the notification at the end, which stays.
    w.host.command('mcpHost.shareServers').catch(() => undefined);
    await w.wb.quickRow('Cursor').waitFor();
    await w.picture('agents-share');
    await w.wb.pick('Cursor');
    const question = 'share the servers of MCP Host with agents';
    await w.wb.notification(question);
    await w.picture('agents-difference');
    await answerNotification(w, question, 'Add and Share');
    await w.wb.notification('finds the server "mcp-host"');
    const text = fs.readFileSync(file, 'utf8');
    assert.match(text, /\/\/ mine/);
    assert.match(text, /"mcp-host": \{\s*"command": "node",\s*"args": \[\s*".*bridge\.js"/);
    await waitFor(() => windows().length === 1, { what: 'the card of the window' });
  });

  const agents: Record<string, Client> = {};
  for (const name of ['claude-code', 'codex-mcp-client']) {
    it(`are asked about before they see anything: ${name}`, async () => {
      agents[name] = await connect(name);
      const listed = agents[name].listTools();
      const { text } = await w.wb.modal();
      assert.match(text, new RegExp(`Allow the agent "${name}" to use your MCP servers`));
      await w.picture(`agents-consent-${name}`);
      await w.wb.answerModal('Allow');
      const { tools } = await listed;
      assert.ok(
        tools.some(tool => tool.name === 'everything__get-sum'),
        tools.map(tool => tool.name).join(),
      );
    });
  }

  it('are named in the question before a call @agents.named-question-call', async () => {
    for (const [name, b] of [
      ['claude-code', 1],
      ['codex-mcp-client', 2],
    ] as const) {
      const called = agents[name]!.callTool({ name: 'everything__get-sum', arguments: { a: 40, b } });
      // On a page, which ends when the agent no longer waits.
      const page = w.wb.webview();
      await page.locator('.end').scrollIntoViewIfNeeded();
      await eventually(async () =>
        assert.match(await page.locator('h1').innerText(), new RegExp(`The agent "${name}" asks: call get-sum`)),
      );
      await w.picture(`agents-call-${name}`);
      await page.getByRole('button', { name: 'Allow Once', exact: true }).click();
      assert.match(JSON.stringify(((await called) as CallToolResult).content), new RegExp(String(40 + b)));
    }
  });

  it('are named in the audit log', async () => {
    await w.wb.command('MCP Host: Show Audit Log');
    const lines = await w.host.until(vscode => {
      const text = vscode.window.activeTextEditor?.document.getText() ?? '';
      return text.includes('codex-mcp-client') && text.split('\n').filter(row => row.includes('"agent"'));
    });
    const calls = (lines || []).map(line => JSON.parse(line)).filter(({ type }) => type === 'call');
    assert.deepEqual(
      calls.map(({ tool, client, answer }) => [tool, client, answer]),
      [
        ['get-sum', 'claude-code', 'allow'],
        ['get-sum', 'codex-mcp-client', 'allow'],
      ],
    );
    await w.host.command('editor.action.toggleWordWrap');
    await w.picture('agents-audit');
  });

  it('lose their entry again, and the file is as it was', async () => {
    const file = path.join(home, '.cursor', 'mcp.json');
    // It ends with a notification, which stays.
    w.host.command('mcpHost.shareServers').catch(() => undefined);
    await w.wb.quickRow('Cursor').waitFor();
    await w.wb.pick('Cursor');
    await w.wb.quickRow('Remove Entry').waitFor();
    await w.picture('agents-remove');
    await w.wb.pick('Remove Entry');
    await answerNotification(w, `Change ${file} as shown?`, 'Remove Entry');
    await w.wb.notification('The entry was removed');
    assert.equal(fs.readFileSync(file, 'utf8'), CURSOR_FILE);
  });

  it('are disconnected when sharing ends, and nothing listens any more', async () => {
    const ended = w.host.command('mcpHost.shareServers');
    await w.wb.pick('Stop Sharing');
    await ended;
    await waitFor(() => windows().length === 0, { what: 'the card to be removed' });
  });
});
