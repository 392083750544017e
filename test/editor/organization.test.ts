import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { since } from '../setup/since';
import { api, closeEditors, configure, fixture, loads, reaches } from './window';

/** The setting that a policy would fix: so that no file of the machine is touched. */
const access = (value: string | undefined) =>
  vscode.workspace.getConfiguration('chat.mcp').update('access', value, vscode.ConfigurationTarget.Global);

since('chat.mcp.access').describe('a server that the organization refuses', () => {
  before(async () => {
    await configure({ refused: fixture('hostile') });
    await loads('refused');
  });
  after(async () => {
    await access(undefined);
    await closeEditors();
    await configure({});
  });

  it('is ended when the policy changes, says why in its row, and offers a request for approval', async () => {
    await access('none');
    const server = await reaches('refused', 'failed');
    const { tree } = await api();
    const row = tree.getChildren().find(node => node.server.id === 'refused') ?? assert.fail('it has no row');
    assert.match(String(tree.getTreeItem(row).description), /your setting "chat\.mcp\.access" allows no MCP servers/);
    const labels = tree.getChildren(row).map(node => tree.getTreeItem(node).label);
    assert.ok(labels.includes('Copy Request for Approval'), labels.join());
    await vscode.commands.executeCommand('mcpHost.requestApproval', { server });
    const copied = await vscode.env.clipboard.readText();
    assert.match(copied, /^Please allow the MCP server "refused"\.\n/);
    assert.match(copied, /\nRefused, because your setting "chat\.mcp\.access"/);
  });

  it('is among the rules that are shown', async () => {
    await vscode.commands.executeCommand('mcpHost.showOrganizationRules');
    const text = vscode.window.activeTextEditor?.document.getText() ?? '';
    assert.match(text, /Your setting "chat\.mcp\.access" of the editor: none/);
    assert.match(text, /refused: refused, because/);
  });

  it('starts again when the policy allows it', async () => {
    await access(undefined);
    await reaches('refused', 'ready');
  });
});
