import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LaunchedServer, sandboxFolder, sandboxIdentity } from '../../../../src/host/sandbox/confinement';
import { openCaches } from '../../../../src/host/sandbox/onDisk';
import { waitFor } from '../../../servers/spawn';
import { temporaryFolder } from '../../../setup/paths';

describe('the folder of a confined server', () => {
  const launched = (more: Partial<LaunchedServer> = {}): LaunchedServer => ({
    launch: 'a',
    source: { scope: 'user' },
    place: { base: '/home/me' } as LaunchedServer['place'],
    reviewed: { type: 'stdio', command: 'npx', args: [], cwd: '/home/me' } as unknown as LaunchedServer['reviewed'],
    ...more,
  });

  it('is the same for the same launch, and another for another program, source or folder @cacheFolders.launch-program-source', () => {
    const reviewed = { ...launched().reviewed, cwd: '/elsewhere' } as LaunchedServer['reviewed'];
    const others = [
      launched({ launch: 'b' }),
      launched({ source: { scope: 'workspace' } }),
      launched({ source: { scope: 'workspaceFolder', folder: { name: 'x', path: '/x' } } }),
      launched({ place: { base: '/work/repository' } as LaunchedServer['place'] }),
      launched({ reviewed }),
    ];
    assert.equal(sandboxFolder('/s', launched()), sandboxFolder('/s', launched()));
    assert.equal(new Set([launched(), ...others].map(sandboxIdentity)).size, others.length + 1);
  });

  it('is removed when no server was started with it for a long time', async () => {
    const storage = temporaryFolder();
    const day = 24 * 60 * 60;
    const now = Date.now();
    for (const [name, days] of Object.entries({ own: 400, old: 90, recent: 30 })) {
      mkdirSync(join(storage, name));
      writeFileSync(join(storage, name, 'file'), '');
      utimesSync(join(storage, name), now / 1000 - days * day, now / 1000 - days * day);
    }
    openCaches(join(storage, 'own'), now);
    openCaches(join(storage, 'new'), now);
    await waitFor(() => !readdirSync(storage).includes('old'), { what: 'the old one to be removed' });
    assert.deepEqual(readdirSync(storage).sort(), ['new', 'own', 'recent']);
    assert.deepEqual(readdirSync(join(storage, 'own')), ['file']);
  });
});
