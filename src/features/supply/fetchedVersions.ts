import { join } from 'node:path';
import { type Launched, sandboxFolder } from '../../host';
import type { ServerDefinition } from '../../host/definition';
import { floatingOf } from './core/pinEntry';
import { cachedPackage } from './localPackages';

/**
 * Versions on this machine of the packages that a server fetches without a fixed version, by name: in its own cache if it is
 * confined, else in the person's. Nothing is asked or run.
 * @param sandboxes folder of the confined servers' caches.
 */
export async function fetchedVersions(
  server: Launched & Pick<ServerDefinition, 'entry'>,
  sandboxes?: string,
): Promise<Record<string, string>> {
  const { entry } = server;
  if (entry?.type !== 'stdio') return {};
  const own = sandboxes && { npm_config_cache: join(sandboxFolder(sandboxes, server), 'npm') };
  const found = await Promise.all(
    floatingOf(entry.command, entry.args).map(async one => {
      const local = (own && (await cachedPackage(one, own))) || (await cachedPackage(one, entry.env));
      return local ? [[one.name, local.version] as const] : [];
    }),
  );
  return Object.fromEntries(found.flat());
}
