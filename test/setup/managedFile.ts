// A file of an organization for one window, which a test must not put into a folder of the machine.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The words before a program that make it see this managed file, by bubblewrap: all of `/etc` is as it was, with `/etc/mcp-host` in it.
 * @param folder for the file.
 */
export function seesManaged(folder: string, managed: object): string[] {
  const own = join(folder, 'organization');
  mkdirSync(own, { mode: 0o755 });
  writeFileSync(join(own, 'managed-settings.json'), JSON.stringify(managed));
  const others = readdirSync('/etc').filter(name => name !== 'mcp-host');
  const kept = others.flatMap(name => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]);
  // The file has to be root's.
  const asRoot = process.getuid?.() === 0 ? [] : ['--unshare-user', '--uid', '0', '--gid', '0'];
  return ['bwrap', ...asRoot, '--dev-bind', '/', '/', '--tmpfs', '/etc', ...kept, '--ro-bind', own, '/etc/mcp-host'];
}
