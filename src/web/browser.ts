// In place of: host/auth/checkedFetch, host/transport/socketFetch, features/auth/loopback, features/auth/core/windowLock
import { phrase } from '../base/phrase';
import { Queues } from '../base/queue';
import { TransportFault } from '../host/transport/transportFault';

/** A browser resolves names itself, without exposing addresses, and keeps pages from private networks by its own rules. */
export const checkedFetch = (url: URL, init: RequestInit): Promise<Response> => fetch(url, init);

/** A page reaches no socket. */
export function createSocketFetch(path: string): (url: URL, init: RequestInit) => Promise<Response> {
  return () =>
    Promise.reject(
      new TransportFault(
        'UNREACHABLE',
        phrase("it is on the socket {0}, which a window in the browser can't reach", path),
        phrase('Open the folder in the desktop editor, or on a machine that runs servers.'),
      ),
    );
}

/** A browser listens on no port: the answer comes through the editor, or a person brings it. */
export const openLoopback = (): Promise<undefined> => Promise.resolve(undefined);

interface Locks {
  request<T>(name: string, run: () => Promise<T>): Promise<T>;
}

/** Keeps the windows of this browser from doing the same at once (Web Locks). */
export class WindowLock {
  readonly #locks = (globalThis.navigator as unknown as { locks?: Locks }).locks;
  readonly #queues = new Queues();

  constructor(private readonly name: string) {}

  /** Runs when no window runs something for this key. A lock that a browser has granted stays granted. */
  run<T>(key: string, run: (stillHeld: () => Promise<void>) => Promise<T>): Promise<T> {
    const locked = () => run(async () => {});
    return this.#locks ? this.#locks.request(`${this.name} ${key}`, locked) : this.#queues.run(key, locked);
  }
}
