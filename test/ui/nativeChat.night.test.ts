import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { COLLECTED, collectedServers } from '../bench/tools/collection';
import { eventually } from '../drivers/dom';
import type { Workbench } from '../drivers/workbench';
import { fixturePath, waitFor } from '../servers/spawn';
import { answers, askUntil, frameWith, openAgentChat, toolsOf } from './agentChat';

describe('native chat beside other participants, with many tools and odd ones', () => {
  let w: Workbench;
  before(async () => {
    w = await openAgentChat();
  });
  after(() => w?.close());

  const tools = (prefix: string) => toolsOf(w, prefix);

  it('gives other participants a few tools, and asks once for each call, with its arguments', async () => {
    const listed = await w.wb.chat.send('call mcpHost_listTools {"server": "everything"}');
    await answers(listed, /"tool":"echo"/);
    const call =
      'call mcpHost_callTool {"server": "notebook", "tool": "add_note", "arguments": {"name": "tea", "text": "x"}}';
    const response = await w.wb.chat.send(call);
    const { text, detail } = await w.wb.modal();
    assert.match(text, /Call add_note on MCP server "notebook"/);
    assert.match(detail, /"name": "tea"/);
    await w.picture('language-model-tool-confirmation');
    await w.wb.answerModal('Deny');
    await answers(response, /denied: .*The user denied/);
  });

  it('shows long arguments of such calls on a page, which allows them only at its end @nativeChat.shows-long-arguments', async () => {
    const input = {
      server: 'notebook',
      tool: 'add_note',
      arguments: { name: 'tea', text: `${'a\n'.repeat(30)}the end` },
    };
    const response = await w.wb.chat.send(`call mcpHost_callTool ${JSON.stringify(input)}`);
    const page = await frameWith(w, frame => frame.locator('.end'), 'the page');
    await eventually(async () => assert.match(await page.locator('.rows').innerText(), /the end"/));
    await w.picture('native-chat-whole');
    await page.getByRole('button', { name: 'Allow Once', exact: true }).click();
    await answers(response, /The tool answered/);
  });

  it('follows servers that stop and start', async () => {
    const enable = (enabled: boolean) => {
      const file = path.join(w.folder, '.vscode/settings.json');
      const settings = JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, Record<string, object>>;
      Object.assign(settings['mcpHost.servers']?.everything ?? {}, { enabled });
      fs.writeFileSync(file, JSON.stringify(settings, null, 2));
    };
    enable(false);
    await waitFor(async () => (await tools('mcp_everything_')).length === 0, { what: 'no tools' });
    await eventually(async () => assert.ok((await tools('mcp_notebook_')).length > 2));
    await w.page.locator('[id="mcp-host.mcp-host.mcpHost.status"][aria-label*="1 ready"]').waitFor();
    enable(true);
    await w.page.locator('[id="mcp-host.mcp-host.mcpHost.status"][aria-label*="2 ready"]').waitFor();
    await askUntil(w, 'hello again', async () => (await tools('mcp_everything_')).length > 2, 'tools again');
  });

  it('searches for tools when so configured, and asks about the tool that is really called', async () => {
    const offer = (how: 'on' | 'search') =>
      w.host.eval(
        (vscode, value) => vscode.workspace.getConfiguration('mcpHost').update('nativeChat', value, true),
        how,
      );
    await offer('search');
    const searching = ['mcp_search_tools', 'mcp_describe_tool', 'mcp_call_tool'].map(name => `mcp_everything_${name}`);
    const areAlone = async () => {
      const now = await tools('mcp_everything_');
      return now.length === 3 && searching.every(name => now.includes(name));
    };
    await askUntil(w, 'hello once more', areAlone, 'the three tools alone');
    const found = await w.wb.chat.send('call mcp_everything_mcp_search_tools {"query": "add two numbers"}');
    await answers(found, /"name":"get-sum"/);
    const response = await w.wb.chat.send(
      'call mcp_everything_mcp_call_tool {"name": "get-sum", "arguments": {"a": 30, "b": 12}}',
    );
    // The editor would remember an answer for all of the server's tools at once.
    const { text, detail } = await w.wb.modal();
    assert.match(text, /get-sum.*"everything"/);
    assert.match(detail, /"a": 30/);
    await w.picture('native-chat-search-question');
    await w.wb.answerModal('Allow Once');
    await answers(response, /The sum of 30 and 12 is 42/);
    await w.picture('native-chat-search');
    await offer('on');
  });

  it('offers tools with odd schemas beside all others, in words that their server understands', async () => {
    const servers = (value: object) =>
      w.host.eval((vscode, set) => vscode.workspace.getConfiguration('mcpHost').update('servers', set, true), value);
    const real = collectedServers().flatMap(server => server.tools).length;
    const args = [fixturePath('oddSchemas'), COLLECTED];
    await servers({ odd: { command: process.execPath, args } });
    await w.page.locator('[id="mcp-host.mcp-host.mcpHost.status"][aria-label*="3 ready"]').waitFor();
    const isAll = async () => (await tools('mcp_odd_')).length === real + 13;
    await askUntil(w, 'hello to all', isAll, 'the tools of real servers, and all odd ones but one');
    const all = await w.wb.chat.ask('use tools');
    await answers(all, /mcp_odd_no_items/);
    const response = await w.wb.chat.send(
      'call no_items {"values": [1, "a"]} then call odd_names {"filter_id": "x", "a_space": 2}',
    );
    const allow = response.getByRole('button', { name: /^Allow/ });
    await allow.first().click();
    await answers(response, /odd_names/);
    await allow.first().click();
    await answers(response, /"values":\[1,"a"\].*"filter\[id\]":"x","a space":2/s);
    await w.picture('native-chat-odd-schemas');
    await w.host.command('workbench.view.extension.mcpHost');
    const tree = w.wb.tree('Servers');
    await tree.expand('odd');
    await tree.expand('Tools');
    await tree.row('too_large').locator('.label-description', { hasText: 'not offered to models' }).waitFor();
    await w.picture('native-chat-not-offered');
    await servers({});
    await w.page.locator('[id="mcp-host.mcp-host.mcpHost.status"][aria-label*="2 ready"]').waitFor();
  });
});
