import { fingerprint } from '../../../base/fingerprint';
import { isObject } from '../../../base/json';
import type { Caller, TracedCall, TraceRecord } from '../../../host';

/** Longer texts are not read for who has sent them. */
const MAX_READ = 200_000;
/** The number of messages whose caller is kept, more than a trace has by default. */
const MAX_FOUND = 20_000;
/** More calls do not begin while one waits to be sent. */
const MAX_BETWEEN = 1_000;

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
    const made = this.#before(seq).filter(call => call.server === server && seq <= call.until);
    const call = made.length > 0 ? this.#choose(made, text) : undefined;
    if (call) this.#taken.add(call);
    const caller = call && { origin: call.origin, ...(call.name !== undefined && { name: call.name }) };
    this.#found.set(seq, caller);
    // One that is older and still there is one that a person has marked.
    if (this.#found.size > MAX_FOUND) this.#found.delete(this.#found.keys().next().value!);
    return caller;
  }

  /** The last calls that began before this message, in order. */
  #before(seq: number): readonly TracedCall[] {
    const calls = this.calls();
    let [low, high] = [0, calls.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (calls[middle]!.after < seq) low = middle + 1;
      else high = middle;
    }
    return calls.slice(Math.max(0, low - MAX_BETWEEN), low);
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

/** Reads only the name of a call with long arguments, which it precedes. */
function beginningOf(text: string): ReturnType<typeof callOf> {
  const name = /"params":\{"name":("(?:[^"\\]|\\.)*")/.exec(text.slice(0, 4_000))?.[1];
  return { name: name && JSON.parse(name), args: undefined };
}
