/**
 * OAuth for remote servers (spec: basic/authorization). A bundle of its own (dist/auth.js), loaded with the first server
 * that is reached over HTTP; the SDK's functions are handed to it, as it must not have a second copy of them.
 */

export { Authorizer, type SignedIn } from './authorizer';
export type { AuthSdk } from './sdk';
