import { fingerprint } from '../../../base/fingerprint';
import { isObject } from '../../../base/isObject';
import type { Caller, TracedCall, TraceRecord } from '../../../host';

/** Longer texts are not read for who has sent them. */
const MAX_READ = 200_000;

/**
 * Tells which of the calls that were made a message is of. The way of a call has nothing for that: a call is known by its
 * server, tool and arguments, among the messages between its beginning and its end. Of calls that are the same in all that, the
 * one that was made first was sent first.
 */
export class Callers {
  readonly #found = new Map<number, Caller | undefined>();
  readonly #taken = new WeakSet<TracedCall>();

  constructor(private readonly calls: () => readonly TracedCall[]) {}

  of({ seq, server, direction, text }: TraceRecord): Caller | undefined {
    if (direction !== 'sent' || !text.slice(0, 200).includes('"tools/call"')) return undefined;
    if (this.#found.has(seq)) return this.#found.get(seq);
    const made = this.calls().filter(call => call.server === server && call.after < seq && seq <= call.until);
    const call = made.length > 0 ? this.#choose(made, text) : undefined;
    if (call) this.#taken.add(call);
    const caller = call && { origin: call.origin, ...(call.name !== undefined && { name: call.name }) };
    this.#found.set(seq, caller);
    return caller;
  }

  /** What was said of messages before this one is not asked for again. */
  forget(first: number): void {
    for (const seq of this.#found.keys()) {
      if (seq >= first) return;
      this.#found.delete(seq);
    }
  }

  #choose(made: readonly TracedCall[], text: string): TracedCall | undefined {
    const { name, args } = text.length > MAX_READ ? beginningOf(text) : callOf(text);
    const same = made.filter(call => call.tool === name && (args === undefined || call.args === args));
    // One that was repeated because its server had ended is taken already.
    return same.find(call => !this.#taken.has(call)) ?? same.at(-1);
  }
}

function callOf(text: string): { readonly name: unknown; readonly args: string | undefined } {
  try {
    const { params }: { params?: unknown } = JSON.parse(text);
    if (!isObject(params)) return { name: undefined, args: undefined };
    return { name: params.name, args: fingerprint(params.arguments ?? {}) };
  } catch {
    return { name: undefined, args: undefined };
  }
}

/** Of a call with long arguments only the name, which comes before them. */
function beginningOf(text: string): ReturnType<typeof callOf> {
  const name = /"params":\{"name":("(?:[^"\\]|\\.)*")/.exec(text.slice(0, 4_000))?.[1];
  return { name: name && JSON.parse(name), args: undefined };
}
