import { setTimeout as delay } from 'node:timers/promises';
import { phrase } from '../base/phrase';
import { type PlainText, rowText } from '../base/text';
import type { ServerConnection, ServerSet } from '../host';
import { t, window } from './window';

import vscode = require('vscode');

/** How long to wait for a server that is started to learn what it offers. */
const MAX_WAIT_MS = 10_000;
const KINDS = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const;

/** The servers that can be used: those that are up or coming up, and those that start when used. */
export function usableServers({ all }: ServerSet): readonly ServerConnection[] {
  return all.filter(({ isUsable }) => isUsable);
}

/** Starts on-demand servers without remembered lists and waits a while for them, before the person chooses. */
export async function learnOffers({ all }: ServerSet): Promise<void> {
  const unknown = all.filter(
    ({ state, isUsable, catalog }) =>
      state.kind === 'stopped' && isUsable && KINDS.every(kind => catalog.knownItems(kind).length === 0),
  );
  if (unknown.length === 0) return;
  const learned = unknown.map(async server => {
    await server.start(phrase('what it offers is not known yet'));
    await Promise.all(KINDS.map(kind => server.catalog.loaded(kind)));
  });
  await Promise.race([Promise.all(learned), delay(MAX_WAIT_MS, undefined, { ref: false })]);
}

/** Says that there is nothing to work on, and offers to add it. */
export async function offerToAdd(message: PlainText): Promise<void> {
  const add = t('Add Server…');
  const chosen = await window.showInformationMessage(message, add);
  if (chosen === add) await vscode.commands.executeCommand('mcpHost.addServer');
}

/** The server of the row that a command was chosen on. */
export function serverOf(argument: unknown): ServerConnection | undefined {
  return (argument as { server?: ServerConnection } | undefined)?.server;
}

/** The server of the row; without one, the person chooses among those that a command applies to; if there is only one, that is used. */
export async function pickServer(
  argument: unknown,
  servers: ServerSet,
  placeHolder: PlainText,
  applies: (server: ServerConnection) => boolean = () => true,
): Promise<ServerConnection | undefined> {
  const chosen = serverOf(argument);
  if (chosen) return chosen;
  const candidates = servers.all.filter(applies);
  if (candidates.length === 0) {
    if (servers.all.length === 0) void offerToAdd(t('No MCP servers are configured.'));
    else void window.showInformationMessage(t('No MCP server can do this at the moment.'));
    return undefined;
  }
  if (candidates.length === 1) return candidates[0];
  const items = candidates.map(server => ({
    label: rowText(server.id),
    description: rowText(server.state.kind),
    server,
  }));
  return (await window.showQuickPick(items, { placeHolder }))?.server;
}
