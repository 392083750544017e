import * as assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { processIsAlive, waitFor } from '../servers/spawn';
import { allow, api, configure, fixture, loads, reaches, watches } from './window';

const file = vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0]!.uri, '.vscode', 'settings.json').fsPath;
const settingsWith = (servers: object) => JSON.stringify({ 'mcpHost.servers': servers });

/** As editors and programs save: never emptied. */
function save(text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

async function pidOf(id: string): Promise<number> {
  const { state } = await loads(id);
  return (state.kind === 'ready' && state.pid) || assert.fail(`${id} has no process`);
}

describe('settings.json of a workspace', () => {
  const one = { one: fixture('hostile') };
  before(async () => {
    await configure({ beside: fixture('hostile') });
    await watches(path.dirname(file));
  });
  beforeEach(async () => {
    save(settingsWith(one));
    // It is asked about once: what was allowed stays allowed.
    const { servers } = await api();
    const kind = () => servers.get('one')?.state.kind ?? '';
    await waitFor(() => ['needsTrust', 'ready'].includes(kind()), { what: 'the server to start or to ask' });
    if (kind() === 'needsTrust') await allow('one');
    await loads('one');
  });
  after(async () => {
    save('{}');
    const { servers } = await api();
    await waitFor(() => !servers.get('one'), { what: 'the server to go' });
    await configure(undefined);
  });

  for (const [what, text] of [
    ['empty', ''],
    ['no object', 'mcpHost.servers: one'],
    ['cut off before its servers', '{ "mcpHost.servers": { "on'],
  ] as const)
    it(`that is ${what} for a while brings its server back when mended, without a question or a reload @settingsFaults.brings-server-back`, async () => {
      const [first, beside] = [await pidOf('one'), await pidOf('beside')];
      save(text);
      const { servers } = await api();
      await waitFor(() => !servers.get('one'), { what: 'the entry to be gone' });
      await waitFor(() => !processIsAlive(first), { what: 'its process to end' });
      save(settingsWith(one));
      await loads('one');
      assert.equal(await pidOf('beside'), beside);
    });

  it('that is replaced by a link, and the link by a file, is read each time @settingsFaults.replaced-link-link', async () => {
    const elsewhere = mkdtempSync(path.join(tmpdir(), 'mcp settings '));
    const target = path.join(elsewhere, 'settings.json');
    writeFileSync(target, settingsWith({ ...one, linked: { ...fixture('hostile'), enabled: false } }));
    const first = await pidOf('one');
    const { servers } = await api();
    try {
      unlinkSync(file);
      symlinkSync(target, file);
      await waitFor(() => servers.get('linked') && servers.get('one')?.state.kind === 'ready', {
        what: () => `the servers of the link; there are ${servers.all.map(({ id }) => id)}`,
      });
      save(settingsWith(one));
      await waitFor(() => !servers.get('linked'), { what: 'the servers of the file' });
      await loads('one');
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
    assert.ok(!processIsAlive(first) || (await pidOf('one')) === first, 'a second process is left');
  });

  it('that is saved fifty times at once is in line with the last of them, with one process @settingsFaults.saved-fifty-times', async () => {
    const started: string[] = [];
    const { servers } = await api();
    const listening = servers.onDidChange(change => {
      if (change?.what === 'state' && change.server.id === 'one' && change.server.state.kind === 'starting')
        started.push('one');
    });
    const beside = await pidOf('beside');
    const pids = new Set([await pidOf('one')]);
    for (let i = 1; i <= 50; i++) {
      save(settingsWith({ ...one, [`more ${i}`]: { ...fixture('hostile'), enabled: false } }));
      await new Promise(setImmediate);
      const { state } = servers.get('one') ?? {};
      if (state?.kind === 'ready' && state.pid) pids.add(state.pid);
    }
    await waitFor(() => servers.get('more 50') && servers.all.length === 3, {
      what: () => `the servers of the last; there are ${servers.all.map(({ id }) => id)}`,
    });
    listening.dispose();
    await reaches('one', 'ready');
    pids.add(await pidOf('one'));
    assert.deepEqual([pids.size, started], [1, []], 'an entry that stays the same was restarted');
    assert.equal(await pidOf('beside'), beside);
  });
});
