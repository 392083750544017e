import type { ServerEntry } from '../settings';

/** `oauth` in a settings entry, with every variable and input filled in. */
export type OAuthSettings = NonNullable<Exclude<ServerEntry, { type: 'stdio' }>['oauth']>;
