import { indentedJson, isObject } from '../../../base/json';
import { startOf } from '../../../base/text';

/** More events of one subscription are not kept; the oldest go first. */
const MAX_EVENTS = 100;
/** In characters, of the payloads of one subscription together and of one alone. */
const MAX_TEXT = 2_000_000;
const MAX_PAYLOAD = 200_000;
/** Ids that are remembered, so that an event that arrives twice is kept once. */
const MAX_IDS = 1_000;
/** In characters. */
const MAX_ID = 500;
/** More events in a second are counted and not kept. */
const MAX_A_SECOND = 50;
const SECOND_MS = 1_000;

/** Something that happened, as a server reported it (SEP-3415, `EventOccurrence`). */
export interface KeptEvent {
  readonly id: string;
  /** When it happened, as the server wrote it. */
  readonly timestamp: string;
  /** When it arrived, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** Its payload as JSON. */
  readonly payload: string;
  /** Whether the payload was longer than what is kept of it. */
  readonly isCut: boolean;
}

/** The last events of one subscription, within bounds of number, size and rate. What is not kept is counted. */
export class KeptEvents {
  readonly #events: KeptEvent[] = [];
  readonly #ids = new Set<string>();
  #size = 0;
  readonly #left = { older: 0, flooded: 0, unusable: 0 };
  #second = 0;
  #inSecond = 0;

  /** The newest first. */
  get all(): readonly KeptEvent[] {
    return this.#events;
  }

  /** How many are no longer kept, came too fast to be kept, or were not as the draft has them. */
  get left(): Readonly<Record<'flooded' | 'older' | 'unusable', number>> {
    return this.#left;
  }

  /** Takes an unchecked occurrence of this type. @returns the event if it is new and kept, and whether it is new. */
  add(occurrence: unknown, name: string): { readonly event?: KeptEvent; readonly isNew: boolean } {
    if (!isOccurrence(occurrence) || occurrence.name !== name) {
      this.#left.unusable++;
      return { isNew: false };
    }
    const { eventId, timestamp, data } = occurrence;
    if (this.#ids.has(eventId)) return { isNew: false };
    this.#ids.add(eventId);
    if (this.#ids.size > MAX_IDS) this.#ids.delete(this.#ids.values().next().value!);
    if (this.#isFlood()) {
      this.#left.flooded++;
      return { isNew: true };
    }
    const json = indentedJson(data);
    const event: KeptEvent = {
      id: eventId,
      timestamp: typeof timestamp === 'string' ? startOf(timestamp, 100) : '',
      receivedAt: Date.now(),
      payload: startOf(json, MAX_PAYLOAD),
      isCut: json.length > MAX_PAYLOAD,
    };
    this.#events.unshift(event);
    this.#size += event.payload.length;
    while (this.#events.length > MAX_EVENTS || this.#size > MAX_TEXT) {
      this.#size -= this.#events.pop()!.payload.length;
      this.#left.older++;
    }
    return { event, isNew: true };
  }

  #isFlood(): boolean {
    const second = Math.floor(Date.now() / SECOND_MS);
    if (second !== this.#second) [this.#second, this.#inSecond] = [second, 0];
    return ++this.#inSecond > MAX_A_SECOND;
  }
}

interface Occurrence {
  readonly eventId: string;
  readonly name: string;
  readonly timestamp?: unknown;
  readonly data: Record<string, unknown>;
}

function isOccurrence(value: unknown): value is Occurrence {
  if (!isObject(value)) return false;
  const { eventId, name, data } = value;
  return typeof eventId === 'string' && eventId.length <= MAX_ID && typeof name === 'string' && isObject(data);
}
