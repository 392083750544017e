/** Attributes of a session, as the conventions of OpenTelemetry name them. Spans and metrics of its requests have them, too. */
export type SessionFacts = Readonly<Record<string, string | number>>;

/** Where a span belongs in its trace (W3C Trace Context). */
export interface SpanPlace {
  readonly traceId: string;
  readonly spanId: string;
  /** Id of the span that it is a child of, if an agent gave one. */
  readonly parentId?: string | undefined;
}

/** A request that has ended, in a form that goes to the telemetry program. */
export interface Operation {
  readonly method: string;
  /** What was called. */
  readonly tool?: string | undefined;
  readonly prompt?: string | undefined;
  /** Id of the request, as text. */
  readonly id: string;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  readonly seconds: number;
  /** Absent if it succeeded. */
  readonly errorType?: string | undefined;
  /** The code of a JSON-RPC error. */
  readonly statusCode?: string | undefined;
  /** Undefined: whoever made the request records no spans. */
  readonly place?: SpanPlace | undefined;
  /** What it was about: see `TelemetrySettings.content`. */
  readonly content?: Readonly<Record<string, string>> | undefined;
}

/** A request or session that has ended. */
export type EndedOperation =
  | { readonly facts: SessionFacts; readonly operation: Operation }
  | { readonly facts: SessionFacts; readonly sessionSeconds: number };

/** What the window tells the telemetry program. `session` is an index of `facts`, which many requests share. */
export type ToTelemetry =
  | {
      readonly type: 'start';
      readonly endpoint: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly version: string;
      /** How often metrics are sent, in milliseconds. */
      readonly metricsEveryMs: number;
      /** How long the receiver may take, in milliseconds. */
      readonly timeoutMs: number;
    }
  | {
      readonly type: 'ended';
      readonly facts: readonly SessionFacts[];
      readonly operations: readonly Operation[];
      /** The session of each operation. */
      readonly of: readonly number[];
      readonly sessions: readonly { readonly session: number; readonly seconds: number }[];
    }
  | { readonly type: 'finish' };

/** What a receiver takes. */
export type Signal = 'spans' | 'metrics';

/** What the telemetry program tells the window. */
export type FromTelemetry =
  /** It has taken what was sent last. */
  | { readonly type: 'taken' }
  /** The receiver does not take these, for this reason. */
  | { readonly type: 'failing'; readonly signal: Signal; readonly reason: string }
  /** The receiver takes these. */
  | { readonly type: 'delivered'; readonly signal: Signal }
  /** So many spans were lost since this was last said. */
  | { readonly type: 'lost'; readonly spans: number }
  /** Nothing follows. */
  | { readonly type: 'finished' };

/** Items that wait, up to a limit. What comes when it is full is dropped, and counted. */
export class BoundedQueue<T> {
  readonly #items: T[] = [];
  #dropped = 0;

  constructor(private readonly most: number) {}

  get size(): number {
    return this.#items.length;
  }

  /** @returns whether there was room. */
  push(item: T): boolean {
    if (this.#items.length >= this.most) {
      this.#dropped++;
      return false;
    }
    this.#items.push(item);
    return true;
  }

  /** Counts items that were lost later. */
  lose(count: number): void {
    this.#dropped += count;
  }

  /** Takes the oldest items out, so many at most. */
  take(count: number): T[] {
    return this.#items.splice(0, count);
  }

  /** How many were dropped since this was last asked. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }
}
