import type { ElicitResult } from '@modelcontextprotocol/client';
import { SERVER_ERROR } from '../../../base/errors';
import { orAborted, Queues } from '../../../base/queue';
import { PerMinute } from '../../../base/rateAllowance';
import type { CallChat } from '../../../host';
import type { ServerDefinition } from '../../../host/definition';

export interface Question {
  readonly server: ServerDefinition;
  /** The server's own words. */
  readonly message: string;
  /** The name of the extension or agent whose call caused the question. Absent if none or several may have. */
  readonly client?: string | undefined;
  /** The tool whose call caused it. Absent when there is none, or several are possible. */
  readonly tool?: string | undefined;
  /** Where the answer to that call is shown. */
  readonly chat?: CallChat | undefined;
  /** Aborted when it is withdrawn: the server cancelled it, or ended. */
  readonly signal: AbortSignal;
}

/** No answer (spec: client/elicitation#response-actions). */
export const cancelled: ElicitResult = { action: 'cancel' };
export const declined: ElicitResult = { action: 'decline' };

/** Tells the server why it is not answered. The SDK sends `code` and `message` as they are. */
export class RefusedQuestion extends Error {
  override readonly name = 'RefusedQuestion';
  constructor(
    message: string,
    readonly code = SERVER_ERROR,
    /** Whether it is one too many: others of its kind may follow without end. */
    readonly isFlood = false,
  ) {
    super(message);
  }
}

interface QuestionLimits {
  /** The most questions of one server, including the open one. */
  waiting: number;
  perMinute: number;
}

/** The questions of servers to the person: one at a time for each server, and neither too many nor too often. */
export class QuestionQueue {
  readonly #queues = new Queues();

  constructor(
    private readonly limits: QuestionLimits = { waiting: 5, perMinute: 20 },
    private readonly asked = new PerMinute(),
  ) {}

  /** Rejects with a `RefusedQuestion` when it is one too many, and as soon as `signal` is aborted. */
  async ask<T>(server: string, ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const { waiting, perMinute } = this.limits;
    if (this.#queues.length(server) >= waiting)
      throw new RefusedQuestion(`${waiting} questions are already waiting for the user`, SERVER_ERROR, true);
    if (this.asked.wait(server, perMinute) > 0)
      throw new RefusedQuestion(`more than ${perMinute} questions in a minute`, SERVER_ERROR, true);
    // Who gives up while asked holds nobody up: what is left of the question may stay beside the next one.
    return this.#queues.run(server, () => orAborted(ask(), signal), signal);
  }
}

/** More are dropped: a server may complete visits that were never begun or are no longer awaited. */
const MAX_KEPT = 100;
/** In characters. Longer ids are ignored. */
const MAX_ID = 1_000;

/** The pages that people were sent to, until their server says that they are done there (spec 2025-11-25). */
export class Visits {
  readonly #waiting = new Set<{ key: string; end: (isDone: boolean) => void }>();
  readonly #completed = new Set<string>();

  /** Resolves when the server reports completion, or has reported it before; with false when `signal` is aborted first. */
  done(server: string, id: string, signal: AbortSignal): Promise<boolean> {
    const key = `${server}\n${id}`;
    if (this.#completed.has(key)) return Promise.resolve(true);
    return new Promise(resolve => {
      const waiter = {
        key,
        end: (isDone: boolean) => {
          this.#waiting.delete(waiter);
          resolve(isDone);
        },
      };
      this.#waiting.add(waiter);
      if (signal.aborted) waiter.end(false);
      signal.addEventListener('abort', () => waiter.end(false), { once: true });
    });
  }

  completed(server: string, id: string): void {
    if (id.length > MAX_ID) return;
    const key = `${server}\n${id}`;
    this.#completed.add(key);
    for (const old of [...this.#completed].slice(0, -MAX_KEPT)) this.#completed.delete(old);
    for (const waiter of [...this.#waiting]) if (waiter.key === key) waiter.end(true);
  }
}

/**
 * Questions in notifications that may be asked again, with the same text, before they are answered. The editor then closes
 * the earlier notification, which is no answer: that of the latest holds for all of them.
 */
export class SharedNotifications {
  readonly #latest = new Map<string, Thenable<string | undefined>>();

  /** Resolves with the person's choice; undefined: they closed the notification. */
  async ask(text: string, show: () => Thenable<string | undefined>): Promise<string | undefined> {
    let shown = show();
    this.#latest.set(text, shown);
    for (;;) {
      const answer = await shown;
      const latest = this.#latest.get(text)!;
      if (answer !== undefined || latest === shown) return answer;
      shown = latest;
    }
  }
}
