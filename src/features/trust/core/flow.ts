import type { Tool } from '@modelcontextprotocol/client';
import { Emitter } from '../../../base/events';
import { type Phrase, phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import type { ServerConnection } from '../../../host';
import type { ServerDefinition, ServerId } from '../../../host/definition';
import { isByHand, type Origin } from './approvals';
import { FLOW_MARKS, type FlowMark, proposedMarks } from './flowProposal';

export { FLOW_MARKS, type FlowMark };

/** Who has marked a server: `settings` only ever add a mark. */
type MarkedBy = 'person' | 'settings' | 'proposal';

/** What the person said of a server, and of which launch. */
export interface KeptMarks {
  readonly launch: string;
  readonly marks: readonly FlowMark[];
}

/** Where the person's marks are kept. Never settings: a repository must not be able to take a mark away. */
export interface FlowStore {
  /** Unchecked. */
  get(server: ServerDefinition): unknown;
  set(server: ServerDefinition, marks: KeptMarks | undefined): Promise<void>;
  /** What was read before the window was reloaded, unchecked. */
  readonly keptReads: unknown;
  keepReads(reads: readonly KeptReads[]): void;
}

/** What was read in a conversation of others. */
export interface KeptReads {
  /** Its key. Absent: nobody says in which. */
  readonly conversation?: string;
  /** When something was last read, in milliseconds since 1970. */
  readonly at: number;
  readonly reads: readonly FlowRead[];
}

export interface FlowSettings {
  /** `mcpHost.flow`. */
  readonly isOn: boolean;
  /** The marks that settings add to a server, unchecked. */
  added(server: ServerDefinition): readonly unknown[];
}

/** Content of one server that a model has read, with what it was marked as by then. */
export interface FlowRead {
  readonly server: ServerId;
  readonly private: boolean;
  readonly untrusted: boolean;
}

/** A call that somebody wants to make, as far as it matters here. */
interface SendingCall {
  readonly server: ServerConnection;
  readonly tool: Tool;
  readonly origin: Origin;
  /** Present for what is no call of a tool that the server lists, but reads from it. */
  readonly send?: unknown;
  readonly trail?: Trail | undefined;
}

/** Of an answer that was kept. */
const MAX_READS = 200;
/** Conversations of the editor's own chat end without telling anybody. */
const MAX_CONVERSATIONS = 200;
const MAX_NAMED = 3;
/** Conversations go on after a reload of the window, but not for longer. */
const KEPT_MS = 24 * 60 * 60_000;

/** What a model has read in one conversation. */
export class Trail {
  /** Visible names of the servers whose skills it has read. */
  readonly skills: Set<string>;
  readonly #reads = new Map<ServerId, FlowRead>();

  constructor(skills: Iterable<string> = [], reads: Iterable<FlowRead> = []) {
    this.skills = new Set(skills);
    for (const read of reads) this.add(read);
  }

  /** When something was last read that was not known, in milliseconds since 1970. */
  at = 0;

  /** @returns whether that is something new. */
  add(read: FlowRead): boolean {
    const before = this.#reads.get(read.server);
    const now = {
      server: read.server,
      private: read.private || before?.private === true,
      untrusted: read.untrusted || before?.untrusted === true,
    };
    if (before?.private === now.private && before.untrusted === now.untrusted) return false;
    this.#reads.set(read.server, now);
    this.at = Date.now();
    return true;
  }

  get reads(): readonly FlowRead[] {
    return [...this.#reads.values()];
  }
}

/**
 * Knows what data does at each server, and what models have read of them. A call that can send data out is always asked about
 * once a model has read both private data and content that strangers may have written: that content may be what wants it.
 */
export class Flow {
  readonly #changed = new Emitter<ServerId>();
  readonly onDidChange = this.#changed.event;
  readonly #conversations = new Map<string, Trail>();
  /** What was read where nobody says by which conversation: any may have. */
  readonly #unassigned = new Trail();

  constructor(
    private readonly store: FlowStore,
    private readonly settings: () => FlowSettings,
    /** The server with this id, if there still is one. */
    private readonly find: (id: ServerId) => ServerConnection | undefined,
  ) {
    for (const { conversation, at, reads } of parseKeptReads(store.keptReads)) {
      const trail = this.trailOf(conversation);
      for (const read of reads) trail.add(read);
      trail.at = at;
    }
  }

  /** The marks of a server, and who has made each. */
  marks(server: ServerConnection): ReadonlyMap<FlowMark, MarkedBy> {
    const { definition } = server;
    const kept = parseKept(this.store.get(definition));
    const marks = new Map<FlowMark, MarkedBy>();
    // What the person took away stays away from that program only; what they added stays with the name.
    if (kept?.launch !== definition.launch) for (const mark of this.proposed(server)) marks.set(mark, 'proposal');
    for (const mark of kept?.marks ?? []) marks.set(mark, 'person');
    const added = this.settings().added(definition);
    for (const mark of FLOW_MARKS) if (!marks.has(mark) && added.includes(mark)) marks.set(mark, 'settings');
    return marks;
  }

  proposed(server: ServerConnection): ReadonlySet<FlowMark> {
    return proposedMarks(server.definition, server.catalog.tools, server.account.signedIn !== undefined);
  }

  /** The person's word on a server. Undefined: what is proposed shall hold again. */
  async mark(server: ServerConnection, marks: readonly FlowMark[] | undefined): Promise<void> {
    const { definition } = server;
    await this.store.set(definition, marks && { launch: definition.launch, marks });
    this.#changed.fire(definition.id);
  }

  /**
   * A conversation that its owner keeps track of.
   * @param skills visible names of servers.
   * @param reads what was kept of it, unchecked.
   */
  trail(skills: Iterable<string> = [], reads: readonly unknown[] = []): Trail {
    return new Trail(skills, parseReads(reads));
  }

  /** What was read in a conversation that goes by this key elsewhere. Undefined: where nobody says in which. */
  trailOf(conversation: string | undefined): Trail {
    if (conversation === undefined) return this.#unassigned;
    const trail = this.#conversations.get(conversation) ?? new Trail();
    this.#conversations.delete(conversation);
    this.#conversations.set(conversation, trail);
    const [oldest] = this.#conversations.keys();
    if (this.#conversations.size > MAX_CONVERSATIONS && oldest !== undefined) {
      // Not forgotten: it may go on.
      for (const read of this.#conversations.get(oldest)!.reads) this.#unassigned.add(read);
      this.#conversations.delete(oldest);
    }
    return trail;
  }

  /** A model gets content of this server. */
  read(server: ServerConnection, trail: Trail = this.#unassigned): void {
    const marks = this.marks(server);
    const read = { server: server.id, private: marks.has('private'), untrusted: marks.has('untrusted') };
    if (trail.add(read) && this.#isOfOthers(trail)) this.store.keepReads(this.#keptReads());
  }

  /** Whether the conversation is kept here, and not by its owner. */
  #isOfOthers(trail: Trail): boolean {
    return trail === this.#unassigned || [...this.#conversations.values()].includes(trail);
  }

  #keptReads(): KeptReads[] {
    const { at, reads } = this.#unassigned;
    const conversations = [...this.#conversations].map(([conversation, trail]) => {
      const { at, reads } = trail;
      return { conversation, at, reads };
    });
    return [{ at, reads }, ...conversations].filter(kept => kept.reads.length > 0);
  }

  /**
   * Why the person is asked about a call, whatever they have allowed. Undefined: no reason to. Somebody who typed the call has
   * no trail.
   */
  reason({ server, tool, origin, send, trail }: SendingCall): Phrase | undefined {
    if (isByHand(origin)) return undefined;
    const others = [...(trail?.skills ?? [])].filter(name => name !== visible(server.id));
    // ext-skills: origin-scoped resource reads.
    if (send && others.length > 0) {
      return phrase(
        'A skill of {0} that was read in this chat may have caused this request. It would read from {1}.',
        others.join(', '),
        server.id,
      );
    }
    // Of what is no tool of the server, the hints are our own.
    if (!this.settings().isOn || (send && tool.annotations?.openWorldHint === false)) return undefined;
    const reads = this.#readsOf(trail).map(read => this.#now(read));
    const [secret, foreign] = [reads.filter(read => read.private), reads.filter(read => read.untrusted)];
    if (secret.length === 0 || foreign.length === 0) return undefined;
    if (!this.#canSend(server, tool, secret)) return undefined;
    return phrase(
      'This call can send data out. Before it, the model has read private data (from {0}) and content that others may have written (from {1}). That content may have caused this call. You are asked each time, whatever you have allowed.',
      named(secret),
      named(foreign),
    );
  }

  /** An unassigned call may belong to any conversation, and any of them may have had what was read unassigned. */
  #readsOf(trail: Trail | undefined): readonly FlowRead[] {
    const all = new Trail();
    const isUnassigned = trail === undefined || trail === this.#unassigned;
    const isOfEditor = isUnassigned || this.#isOfOthers(trail);
    const trails = isUnassigned ? this.#conversations.values() : [trail];
    for (const one of [...trails, ...(isOfEditor ? [this.#unassigned] : [])])
      for (const read of one.reads) all.add(read);
    return all.reads;
  }

  /** A server that was marked since then counts as it is now; what was read stays what it was. */
  #now(read: FlowRead): FlowRead {
    const server = this.find(read.server);
    const marks = server && this.marks(server);
    const has = (mark: 'private' | 'untrusted') => read[mark] || marks?.has(mark) === true;
    return { server: read.server, private: has('private'), untrusted: has('untrusted') };
  }

  /**
   * Whether a call can send data out. As long as the mark is only proposed, a tool may say that it stays in a closed world, or
   * that it only reads and says nothing of an open one: that sends nothing anywhere but to where the data is from.
   */
  #canSend(server: ServerConnection, { annotations }: Tool, secret: readonly FlowRead[]): boolean {
    const by = this.marks(server).get('sends');
    if (by !== 'proposal') return by !== undefined;
    const { openWorldHint, readOnlyHint } = annotations ?? {};
    const isAtHome = readOnlyHint === true && openWorldHint !== true && secret.every(read => read.server === server.id);
    return openWorldHint !== false && !isAtHome;
  }
}

/** What is said of a server and was kept by whatever version; undefined if it is not that. */
export function parseKept(value: unknown): KeptMarks | undefined {
  const { launch, marks } = (value ?? {}) as Partial<KeptMarks>;
  if (typeof launch !== 'string' || !Array.isArray(marks)) return undefined;
  return { launch, marks: FLOW_MARKS.filter(mark => marks.includes(mark)) };
}

/** The reads that were kept with an answer: they come from a file. */
export function parseReads(value: unknown): readonly FlowRead[] {
  const reads: readonly unknown[] = Array.isArray(value) ? value.slice(0, MAX_READS) : [];
  return reads.flatMap(read => {
    const { server, private: secret, untrusted } = (read ?? {}) as Partial<Record<keyof FlowRead, unknown>>;
    return typeof server === 'string' ? [{ server, private: secret === true, untrusted: untrusted === true }] : [];
  });
}

function parseKeptReads(value: unknown): readonly KeptReads[] {
  const all: readonly unknown[] = Array.isArray(value) ? value.slice(-MAX_CONVERSATIONS) : [];
  return all.flatMap(kept => {
    const { conversation, at, reads } = (kept ?? {}) as Partial<Record<keyof KeptReads, unknown>>;
    if (typeof at !== 'number' || Date.now() - at > KEPT_MS) return [];
    return [{ ...(typeof conversation === 'string' && { conversation }), at, reads: parseReads(reads) }];
  });
}

function named(reads: readonly FlowRead[]): string {
  const names = reads.slice(0, MAX_NAMED).map(({ server }) => visible(server, 60));
  return [...names, ...(reads.length > MAX_NAMED ? ['…'] : [])].join(', ');
}
