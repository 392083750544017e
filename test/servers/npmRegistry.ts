// A registry of npm on this machine, for packages that tests make.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '../setup/paths';

interface PublishedPackage {
  readonly name: string;
  readonly version: string;
  /** Scripts by the names of programs, each without the line that names Node. */
  readonly bin: Readonly<Record<string, string>>;
}

export interface NpmRegistry {
  readonly url: string;
  /** Paths that were asked for, oldest first. */
  readonly asked: string[];
  /** Makes a version the latest. */
  publish(published: PublishedPackage): void;
  close(): Promise<void>;
}

export async function startNpmRegistry(): Promise<NpmRegistry> {
  const folder = temporaryFolder();
  const asked: string[] = [];
  const packages = new Map<string, { latest: string; versions: Record<string, object> }>();
  const server = createServer(({ url: path = '/' }, response) => {
    asked.push(path);
    const name = decodeURIComponent(path.slice(1));
    const found = packages.get(name);
    if (path.endsWith('.tgz')) return void response.end(readFileSync(join(folder, path.split('/').at(-1)!)));
    if (!found) return void response.writeHead(404).end('{}');
    const { latest, versions } = found;
    const text = JSON.stringify({ name, 'dist-tags': { latest }, versions });
    response.setHeader('content-type', 'application/json').end(text);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  const publish = ({ name, version, bin }: PublishedPackage) => {
    const at = join(folder, 'made');
    rmSync(at, { recursive: true, force: true });
    mkdirSync(join(at, 'package'), { recursive: true });
    for (const [file, script] of Object.entries(bin))
      writeFileSync(join(at, 'package', file), `#!/usr/bin/env node\n${script}`, { mode: 0o755 });
    const manifest = { name, version, bin: Object.fromEntries(Object.keys(bin).map(file => [file, file])) };
    writeFileSync(join(at, 'package', 'package.json'), JSON.stringify(manifest));
    const archive = `${name.replace(/\W/g, '-')}-${version}.tgz`;
    execFileSync('tar', ['czf', join(folder, archive), 'package'], { cwd: at });
    const bytes = readFileSync(join(folder, archive));
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
    const dist = { tarball: `${url}-/${archive}`, integrity };
    const { versions = {} } = packages.get(name) ?? {};
    packages.set(name, { latest: version, versions: { ...versions, [version]: { ...manifest, dist } } });
  };
  const close = async () => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  };
  return { url, asked, publish, close };
}
