import * as assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { eventually } from './window';

const settingsFile = () =>
  vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0]!.uri, '.vscode', 'settings.json').fsPath;

describe('mcpHost.limits', () => {
  let before: string;
  beforeEach(() => {
    before = readFileSync(settingsFile(), 'utf8');
  });
  afterEach(() => writeFileSync(settingsFile(), before));

  const limit = (name: string) => vscode.workspace.getConfiguration('mcpHost').get(`limits.${name}`);

  it('is one object, of which the names of earlier releases are members', async () => {
    writeFileSync(settingsFile(), JSON.stringify({ 'mcpHost.limits': { requestsInFlight: 7 } }));
    await eventually(() => assert.equal(limit('requestsInFlight'), 7));
    writeFileSync(
      settingsFile(),
      JSON.stringify({ 'mcpHost.limits.requestsInFlight': 8, 'mcpHost.ping.intervalMs': 9 }),
    );
    await eventually(() => assert.equal(limit('requestsInFlight'), 8));
    assert.equal(vscode.workspace.getConfiguration('mcpHost').get('ping.intervalMs'), 9);
  });
});
