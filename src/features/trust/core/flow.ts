import type { Tool } from '@modelcontextprotocol/client';
import { Emitter } from '../../../base/events';
import { type Phrase, phrase } from '../../../base/phrase';
import { isSecretName } from '../../../base/secretWords';
import { isLoopback, parseUrl, visible } from '../../../base/text';
import type { ServerConnection, WantedRequest } from '../../../host';
import {
  KeptFor,
  KeptRecords,
  keptScope,
  type ProgramStore,
  type ServerDefinition,
  type ServerId,
} from '../../../host/definition';
import { isByHand, type Origin } from './approvals';

/** What a mark rests on: a fact, a tool's hint, the person, or settings. No hint weakens any but a hint. */
type MarkSource = 'fact' | 'hint' | 'person' | 'settings';

/** The person's marks for a server. */
export interface KeptMarks {
  readonly marks: readonly FlowMark[];
}

interface FlowStore {
  /** The person's marks. Never settings: a repository must not be able to take a mark away. */
  readonly marks: ProgramStore;
  /** What was read before the window was reloaded, unchecked. */
  readonly keptReads: unknown;
  keepReads(reads: readonly KeptReads[]): void;
}

/** What was read in a conversation that another component owns. */
interface KeptReads {
  /** Its key. Absent: unknown conversation. */
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

/** Content of one server that a model has read, with the marks of the server at that time. */
export interface FlowRead {
  readonly server: ServerId;
  readonly private: boolean;
  readonly untrusted: boolean;
}

/** The parts of a wanted call that matter for data flow. */
interface SendingCall {
  readonly server: ServerConnection;
  readonly tool: Tool;
  readonly origin: Origin;
  /** Whether it is no call of a listed tool but another request. */
  readonly isRequest?: boolean;
  readonly ofSkill?: WantedRequest['ofSkill'];
  readonly trail?: Trail | undefined;
}

/** The most conversations kept, because the editor does not announce the end of its own. */
const MAX_CONVERSATIONS = 200;
const MAX_NAMED = 3;
/** How long reads are kept over reloads of the window. */
const KEPT_MS = 24 * 60 * 60_000;

/** What a model has read in one conversation. */
export class Trail {
  /** Visible names of the servers whose skills were read. */
  readonly skills: Set<string>;
  readonly #reads = new Map<ServerId, FlowRead>();

  constructor(skills: Iterable<string> = [], reads: Iterable<FlowRead> = []) {
    this.skills = new Set(skills);
    for (const read of reads) this.add(read);
  }

  /** When something new was last read, in milliseconds since 1970. */
  at = 0;

  /** @returns whether the read is new. */
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
 * Tracks the data-flow marks of each server and what models have read from them. Once a model has read both private data and
 * content that strangers may have written, every call that can send data out is asked about, because that content may have
 * caused it.
 */
export class Flow {
  readonly #changed = new Emitter<ServerId>();
  readonly onDidChange = this.#changed.event;
  readonly #conversations = new Map<string, Trail>();
  readonly #chats = new Map<string, Trail>();
  /** Reads of unknown conversations: any conversation may have made them. */
  readonly #unassigned = new Trail();
  readonly #marks: KeptRecords<KeptFor<KeptMarks>>;

  constructor(
    private readonly store: FlowStore,
    private readonly settings: () => FlowSettings,
    private readonly find: (id: ServerId) => ServerConnection | undefined,
  ) {
    this.#marks = new KeptRecords(store.marks, stored => KeptFor.parse(stored, parseKept));
    for (const { conversation, at, reads } of parseKeptReads(store.keptReads)) {
      const trail = this.trailOf(conversation);
      for (const read of reads) trail.add(read);
      trail.at = at;
    }
  }

  marks(server: ServerConnection): ReadonlyMap<FlowMark, MarkSource> {
    const { definition } = server;
    const kept = this.#kept(definition);
    const marks = new Map<FlowMark, MarkSource>();
    // Marks that the person removed stay removed for that program only; marks that they added stay with the name.
    if (!kept?.for(definition)) for (const [mark, by] of this.proposed(server)) marks.set(mark, by);
    for (const mark of kept?.stored.marks ?? []) marks.set(mark, 'person');
    const added = this.settings().added(definition);
    for (const mark of FLOW_MARKS) if (!marks.has(mark) && added.includes(mark)) marks.set(mark, 'settings');
    return marks;
  }

  proposed(server: ServerConnection): ReadonlyMap<FlowMark, 'fact' | 'hint'> {
    return proposedMarks(server.definition, server.catalog.tools, server.account.signedIn !== undefined);
  }

  /** Sets the person's marks. Undefined restores the proposed ones. */
  async mark(server: ServerConnection, marks: readonly FlowMark[] | undefined): Promise<void> {
    const { definition } = server;
    await this.#keep(definition, marks && new KeptFor(definition, { marks }));
    this.#changed.fire(definition.id);
  }

