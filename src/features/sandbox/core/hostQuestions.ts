import { within } from '../../../base/queue';

/** The person's answer about hosts that a server wants to reach. Undefined: none. */
export type HostAnswer = 'these' | 'any' | 'keep' | undefined;

interface HostQuestion {
  readonly hosts: readonly string[];
  /** Hosts wanted since then. They are asked about next, unless any host may be reached by then. */
  readonly more: Set<string>;
  /** Resolves with false if the answer could not be kept. */
  readonly isOver: Promise<boolean>;
  /** Until when connections wait for the answer. */
  readonly holdsUntil: number;
}

/** The services for asking. Servers are identified by their launch: another program under the name has its own question. */
interface HostAsking {
  ask(server: string, hosts: readonly string[]): Promise<HostAnswer>;
  /** Whether a host was agreed to, or stays blocked. Undefined: there is no answer yet. */
  said(server: string, host: string): boolean | undefined;
  /** The person has answered: that holds from now on. */
  answered(server: string, hosts: readonly string[], answer: 'these' | 'any' | 'keep'): Promise<void>;
}

/** A call of a tool can wait so long, and a person notice that they are asked. */
const HOLD_MS = 30_000;
/** The most hosts in one question, so that the person sees each of them. */
const MAX_ASKED = 3;
/** A server may want ten thousand. */
const MAX_MORE = 50;
/** No name of a host is longer (RFC 1035), but for its port. */
const MAX_NAME = 260;

/**
 * Asks a person about hosts that confined servers want to reach, one question for a server at a time, while the connections
 * wait. After a question without an answer or permission, no more come in this window: rows show the rest.
 */
export class HostQuestions {
  readonly #open = new Map<string, HostQuestion>();
  readonly #done = new Set<string>();

  constructor(
    private readonly asking: HostAsking,
    private readonly holdMs = HOLD_MS,
  ) {}

  /** Resolves with whether a host may be reached: as soon as the person has said so, and in any case before long. */
  async wants(server: string, host: string): Promise<boolean> {
    for (;;) {
      const said = this.asking.said(server, host);
      if (said !== undefined) return said;
      if (this.#done.has(server) || host.length > MAX_NAME) return false;
      const question = this.#open.get(server) ?? this.#openQuestion(server, [host]);
      if (!question.hosts.includes(host) && question.more.size < MAX_MORE) question.more.add(host);
      const rest = question.holdsUntil - Date.now();
      if (rest <= 0 || !(await within(question.isOver, rest, false))) return false;
    }
  }

  /** Its answers were taken back: it may be asked about once more. */
  forget(server: string): void {
    this.#done.delete(server);
  }

  #openQuestion(server: string, wanted: readonly string[]): HostQuestion {
    const hosts = wanted.slice(0, MAX_ASKED);
    const more = new Set(wanted.slice(MAX_ASKED));
    const isOver = this.#answer(server, hosts, more).then(
      () => true,
      () => false,
    );
    const question = { hosts, more, isOver, holdsUntil: Date.now() + this.holdMs };
    this.#open.set(server, question);
    return question;
  }

  async #answer(server: string, hosts: readonly string[], more: ReadonlySet<string>): Promise<void> {
    const answer = await this.asking.ask(server, hosts).catch(() => undefined);
    // Only what was seen is allowed; what stays blocked may be more.
    if (answer) await this.asking.answered(server, answer === 'keep' ? [...hosts, ...more] : hosts, answer);
    if (answer === undefined || answer === 'keep') this.#done.add(server);
    this.#open.delete(server);
    if (answer === 'these' && more.size > 0) this.#openQuestion(server, [...more]);
  }
}
