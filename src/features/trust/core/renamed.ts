import { matches } from '../../../base/text';
import type { NamedServer } from './approvals';

/** The entries that a deny list needs so that it still covers a renamed server. */
export function deniedToo(deny: readonly string[], from: NamedServer, to: NamedServer): string[] {
  return deny.flatMap(pattern => {
    const slash = pattern.indexOf('/');
    const server = pattern.slice(0, slash);
    const isMeant = slash >= 0 && [from.id, from.name].some(name => matches(server, name));
    const repeated = `${to.name}${pattern.slice(slash)}`;
    return isMeant && !matches(server, to.name) && !deny.includes(repeated) ? [repeated] : [];
  });
}
