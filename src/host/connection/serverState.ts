import type { HostError } from '../../base/errors';
import type { ServerInfo } from '../sdk/serverInfo';

/** The state of a connection. `error` is the reason why it is not ready. */
export type ServerState =
  | { readonly kind: 'stopped' }
  /** `isSlow`: it takes so long that the person should learn what may take the time. */
  | { readonly kind: 'starting'; readonly isSlow: boolean }
  | { readonly kind: 'ready'; readonly info: ServerInfo; readonly pid: number | undefined }
  /**
   * It ended unexpectedly at `since` and restarts at `at`, in milliseconds since 1970. `isDown`: so far it has not come back
   * for a while, and requests do not wait for it.
   */
  | {
      readonly kind: 'reconnecting';
      readonly error: HostError;
      readonly at: number;
      readonly since: number;
      readonly isDown: boolean;
    }
  /** `gaveUp`: it ended unexpectedly too often and is not restarted. */
  | { readonly kind: 'failed'; readonly error: HostError; readonly gaveUp: boolean }
  /** A person has to do something first: allow it to run, give an input, sign in. `error` says what. */
  | { readonly kind: 'needsTrust'; readonly error: HostError }
  | { readonly kind: 'needsInput'; readonly error: HostError }
  | { readonly kind: 'needsAuth'; readonly error: HostError };
