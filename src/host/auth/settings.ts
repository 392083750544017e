import type { ServerEntry } from '../settings';

/** `oauth` of a settings entry, every variable and input filled in. */
export type OAuthSettings = NonNullable<Exclude<ServerEntry, { type: 'stdio' }>['oauth']>;
