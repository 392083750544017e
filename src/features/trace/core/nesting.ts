import type { TraceRecord } from '../../../host';
import type { MessageHead } from './messageHead';

/** The parts of a row that nesting needs. */
interface Asked {
  readonly record: TraceRecord;
  readonly method: string | undefined;
  readonly subject: string | undefined;
  readonly status: string | undefined;
  readonly note: string | undefined;
  readonly parent: number | undefined;
}

/** More requests of one server are not looked through. */
const MAX_ASKED = 1_000;
/** Requests that nothing is part of: they open a session or a stream. */
const NO_PARENTS = ['initialize', 'server/discover', 'subscriptions/listen'];

/**
 * Which request a message is part of. Progress names its request by a token. What a server asks for meanwhile (sampling,
 * elicitation, roots) and logs does not say why: as the editor does with its questions, the newest request that the server has
 * not answered counts as the reason. A request that is made again with what the server wanted is part of the first.
 */
export class Nesting {
  /** Requests to each server, the oldest first. Those at the end are unanswered. */
  readonly #asked = new Map<string, { readonly row: Asked; readonly token: string | undefined }[]>();
  /** The first of the requests that a server wants to have made again, by what they are about. */
  readonly #unfinished = new Map<string, number>();

  parentOf({ server, direction }: TraceRecord, { kind, method, subject, token, isContinued }: MessageHead) {
    if (direction === 'sent') return isContinued ? this.#unfinished.get(keyOf(server, method, subject)) : undefined;
    if (kind === 'notification' && method === 'notifications/progress') {
      return this.#asked.get(server)?.findLast(asked => asked.token === token)?.row.record.seq;
    }
    const isPart = (kind === 'request' && method !== 'ping') || method === 'notifications/message';
    return isPart ? this.#newest(server)?.record.seq : undefined;
  }

  /** A request was sent. */
  began(row: Asked, token: string | undefined): void {
    if (NO_PARENTS.includes(row.method ?? '')) return;
    const { server } = row.record;
    const asked = this.#asked.get(server) ?? [];
    asked.push({ row, token });
    if (asked.length > MAX_ASKED) asked.shift();
    this.#asked.set(server, asked);
  }

  /** A request was answered, which its row says. */
  answered({ record, method, subject, note, parent }: Asked): void {
    const key = keyOf(record.server, method, subject);
    if (note === 'input_required') this.#unfinished.set(key, parent ?? record.seq);
    else this.#unfinished.delete(key);
  }

  #newest(server: string): Asked | undefined {
    const asked = this.#asked.get(server);
    while (asked && asked.length > 0 && asked.at(-1)!.row.status !== 'pending') asked.pop();
    return asked?.at(-1)?.row;
  }
}

const keyOf = (server: string, method: string | undefined, subject: string | undefined) =>
  JSON.stringify([server, method, subject]);
