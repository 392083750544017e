import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { LanguageModelTools } from '../../src/features/languageModelTools/languageModelTools';
import { OfferedTools } from '../../src/features/profiles/offeredTools';
import { api, configure, fixture, loads } from './window';

describe('tools that are for apps alone', () => {
  let tools: LanguageModelTools;
  before(async () => {
    await configure({ apps: fixture('apps') });
    await loads('apps');
    const { servers, trust } = await api();
    const { askForCall, calls, flow, pins, requests } = trust();
    tools = new LanguageModelTools({
      servers,
      trust: { askForCall, calls, flow, pins, requests },
      offered: new OfferedTools(() => undefined, new vscode.EventEmitter<void>().event, { log() {} }, { fire() {} }),
      maxResultLength: () => 10_000,
      scale: async pictures => pictures,
    });
  });
  after(() => configure(undefined));

  const invoke = async (...[name, input]: Parameters<LanguageModelTools['prepare']>): Promise<string> => {
    const { token } = new vscode.CancellationTokenSource();
    const { content } = await tools.invoke(name, input, token);
    return content.map(part => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('\n');
  };

  it('are not listed for other participants @apps.listed-participants', async () => {
    const listed = (await invoke('listTools', { server: 'apps' })).split('\n');
    const names = listed.map(line => (JSON.parse(line) as { tool: string }).tool);
    assert.deepEqual(names, ['say', 'show_board', 'plan', 'erase']);
  });

  it('are missing when other participants call them by name @apps.missing-participants-call', async () => {
    const said = await invoke('callTool', { server: 'apps', tool: 'refresh', arguments: {} });
    assert.match(said, /MCP server "apps" has no tool refresh now/);
  });
});
