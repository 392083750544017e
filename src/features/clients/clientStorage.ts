import { isObject } from '../../base/json';
import { ScopedStorage } from '../../editor/storage';
import type { AuditPort } from '../trust';
import { askAboutClient } from './clientQuestion';
import { type AnsweredClient, type ClientDetail, type ClientStore, Clients, type StoredClient } from './core/clients';

type StorageContext = ConstructorParameters<typeof ScopedStorage>[0];

/** The person's answers about clients, stored, with a line in the audit log for each. */
export function rememberedClients(context: StorageContext, audit: AuditPort): Clients {
  const clients = new Clients(new ClientStorage(context), askAboutClient);
  clients.onDidDecide(({ client: { kind, id, name, fingerprint }, what }) =>
    audit.record({ type: 'client', kind, client: id, name, what, fingerprint }),
  );
  return clients;
}

/** Keeps who may use the servers in the extension's own storage, out of reach of settings and workspaces. */
class ClientStorage extends ScopedStorage implements ClientStore {
  constructor(context: StorageContext) {
    super(context, 'mcpHost.clients');
  }

  get(): Readonly<Record<string, StoredClient>> {
    const stored = this.stored('user');
    if (!isObject(stored)) return {};
    // What a different version stored is ignored: without an answer, the person is asked.
    return Object.fromEntries(
      Object.entries(stored).filter((entry): entry is [string, StoredClient] => isStored(entry[1])),
    );
  }

  set(clients: Readonly<Record<string, StoredClient>>): Promise<void> {
    return this.keep('user', clients);
  }
}

function isStored(value: unknown): value is StoredClient {
  const { allowed, denied, profile } = (value ?? {}) as Partial<StoredClient>;
  if (profile !== undefined && typeof profile !== 'string') return false;
  return (allowed ?? denied) !== undefined && [allowed, denied].every(said => said === undefined || isAnswered(said));
}

function isAnswered(value: unknown): value is AnsweredClient {
  const { identity, at } = (value ?? {}) as Partial<AnsweredClient>;
  const { kind, id, name, details, fingerprint } = identity ?? {};
  const isWhole = [kind, id, name, fingerprint].every(part => typeof part === 'string') && Array.isArray(details);
  return isWhole && typeof at === 'number' && details.every(isDetail);
}

const isDetail = (value: unknown): value is ClientDetail =>
  isObject(value) && typeof value.what === 'string' && typeof value.text === 'string';
