/** A timer as Node has it: the code that it shares with desktop windows says of some that they keep no process. */
class Timer {
  constructor(private readonly id: unknown) {}

  unref(): this {
    return this;
  }

  clear(cancel: (id: never) => void): void {
    cancel(this.id as never);
  }
}

/** The end of a channel whose other end takes turns. */
type Turns = InstanceType<typeof MessageChannel>['port1'];
type Run = (...args: unknown[]) => void;

export const setTimeout = (run: Run, ms?: number, ...args: unknown[]): Timer =>
  new Timer(globalThis.setTimeout(run, ms, ...args));

export const setInterval = (run: Run, ms?: number, ...args: unknown[]): Timer =>
  new Timer(globalThis.setInterval(run, ms, ...args));

export const clearTimeout = (timer: Timer | undefined): void => timer?.clear(globalThis.clearTimeout);

export const clearInterval = (timer: Timer | undefined): void => timer?.clear(globalThis.clearInterval);

const waiting: (() => void)[] = [];
let turns: Turns | undefined;

/** Runs in a turn of its own, when everything has run that is promised already. A timer would wait for 4 ms. */
export function setImmediate(run: Run, ...args: unknown[]): void {
  turns ??= openTurns();
  waiting.push(() => run(...args));
  turns.postMessage(undefined);
}

function openTurns(): Turns {
  const { port1, port2 } = new MessageChannel();
  port1.addEventListener('message', () => waiting.shift()?.());
  port1.start();
  return port2;
}
