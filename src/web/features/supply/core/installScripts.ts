import type { ServerEntry } from '../../../../host/settings';

/** No program is run here, and so no script of a package. */
export const unscripted = (_definition: object, entry: ServerEntry): { readonly entry: ServerEntry } => ({ entry });
