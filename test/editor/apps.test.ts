import * as assert from 'node:assert/strict';
import { mock } from 'node:test';
import * as vscode from 'vscode';
import { AppFrame } from '../../src/features/apps/appFrame';
import { PersonsAnswers } from '../../src/features/apps/appRequests';
import { Apps } from '../../src/features/apps/apps';
import { declarationOf } from '../../src/features/apps/core/appPage';
import { LanguageModelTools } from '../../src/features/languageModelTools/languageModelTools';
import { OfferedTools } from '../../src/features/profiles/offeredTools';
import { waitFor } from '../servers/spawn';
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
      asksLess: () => false,
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

describe('an app that is shown', () => {
  after(() => configure(undefined));

  it('ends with the program that it came from, and what the person allowed it with it @apps.ends-with-program', async () => {
    await configure({ apps: fixture('apps') });
    const server = await loads('apps');
    const { servers, trust } = await api();
    const never = () => assert.fail('nothing is asked');
    const panel = vscode.window.createWebviewPanel('test.app', 'App', vscode.ViewColumn.One);
    let isClosed = false;
    const call = { server, tool: server.catalog.tools[0]!, args: {}, outcome: Promise.resolve({ content: [] }) };
    const page = { uri: 'ui://a', html: '<p>', declaration: declarationOf(undefined, undefined) };
    const services = { servers, trust: trust(), log: { log() {} }, openLink: never, sampling: () => undefined };
    const frame = new AppFrame(panel.webview, {
      ...{ extension: vscode.extensions.getExtension('mcp-host.mcp-host')!.extensionUri, call, page, title: 'App' },
      ...{
        place: 'tab',
        answers: new PersonsAnswers(),
        key: 'a',
        services: { ...services, version: '0' },
        move: never,
      },
      close: () => {
        isClosed = true;
      },
    });
    try {
      await configure({ apps: { ...fixture('apps'), timeouts: { requestMs: 20_000 } } });
      await loads('apps');
      assert.equal(isClosed, false);
      await configure({ apps: { ...fixture('apps'), env: { ANOTHER: 'program' } } });
      await waitFor(() => isClosed, { what: 'the app to be closed' });
    } finally {
      frame.dispose();
      panel.dispose();
    }
  });
});

describe('apps in another chat', () => {
  after(async () => {
    mock.restoreAll();
    await configure(undefined);
  });

  it('are asked about if a tool has them, and no more after three that the person declined', async () => {
    await configure({ apps: fixture('apps') });
    const server = await loads('apps');
    const { servers, trust, context } = await api();
    const apps = new Apps({ servers, trust: trust(), context, documents: undefined } as never);
    let asked = 0;
    for (const show of ['showInformationMessage', 'showWarningMessage'] as const)
      mock.method(vscode.window, show, async () => void asked++);
    const uri = 'ui://apps/board';
    const read = (at: string, text: string) =>
      apps.agreedRead(server, at, { contents: [{ uri: at, mimeType: 'text/html;profile=mcp-app', text }] });
    await assert.rejects(read('ui://apps/other', '<p>'), /no tool of MCP server "apps" has the app ui:\/\/apps\/other/);
    assert.equal(asked, 0);
    for (let page = 0; page < 5; page++) await assert.rejects(read(uri, `<p>${page}`), /you did not agree to it/);
    assert.equal(asked, 3);
    apps.dispose();
  });
});
