import vscode = require('vscode');

import { phrase } from '../../base/phrase';
import { type PlainText, withoutIcons } from '../../base/text';
import type { CommandHandlers } from '../../editor/commands';
import { t, window } from '../../editor/window';
import type { ServerConnection, ServerSet, ServerState } from '../../host';
import type { ServerDefinition } from '../../host/definition';
import type { SettingsFiles } from '../settings';

type ServerCommand = 'openServerSettings' | 'restartServer' | 'showServerLog' | 'startServer' | 'stopServer';

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
    openServerSettings: on(t('Open the settings of which MCP server?'), async ({ definition }) => {
      if (!(await settings.reveal(definition))) await offerToAdd(notFoundText(definition));
    }),
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

/** Why an entry can't be shown or changed. */
export function notFoundText({ name }: Pick<ServerDefinition, 'name'>): PlainText {
  return t(
    'The settings entry for "{0}" was not found in its file. It may have been removed, or come from another machine or profile.',
    name,
  );
}

/** Says that there is nothing to work on, and offers to add it. */
async function offerToAdd(message: PlainText): Promise<void> {
  const add = t('Add Server…');
  const chosen = await window.showInformationMessage(message, add);
  if (chosen === add) await vscode.commands.executeCommand('mcpHost.addServer');
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
    if (servers.all.length === 0) void offerToAdd(t('No MCP servers are configured.'));
    else void window.showInformationMessage(t('No MCP server can do this at the moment.'));
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
