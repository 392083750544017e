import { basename, dirname } from 'node:path';
import { fingerprint } from '../../base/fingerprint';
import type { DefinitionSource, ServerId } from '../definition';

/** A server as settings name it. */
export interface NamedServer {
  readonly name: string;
  readonly source: DefinitionSource;
}

/**
 * The id of each server. Of the user's and the workspace's it is the name; of a folder's in a workspace of several
 * `name@folder`, and where that is another's id too, `name@folder (parent folder)`, if need be with a hash of the path.
 *
 * An id is never one of two servers, in whatever order their settings are read: consents, approvals and pins belong to it.
 * What two want goes to neither of them, so that none has what was allowed to the other when that is no longer there.
 */
export function serverIds(servers: readonly NamedServer[]): ServerId[] {
  const ids = new Map<string, ServerId>();
  const taken = new Set(servers.filter(({ source }) => !source.folder).map(({ name }) => name));
  let open = new Map(servers.filter(({ source }) => source.folder).map(server => [keyOf(server), server]));
  for (let level = 0; open.size > 0; level++) {
    const wanted = Map.groupBy(open, ([, server]) => idOf(server, level));
    for (const [id, [[key] = [''], ...others]] of wanted) {
      if (others.length === 0 && !taken.has(id)) ids.set(key, id);
      // Also when several wanted it: it is nobody's.
      taken.add(id);
    }
    open = new Map([...open].filter(([key]) => !ids.has(key)));
  }
  return servers.map(server => ids.get(keyOf(server)) ?? server.name);
}

const keyOf = ({ name, source: { folder } }: NamedServer) => JSON.stringify([name, folder?.name, folder?.path]);

/** The id that it has as long as no other server wants the same: what was denied to that stays denied. */
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
