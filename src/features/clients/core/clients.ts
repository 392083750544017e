import { Emitter, Owner } from '../../../base/events';
import { Queue } from '../../../base/queue';
import type { RunningCall } from '../../../host';

export interface ClientDetail {
  readonly what:
    | 'publisher'
    | 'version'
    | 'folder'
    | 'program'
    | 'commandLine'
    | 'variables'
    | 'checksum'
    | 'parents'
    | 'saysName';
  readonly text: string;
}

/** A program that wants to use the servers of this window, identified without relying on its own statements where possible. */
export interface ClientIdentity {
  /** Another extension of the editor, or a program outside it that acts for a model. */
  readonly kind: 'extension' | 'agent';
  /** Key of its answers among clients of its kind. */
  readonly id: string;
  readonly name: string;
  /** In the order in which a person reads them. */
  readonly details: readonly ClientDetail[];
  /** Distinguishes programs of one name, each with its own answers. Absent where there is only one. */
  readonly program?: string;
  /** SHA-256 of everything that must not change unseen: with a different one, the person is asked again. */
  readonly fingerprint: string;
  /** The program could not be identified: permission holds for one session, each with its own fingerprint. */
  readonly isUncertain?: true;
}

type ClientKey = Pick<ClientIdentity, 'kind' | 'id' | 'program'>;

/** One answer to one identity. Times are in milliseconds since 1970. */
export interface AnsweredClient {
  readonly identity: ClientIdentity;
  readonly at: number;
}

/** The answers about one client: the identity that was allowed last, and one that was denied after it. */
export interface StoredClient {
  readonly allowed?: AnsweredClient;
  readonly denied?: AnsweredClient;
  /** To the hour. */
  readonly usedAt?: number;
  /** The name of the profile that holds for it. Absent: the one that is in use. */
  readonly profile?: string;
}

/** Where answers are kept, by `clientKey`. Never settings. */
export interface ClientStore {
  get(): Readonly<Record<string, StoredClient>>;
  set(clients: Readonly<Record<string, StoredClient>>): Promise<void>;
}

/** `changed`: another identity came under an id that was allowed. */
export interface ClientDecision {
  readonly client: ClientIdentity;
  readonly what: 'allowed' | 'denied' | 'revoked' | 'changed';
}

/** `unanswered`: closed, and not asked again in this window. `busy`: too many questions wait, or were asked. */
export type ClientAnswer = 'allowed' | 'denied' | 'unanswered' | 'busy';

/** Asks the person. @param before the identity that they allowed under the same id. */
type AskAboutClient = (
  identity: ClientIdentity,
  before: ClientIdentity | undefined,
) => Promise<'allow' | 'deny' | undefined>;

interface ClientsOptions {
  /** For tests. Milliseconds since 1970. */
  readonly now?: () => number;
}

const HOUR_MS = 3_600_000;
/** Clients used longest ago are forgotten, and asked about again. */
const MAX_KEPT = 200;
const MAX_WAITING = 3;
/** In one window, so that clients with many or changing names cannot wear the person out. */
const MAX_QUESTIONS = 20;

const clientKey = ({ kind, id, program }: ClientKey): string =>
  program === undefined ? `${kind}:${id}` : `${kind}:${id} ${program}`;

/**
 * Who may use the servers besides the person: extensions and agents. Each is asked about once, when it first wants to, and again
 * when another identity comes under its id. Nothing is allowed but by the person's answer.
 */
export class Clients extends Owner {
  readonly #decided = this.own(new Emitter<ClientDecision>());
  readonly onDidDecide = this.#decided.event;
  readonly #profiled = this.own(new Emitter<void>());
  /** Fires when another profile is chosen for a client. */
  readonly onDidChangeProfile = this.#profiled.event;
  /** Questions that are open or wait, by identity. */
  readonly #open = new Map<string, Promise<ClientAnswer>>();
  readonly #closed = new Set<string>();
  readonly #asking = new Queue();
  #questions = 0;

  constructor(
    private readonly store: ClientStore,
    private readonly askPerson: AskAboutClient,
    private readonly options: ClientsOptions = {},
  ) {
    super();
  }

  /** The answer for exactly this identity, without asking. */
  answer(identity: ClientIdentity): 'allowed' | 'denied' | undefined {
    const { allowed, denied } = this.#stored(identity);
    if (denied && (identity.isUncertain || denied.identity.fingerprint === identity.fingerprint)) return 'denied';
    return allowed?.identity.fingerprint === identity.fingerprint ? 'allowed' : undefined;
  }

