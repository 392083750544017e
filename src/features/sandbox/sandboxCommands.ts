import type { AppearedPlace, ServerConnection } from '../../host';
import { allowRefused, changeSandbox, keepRefused, runUnconfined, type SandboxServices } from './changeSandbox';
import { watchNeeds } from './watchNeeds';

/** Of a row. */
interface Row {
  readonly server: ServerConnection;
  readonly place?: AppearedPlace;
  readonly folder?: string;
}

/**
 * The person's commands about the confinement of a server.
 * @param services made when a command is run
 */
export function sandboxCommands(services: () => SandboxServices) {
  return {
    allowRefused: (row?: unknown) => allowRefused(services(), row, 'this'),
    allowRefusedFolder: (row?: unknown) => allowRefused(services(), row, 'folder'),
    changeSandbox: (argument?: unknown) => changeSandbox(services(), argument),
    closeFolder: async (row?: unknown) => {
      const { server, folder } = (row ?? {}) as Partial<Row>;
      if (server && folder !== undefined) await services().confined.closeFolder(server, folder);
    },
    keepAppeared: async (row?: unknown) => {
      const { server, place } = (row ?? {}) as Partial<Row>;
      if (server && place) await services().confined.keepAppeared(server, place);
    },
    removeAppeared: async (row?: unknown) => {
      const { server, place } = (row ?? {}) as Partial<Row>;
      if (server && place) await services().confined.removeAppeared(server, place);
    },
    runUnconfined: async (row?: unknown) => {
      const { server } = (row ?? {}) as Partial<Row>;
      if (server) await runUnconfined(services(), server);
    },
    keepRefused: (row?: unknown) => keepRefused(services(), row),
    watchNeeds: (argument?: unknown) => watchNeeds(services(), argument),
  };
}
