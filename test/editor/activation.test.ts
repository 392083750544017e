import * as assert from 'node:assert/strict';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { waitFor } from '../servers/spawn';
import { loadedWith } from '../setup/programs';
import { api, configure, fixture, reaches } from './window';

const dist = path.join(vscode.extensions.getExtension('mcp-host.mcp-host')!.extensionPath, 'dist', path.sep);

/** Files of the extension that this extension host has loaded. */
const loaded = () =>
  Object.keys(require.cache)
    .filter(file => file.startsWith(dist))
    .map(file => file.slice(dist.length))
    .sort();

// The first suite of its window: what another one loads stays loaded.
describe('activation', () => {
  after(() => configure(undefined));

  it('is active in every window, without a question or a command', async () => {
    await api();
  });

  it('with no server configured loads neither the SDK nor anything else of the protocol', async () => {
    const { servers } = await api();
    await waitFor(() => servers.phase === 'empty', { what: 'settings to be read' });
    assert.deepEqual(loaded(), loadedWith('extension.js').sort());
  });

  it('loads the host when the first server is configured', async () => {
    await configure({ one: fixture('hostile') });
    await reaches('one', 'ready');
    assert.ok(loaded().includes('servers.js'));
    assert.ok(!loaded().includes('remote.js'), 'it needs nothing of HTTP');
  });
});
