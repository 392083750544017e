import { basename, dirname } from 'node:path';
import { fingerprint } from '../../base/fingerprint';
import type { DefinitionSource, ServerId } from './definition';

/** A server as named in settings. */
interface NamedServer {
  readonly name: string;
  readonly source: DefinitionSource;
}

/**
 * The id of each server. For those of the user and the workspace it is the name; for those of a folder in a multi-root
 * workspace `name@folder`, or, if another has that id too, `name@folder (parent folder)`, if necessary with a hash of the
 * path.
 *
 * Two servers never have the same id, in whatever order their settings are read, because consents, approvals and pins belong
 * to it. If two want the same id, neither gets it, so that one never inherits what was allowed to the other after that is
 * gone.
 */
export function serverIds(servers: readonly NamedServer[]): ServerId[] {
  const ids = new Map<string, ServerId>();
  const taken = new Set(servers.filter(({ source }) => !source.folder).map(({ name }) => name));
  let open = new Map(servers.filter(({ source }) => source.folder).map(server => [keyOf(server), server]));
  for (let level = 0; open.size > 0; level++) {
    const wanted = Map.groupBy(open, ([, server]) => idOf(server, level));
    for (const [id, [[key] = [''], ...others]] of wanted) {
      if (others.length === 0 && !taken.has(id)) ids.set(key, id);
      // Also when several servers wanted it and none got it.
      taken.add(id);
    }
    open = new Map([...open].filter(([key]) => !ids.has(key)));
  }
  return servers.map(server => ids.get(keyOf(server)) ?? server.name);
}

const keyOf = ({ name, source: { folder } }: NamedServer) => JSON.stringify([name, folder?.name, folder?.path]);

/** The id that a server has unless another one wants the same. Denials under that id remain valid. */
export function plainId({ name, source: { folder } }: NamedServer): ServerId {
  return folder ? `${name}@${folder.name}` : name;
}

function idOf({ name, source }: NamedServer, level: number): ServerId {
  const { name: folder, path } = source.folder!;
  if (level === 0) return plainId({ name, source });
  const parent = basename(dirname(path));
  if (level === 1) return `${name}@${folder} (${parent})`;
  return `${name}@${folder} (${parent} ${fingerprint({ name, folder, path, level }).slice(0, 12)})`;
}