  /** The person gave a server another name. */
  async copy(from: ServerDefinition, to: ServerDefinition): Promise<void> {
    const marks = this.#kept(from);
    if (marks && !this.#kept(to)) await this.#keep(to, marks);
  }

  #kept({ source, id }: ServerDefinition): KeptFor<KeptMarks> | undefined {
    return this.#marks.get(keptScope(source), id);
  }

  #keep({ source, id }: ServerDefinition, marks: KeptFor<KeptMarks> | undefined): Promise<void> {
    return this.#marks.set(keptScope(source), id, marks);
  }

  /** The trail of a conversation that has just begun, and that its owner keeps. */
  trail(): Trail {
    return new Trail();
  }

  /**
   * The trail of a chat whose answers keep it, and which is kept here while the window is open: an answer that is stopped, or fails,
   * may be kept without it.
   * @param skills names of servers. @param reads unchecked.
   * @param isLost whether it is unknown what one of its answers has read. It then counts as having read what any chat of this window has.
   */
  trailOfChat(chat: string, skills: Iterable<string>, reads: readonly unknown[], isLost = false): Trail {
    const trail = this.#chats.get(chat) ?? new Trail();
    for (const other of isLost ? this.#chats.values() : []) {
      for (const skill of other.skills) trail.skills.add(skill);
      for (const read of other.reads) trail.add(read);
    }
    this.#chats.delete(chat);
    this.#chats.set(chat, trail);
    for (const old of [...this.#chats.keys()].slice(0, -MAX_CONVERSATIONS)) this.#chats.delete(old);
    for (const skill of skills) trail.skills.add(skill);
    for (const read of parseReads(reads)) trail.add(read);
    return trail;
  }

  /** The trail of a conversation that another component identifies by this key. Undefined key: unknown conversation. */
  trailOf(conversation: string | undefined): Trail {
    if (conversation === undefined) return this.#unassigned;
    const trail = this.#conversations.get(conversation) ?? new Trail();
    this.#conversations.delete(conversation);
    this.#conversations.set(conversation, trail);
    const [oldest] = this.#conversations.keys();
    if (this.#conversations.size > MAX_CONVERSATIONS && oldest !== undefined) {
      // Its reads are kept as unassigned, because the conversation may continue.
      for (const read of this.#conversations.get(oldest)!.reads) this.#unassigned.add(read);
      this.#conversations.delete(oldest);
    }
    return trail;
  }

  /** Records that a model gets content of this server. */
  read(server: ServerConnection, trail: Trail = this.#unassigned): void {
    const marks = this.marks(server);
    const read = { server: server.id, private: marks.has('private'), untrusted: marks.has('untrusted') };
    if (trail.add(read) && this.#isOfOthers(trail)) this.store.keepReads(this.#keptReads());
  }

  /** Whether the trail is stored here and not by its owner. */
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

  /** Why a call is asked about regardless of approvals. Undefined: no reason. One typed by a person has no trail. */
  reason({ server, tool, origin, isRequest, ofSkill, trail }: SendingCall): Phrase | undefined {
    if (isByHand(origin)) return undefined;
    const others = [...(trail?.skills ?? [])].filter(name => name !== visible(server.id));
    // ext-skills: origin-scoped resource reads.
    if (isRequest && others.length > 0) {
      return phrase(
        'A skill of {0} that was read in this chat may have caused this request. It would read from {1}.',
        others.join(', '),
        server.id,
      );
    }
    // Which of the files of a skill is read can say as much as which of the resources is.
    if (!this.settings().isOn || ofSkill === 'instructions') return undefined;
    const reads = this.#readsOf(trail).map(read => this.#now(read));
    const [secret, foreign] = [reads.filter(read => read.private), reads.filter(read => read.untrusted)];
    if (secret.length === 0 || foreign.length === 0) return undefined;
    if (!this.#canSend(server, tool, secret)) return undefined;
    // Which of the resources that it lists is read tells the server of no data but its own.
    const isListed = isRequest && tool.annotations?.openWorldHint === false;
    if (isListed && secret.every(read => read.server === server.id)) return undefined;
    return phrase(
      'This call can send data out. Before it, the model has read private data (from {0}) and content that others may have written (from {1}). That content may have caused this call. You are asked each time, whatever you have allowed.',
      named(secret),
      named(foreign),
    );
  }

  /** The reads that may have influenced a call; unassigned calls and reads may belong to any conversation. */
  #readsOf(trail: Trail | undefined): readonly FlowRead[] {
    const all = new Trail();
    const isUnassigned = trail === undefined || trail === this.#unassigned;
    const isOfEditor = isUnassigned || this.#isOfOthers(trail);
    const trails = isUnassigned ? this.#conversations.values() : [trail];
    for (const one of [...trails, ...(isOfEditor ? [this.#unassigned] : [])])
      for (const read of one.reads) all.add(read);
    return all.reads;
  }

  /** Applies the current marks of the server to an earlier read. Marks from the time of the read stay. */
  #now(read: FlowRead): FlowRead {
    const server = this.find(read.server);
    const marks = server && this.marks(server);
    const has = (mark: 'private' | 'untrusted') => read[mark] || marks?.has(mark) === true;
    return { server: read.server, private: has('private'), untrusted: has('untrusted') };
  }

  /**
   * Whether a call can send data out. Where a server is only proposed to, what is read-only without mentioning an open world sends
   * data to that server alone, which has it if it is its own. That a tool claims a closed world counts only against other hints.
   */
  #canSend(server: ServerConnection, { annotations }: Tool, secret: readonly FlowRead[]): boolean {
    const by = this.marks(server).get('sends');
    if (by !== 'fact' && by !== 'hint') return by !== undefined;
    const { openWorldHint, readOnlyHint } = annotations ?? {};
    const isAtHome = readOnlyHint === true && openWorldHint !== true && secret.every(read => read.server === server.id);
    return !isAtHome && (by === 'fact' || openWorldHint !== false);
  }
}

/** Parses stored marks of any version; undefined if invalid. */
function parseKept(value: unknown): KeptMarks | undefined {
  const { marks } = Object(value) as Partial<KeptMarks>;
  return Array.isArray(marks) ? { marks: FLOW_MARKS.filter(mark => marks.includes(mark)) } : undefined;
}

/** The reads that were kept with an answer: they come from a file. */
export function parseReads(value: unknown): readonly FlowRead[] {
  const reads: readonly unknown[] = Array.isArray(value) ? value : [];
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

/**
 * Data-flow marks of a server: its results may hold private data or content that strangers wrote, and its arguments may leave
 * the machine. A model that has read the first two can be talked into the third.
 */
export const FLOW_MARKS = ['private', 'untrusted', 'sends'] as const;
export type FlowMark = (typeof FLOW_MARKS)[number];

/** Only servers whose names are unambiguous. For all others, the person knows better. */
const KNOWN: readonly (readonly [name: RegExp, marks: readonly FlowMark[]])[] = [
  [/[/-]server-(filesystem|memory|postgres|sqlite|git)$|^mcp-server-(git|sqlite)$/, ['private']],
  [
    /[/-]server-(fetch|puppeteer|brave-search)$|^mcp-server-fetch$|^@playwright\/mcp$|^mcp\/(fetch|puppeteer|playwright|brave-search)$/,
    ['untrusted', 'sends'],
  ],
  [/[/-]server-(github|gitlab|slack)$|\/github-mcp-server$/, ['private', 'untrusted', 'sends']],
];
const MAX_WORDS = 200;
const MAX_WORD = 300;
const SAYS_WHO = /^(authorization|cookie|.*(api-?key|token))$/i;

/**
 * The marks that a server gets by default. Only explicit hints of its tools count, not the defaults of the specification:
 * otherwise every server would have all marks and every call would be a question.
 * @param signedIn whether it answers for an account of the person.
 */
export function proposedMarks(
  { entry }: Pick<ServerDefinition, 'entry'>,
  tools: readonly Pick<Tool, 'annotations'>[],
  signedIn: boolean,
): ReadonlyMap<FlowMark, 'fact' | 'hint'> {
  const marks = new Map<FlowMark, 'fact' | 'hint'>();
  const add = (by: 'fact' | 'hint', ...added: FlowMark[]) => {
    for (const mark of added) if (!marks.has(mark)) marks.set(mark, by);
  };
  if (entry?.type === 'stdio') {
    const texts = [entry.command, ...entry.args].slice(0, MAX_WORDS);
    for (const word of texts.flatMap(text => text.slice(0, MAX_WORD).split(/[\s=]+(?!=)|[\\/]node_modules[\\/]/))) {
      // Without version, tag or digest, and the path of a file in it; the first letter may be the @ of a scope.
      const name = word
        .replace(/(?<=.)(==|[@:](?!.*\/)).*$/s, '')
        .replace(/^((?:@[^/]+\/)?[^/]+)\/.*\.[cm]?js$/s, '$1');
      for (const [known, given] of KNOWN) if (known.test(name)) add('fact', ...given);
      // A bridge to a server on another machine, such as `mcp-remote`.
      const url = /^(https?|wss?):/i.test(word) ? parseUrl(word) : undefined;
      if (url && !isLoopback(url)) add('fact', 'sends');
    }
  } else if (entry) {
    if (!URL.canParse(entry.url) || !isLoopback(new URL(entry.url))) add('fact', 'sends');
    const saysWho = Object.keys(entry.headers ?? {}).some(name => SAYS_WHO.test(name) || isSecretName(name));
    if (signedIn || saysWho || entry.headersHelper !== undefined) add('fact', 'private');
  }
  if (tools.some(({ annotations }) => annotations?.openWorldHint === true)) add('hint', 'untrusted', 'sends');
  return marks;
}
