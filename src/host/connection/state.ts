import type { HostError } from '../../base/errors';
import type { ServerInfo } from '../sdk/serverInfo';

/** What a connection is doing. `error` says why it is not ready. */
export type ServerState =
  | { readonly kind: 'stopped' }
  /** `isSlow`: it has been for so long that a person should be told what may take the time. */
  | { readonly kind: 'starting'; readonly isSlow: boolean }
  | { readonly kind: 'ready'; readonly info: ServerInfo; readonly pid: number | undefined }
  /** It ended by itself and is started again at `at`, in milliseconds since 1970. */
  | { readonly kind: 'reconnecting'; readonly error: HostError; readonly at: number }
  /** `gaveUp`: it ran, ended by itself too often, and is not started again. */
  | { readonly kind: 'failed'; readonly error: HostError; readonly gaveUp: boolean }
  /** A person has to do something first: allow it to run, give an input, sign in. `error` says what. */
  | { readonly kind: 'needsTrust'; readonly error: HostError }
  | { readonly kind: 'needsInput'; readonly error: HostError }
  | { readonly kind: 'needsAuth'; readonly error: HostError };
