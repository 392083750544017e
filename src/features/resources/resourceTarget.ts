import type { Resource } from '@modelcontextprotocol/client';

import vscode = require('vscode');

import { t } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';
import { parseResourceUri } from './core/resourceAddress';
import { urisOf } from './openResources';

/** A resource of a server, as commands take it. */
export interface ResourceTarget {
  readonly server: ServerConnection;
  readonly resource: Resource;
  /** One of several contents: see `ResourceAddress`. */
  readonly part?: string;
}

/**
 * The resource that a command is for: a row of either tree, the URI that an editor's menu gives, or, without an
 * argument, what the active editor shows.
 */
export function resourceTarget(servers: ServerSet, argument: unknown): ResourceTarget | undefined {
  if (argument instanceof vscode.Uri) return targetOfUri(servers, argument);
  if (isRow(argument)) {
    const resource = argument.resource ?? argument.item;
    return (
      resource && { server: argument.server, resource, ...(argument.part !== undefined && { part: argument.part }) }
    );
  }
  const active = activeUri();
  return active && targetOfUri(servers, active);
}

/** The same, for commands that require a resource. Throws an `Error` that names the requirement. */
export function targetOf(servers: ServerSet, argument: unknown): ResourceTarget {
  const target = resourceTarget(servers, argument);
  if (!target) throw new Error(t('Select a resource in the Resources view, or open one first.'));
  return target;
}

/** The server that a command is for, if its argument is a row of it. */
export function serverOfRow(argument: unknown): ServerConnection | undefined {
  return isRow(argument) ? argument.server : undefined;
}

interface Row {
  readonly server: ServerConnection;
  /** In the Resources view. */
  readonly resource?: Resource;
  readonly part?: string;
  /** In the Servers view, whose menu offers this only for resources. */
  readonly item?: Resource;
}

function isRow(argument: unknown): argument is Row {
  return typeof argument === 'object' && argument !== null && 'server' in argument;
}

function activeUri(): vscode.Uri | undefined {
  const { activeTab } = vscode.window.tabGroups.activeTabGroup;
  return activeTab && urisOf(activeTab)[0];
}

function targetOfUri(servers: ServerSet, uri: vscode.Uri): ResourceTarget | undefined {
  const address = parseResourceUri(uri);
  const server = address && servers.get(address.serverId);
  if (!server) return undefined;
  const listed = server.catalog.resources.find(resource => resource.uri === address.uri);
  const [, , name = ''] = uri.path.split('/');
  const resource = listed ?? { uri: address.uri, name };
  return { server, resource, ...(address.part !== undefined && { part: address.part }) };
}
