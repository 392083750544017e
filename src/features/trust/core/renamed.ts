import { matches } from '../../../base/text';
import type { DefinitionSource, ServerId } from '../../../host/definition';
import { type ApprovalStore, partsOf } from './approvals';
import type { ConsentScope, ConsentStore } from './consent';

/** The parts of a server that identify its answers. */
interface AnsweredServer {
  readonly id: ServerId;
  readonly name: string;
  readonly source: DefinitionSource;
}

/**
 * Copies the consent for a launch to the new id of a renamed server: it is exactly the same launch. Earlier answers for both
 * ids stay, so that the renaming can be undone.
 */
export async function copyConsents(store: ConsentStore, from: ServerId, to: ServerId): Promise<void> {
  for (const scope of ['workspace', 'user'] satisfies ConsentScope[]) {
    const { salt, servers } = store.get(scope) ?? {};
    const consent = servers && Object.hasOwn(servers, from) ? servers[from] : undefined;
    if (salt === undefined || !consent || Object.hasOwn(servers!, to)) continue;
    await store.set(scope, { salt, servers: { ...servers, [to]: consent } });
  }
}

/** The same for answers about its tools: approvals, which are bound to the launch, and above all denials. */
export async function copyApprovals(store: ApprovalStore, from: AnsweredServer, to: AnsweredServer): Promise<void> {
  for (const scope of ['workspace', 'user'] as const) {
    const rules = store.get(scope);
    const copied = Object.entries(rules).flatMap(([key, kept]) => {
      const [server, ...parts] = partsOf(key);
      if (parts.length === 0) return [];
      const of = server === from.id ? to.id : server === from.name && kept === 'deny' ? to.name : undefined;
      return of === undefined ? [] : [[JSON.stringify([of, ...parts]), kept] as const];
    });
    if (copied.length > 0) await store.set(scope, { ...Object.fromEntries(copied), ...rules });
  }
}

/** The entries that a deny list needs so that it still covers a renamed server. */
export function deniedToo(deny: readonly string[], from: AnsweredServer, to: AnsweredServer): string[] {
  return deny.flatMap(pattern => {
    const slash = pattern.indexOf('/');
    const server = pattern.slice(0, slash);
    const isMeant = slash >= 0 && [from.id, from.name].some(name => matches(server, name));
    const repeated = `${to.name}${pattern.slice(slash)}`;
    return isMeant && !matches(server, to.name) && !deny.includes(repeated) ? [repeated] : [];
  });
}
