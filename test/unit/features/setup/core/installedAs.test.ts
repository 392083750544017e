import assert from 'node:assert/strict';
import { installedAs } from '../../../../../src/features/setup/core/installedAs';
import { serverOf } from '../../../../../src/features/setup/core/registryClient';
import { choicesOf } from '../../../../../src/features/setup/core/registryServer';

describe('a server of a registry that is installed', () => {
  const packaged = (registryType: string, identifier: string, version = '2.0.0') => ({
    packages: [{ registryType, identifier, version, transport: { type: 'stdio' } }],
  });
  const found = (server: object, entry: unknown) =>
    installedAs(choicesOf(serverOf({ name: 'com.example/x', version: '2.0.0', ...server })!), { mine: entry });
  const run = (command: string, ...args: unknown[]) => ({ command, args });

  it('is found in another version, with other options and under another name', () => {
    for (const [server, entry] of [
      [packaged('npm', '@a/x'), run('npx', '-y', '@a/x@1.0.0', '--all')],
      [packaged('npm', '@a/x'), run('npx', '-y', '@a/x')],
      [packaged('pypi', 'x'), run('uvx', 'x==1.0')],
      [packaged('oci', 'ghcr.io/a/x:2'), run('docker', 'run', '-i', '--rm', 'ghcr.io/a/x:1')],
      [packaged('oci', 'localhost:5000/a/x', ''), run('docker', 'run', 'localhost:5000/a/x@sha256:00')],
      [{ remotes: [{ type: 'sse', url: 'https://x.example/sse' }] }, { type: 'sse', url: 'https://x.example/sse' }],
    ] as const) {
      assert.equal(found(server, entry), 'mine', JSON.stringify(entry));
    }
  });

  it('is not another one, or what settings have that is no entry', () => {
    for (const [server, entry] of [
      [packaged('npm', '@a/x'), run('npx', '-y', '@a/y@2.0.0')],
      [packaged('npm', '@a/x'), run('npx', '-y', 'x')],
      [packaged('npm', 'x'), run('uvx', 'x')],
      [packaged('npm', 'x'), run('npx', 7)],
      [packaged('npm', 'x'), { command: 'npx', args: 'x' }],
      [packaged('npm', 'x'), null],
      [packaged('npm', ''), run('npx', '')],
      [packaged('cargo', 'x'), run('cargo', 'x')],
      [{ remotes: [{ type: 'sse', url: 'https://x.example/sse' }] }, { url: 'https://x.example/' }],
      [{}, run('npx', 'x')],
    ] as const) {
      assert.equal(found(server, entry), undefined, JSON.stringify(entry));
    }
  });
});
