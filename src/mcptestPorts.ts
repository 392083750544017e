import { join } from 'node:path';
import { readBounded } from './base/files';
import type { runTests } from './features/authors/core/runTests';
import * as admission from './features/organization/core/admission';
import { managedPlaces } from './features/organization/core/managedPlaces';
import { Organization } from './features/organization/core/organization';
import { LaunchGate, NO_CHECK } from './host/definition';

const MAX_ENV_FILE_BYTES = 1024 * 1024;

/** Also on a machine without an editor, its organization has the say. */
const organization = new Organization({
  places: managedPlaces(),
  watchMs: 0,
  editor: () => undefined,
  list: async () => [],
  admission: () => admission,
});

/** The person who runs `mcptest` has typed what is to run: nothing is asked. @param storage of sandboxes */
export const mcptestPorts = (storage: string): Parameters<typeof runTests>[1]['ports'] => ({
  shellPath: async () => undefined,
  readFile: name => readBounded(name, MAX_ENV_FILE_BYTES),
  launch: new LaunchGate({
    organization,
    trust: NO_CHECK,
    consent: NO_CHECK,
    inputs: NO_CHECK,
    scripts: NO_CHECK,
    last: NO_CHECK,
  }),
  sandbox: {
    // Only what an entry says of its sandbox counts, and what the organization demands.
    setting: () => organization.sandboxOf('off'),
    isDemanded: server => organization.confines(server),
    inheritsAll: () => false,
    isWatched: () => false,
    runsFreeOnce: () => false,
    granted: () => ({}),
    askHost: async () => false,
    limits: () => organization.fixed.limits,
    watch: () => () => {},
    storage,
    bridge: join(__dirname, 'sandbox-bridge.js'),
  },
});
