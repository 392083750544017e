import vscode = require('vscode');

import { phrase } from '../../base/phrase';
import type { PlainText } from '../../base/text';
import type { CommandHandlers } from '../../editor/commands';
import { withoutIcons } from '../../editor/rowText';
import { t, window } from '../../editor/window';
import type { ServerConnection, ServerDefinition, ServerSet, ServerState } from '../../host';
import type { SettingsFiles } from '../settings';

type ServerCommand =
  | 'openServerSettings'
  | 'openSettings'
  | 'restartServer'
  | 'showServerLog'
  | 'startServer'
  | 'stopServer';

const ASKED = phrase('requested by you');

/** The commands on servers: for the row on which they were chosen, or, from the palette, for one that the person picks. */
export function serverCommands(
  servers: ServerSet,
  logs: { show(definition: ServerDefinition): void; reveal(line: string): void },
  settings: SettingsFiles,
): Pick<CommandHandlers, ServerCommand> {
  const on =
    (
      placeholder: PlainText,
      run: (server: ServerConnection) => unknown,
      applies?: (server: ServerConnection) => boolean,
    ) =>
    async (argument?: unknown): Promise<void> => {
      const server = serverOf(argument) ?? (await pickServer(servers, placeholder, applies));
      if (server) await run(server);
    };
  return {
    startServer: on(
      t('Select an MCP server to start'),
      server => start(server),
      ({ state }) => !isRunning(state.kind),
    ),
    stopServer: on(
      t('Select an MCP server to stop'),
      server => server.stop(ASKED),
      ({ state }) => isRunning(state.kind),
    ),
    restartServer: on(t('Select an MCP server to restart'), server => server.restart(ASKED)),
    showServerLog: async argument => {
      await on(t('Select an MCP server to show its log'), server => logs.show(server.definition))(argument);
      const { line } = Object(argument) as { line?: unknown };
      if (typeof line === 'string') logs.reveal(line);
    },
    openServerSettings: on(t('Open the settings of which MCP server?'), server => settings.reveal(server.definition)),
    openSettings: () => settings.open(),
  };
}

/** A person who starts a server that waits for consent is asked for it. */
async function start(server: ServerConnection): Promise<void> {
  await server.start(ASKED);
  if (server.state.kind === 'needsTrust') await vscode.commands.executeCommand('mcpHost.reviewServer', { server });
}

function isRunning(kind: ServerState['kind']): boolean {
  return kind === 'starting' || kind === 'ready' || kind === 'reconnecting';
}

/** The server of the row that a command was chosen on. */
export function serverOf(argument: unknown): ServerConnection | undefined {
  return (argument as { server?: ServerConnection } | undefined)?.server;
}

/** Lets the person choose among the servers that a command applies to; if there is only one, that is used. */
export async function pickServer(
  servers: ServerSet,
  placeHolder: PlainText,
  applies: (server: ServerConnection) => boolean = () => true,
): Promise<ServerConnection | undefined> {
  const candidates = servers.all.filter(applies);
  if (candidates.length === 0) {
    void window.showInformationMessage(
      servers.all.length === 0 ? t('No MCP servers are configured.') : t('No MCP server can do this at the moment.'),
    );
    return undefined;
  }
  if (candidates.length === 1) return candidates[0];
  const items = candidates.map(server => ({
    label: withoutIcons(server.id),
    description: withoutIcons(server.state.kind),
    server,
  }));
  return (await window.showQuickPick(items, { placeHolder }))?.server;
}