  /** Whether it may use the servers. Asks the person if there is no answer; simultaneous callers share the question. */
  async ask(identity: ClientIdentity): Promise<ClientAnswer> {
    const known = this.answer(identity);
    if (known === 'allowed') await this.#used(identity);
    if (known) return known;
    const key = exactly(identity);
    if (this.#closed.has(key)) return 'unanswered';
    const open = this.#open.get(key);
    if (open !== undefined) return open;
    if (this.#open.size >= MAX_WAITING || this.#questions >= MAX_QUESTIONS) return 'busy';
    this.#questions++;
    const asked = this.#asking.run(() => this.#askAboutClient(identity)).finally(() => this.#open.delete(key));
    this.#open.set(key, asked);
    return asked;
  }

  /** Forgets the answers about a client: the person is asked again, and its sessions end. */
  async revoke(client: ClientKey): Promise<void> {
    const { allowed, denied } = this.#stored(client);
    const identity = (allowed ?? denied)?.identity;
    this.#questions = 0;
    if (!identity) return;
    await this.#set(identity, undefined);
    this.#decided.fire({ client: identity, what: 'revoked' });
  }

  /** The name of the profile that the person has chosen for a client. Undefined: the one that is in use holds for it. */
  profile(client: ClientKey): string | undefined {
    return this.#stored(client).profile;
  }

  /** Keeps which profile holds for a client that the person has answered about. */
  async setProfile(client: ClientKey, profile: string | undefined): Promise<void> {
    const { profile: _, ...others } = this.#stored(client);
    const identity = (others.allowed ?? others.denied)?.identity;
    if (!identity) return;
    await this.#set(identity, { ...others, ...(profile !== undefined && { profile }) });
    this.#profiled.fire();
  }

  get all(): StoredClient[] {
    return Object.values(this.store.get());
  }

  async #askAboutClient(identity: ClientIdentity): Promise<ClientAnswer> {
    // Another window may have had the answer meanwhile.
    const known = this.answer(identity);
    if (known) return known;
    const { allowed, profile } = this.#stored(identity);
    const before = allowed ?? this.#other(identity);
    if (before && !identity.isUncertain) this.#decided.fire({ client: identity, what: 'changed' });
    const answer = await this.askPerson(identity, before?.identity);
    if (!answer) {
      this.#closed.add(exactly(identity));
      return 'unanswered';
    }
    const at = this.#now;
    const said = { identity, at };
    // Whoever comes under the name of another does not take what that one was allowed.
    const kept = answer === 'allow' ? { allowed: said, usedAt: at } : { ...(allowed && { allowed }), denied: said };
    await this.#set(identity, { ...kept, ...(profile !== undefined && { profile }) });
    const what = answer === 'allow' ? 'allowed' : 'denied';
    this.#decided.fire({ client: identity, what });
    return what;
  }

  async #used(identity: ClientIdentity): Promise<void> {
    const { allowed, usedAt = 0, ...others } = this.#stored(identity);
    if (!allowed || this.#now - usedAt < HOUR_MS) return;
    // What is shown of it stays up to date: its version may have become another.
    await this.#set(identity, { ...others, allowed: { identity, at: allowed.at }, usedAt: this.#now });
  }

  /** The program that was allowed last under the same name. */
  #other({ kind, id }: ClientIdentity): AnsweredClient | undefined {
    const others = this.all.flatMap(({ allowed }) => allowed ?? []);
    return others
      .filter(({ identity }) => identity.kind === kind && identity.id === id)
      .toSorted((one, other) => other.at - one.at)[0];
  }

  #stored(client: ClientKey): StoredClient {
    return new Map(Object.entries(this.store.get())).get(clientKey(client)) ?? {};
  }

  async #set(client: ClientIdentity, stored: StoredClient | undefined): Promise<void> {
    const others = Object.entries(this.store.get()).filter(([key]) => key !== clientKey(client));
    const kept = stored ? [...others, [clientKey(client), stored] as const] : others;
    kept.sort(([, one], [, other]) => lastOf(other) - lastOf(one));
    await this.store.set(Object.fromEntries(kept.slice(0, MAX_KEPT)));
  }

  get #now(): number {
    return this.options.now?.() ?? Date.now();
  }
}

/** For whom a server asks: the one client of all of these calls. Undefined: none, or more than one. */
export function clientOf(calls: readonly Pick<RunningCall, 'client'>[]): RunningCall['client'] {
  const client = calls[0]?.client;
  return calls.every(call => call.client?.id === client?.id) ? client : undefined;
}

const exactly = (identity: ClientIdentity) => `${clientKey(identity)}\n${identity.fingerprint}`;
const lastOf = ({ allowed, denied, usedAt = 0 }: StoredClient) => Math.max(usedAt, allowed?.at ?? 0, denied?.at ?? 0);
