import { allowRefused, changeSandbox, keepRefused, type SandboxServices } from './changeSandbox';
import { watchNeeds } from './watchNeeds';

/**
 * The person's commands about the confinement of a server.
 * @param services made when a command is run
 */
export function sandboxCommands(services: () => SandboxServices) {
  return {
    allowRefused: (row?: unknown) => allowRefused(services(), row, 'this'),
    allowRefusedFolder: (row?: unknown) => allowRefused(services(), row, 'folder'),
    changeSandbox: (argument?: unknown) => changeSandbox(services(), argument),
    keepRefused: (row?: unknown) => keepRefused(services(), row),
    watchNeeds: (argument?: unknown) => watchNeeds(services(), argument),
  };
}
