import * as assert from 'node:assert/strict';
import { type HttpServerFixture, startHttpServer } from '../servers/spawn';
import { openWorkbench, type Workbench } from '../setup/workbench';

describe('what a person sees of a sign-in', () => {
  let server: HttpServerFixture;
  let w: Workbench;
  before(async () => {
    server = await startHttpServer('protected');
    w = await openWorkbench({ settings: { 'mcpHost.servers': { box: { url: server.url('/mcp') } } } });
    await w.wb.viewContainer('MCP');
  });
  after(async () => {
    await w?.close();
    await server?.stop();
  });

  it('the row asks for it, and the consent names who is who before a browser opens', async () => {
    const tree = w.wb.tree('Servers');
    await tree.row('box').filter({ hasText: 'asks for a sign-in' }).waitFor();
    await w.picture('sign-in-row');
    await tree.action('box', 'Sign In');
    const { text, detail, buttons } = await w.wb.modal();
    await w.picture('sign-in-consent');
    assert.match(text, /Sign in to MCP server "box"\?/);
    assert.match(detail, /Signs you in: 127\.0\.0\.1:\d+/);
    assert.match(detail, /Permissions: read, offline_access/);
    assert.ok(buttons.includes('Open Browser'));
    await w.wb.answerModal('Cancel');
    await tree.row('box').filter({ hasText: 'asks for a sign-in' }).waitFor();
  });
});
