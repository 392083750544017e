import type vscode = require('vscode');

import { lazy } from './base/lazy';
import type { CommandHandlers } from './editor/commands';
import { compareResource } from './features/resources/compare';
import type { ResourceNode } from './features/resources/core/resourceNodes';
import { findResourceCommand } from './features/resources/find/pickResource';
import { addToChat, copyLink } from './features/resources/link';
import type { LiveResources } from './features/resources/liveResources';
import { ResourceOrder, sortResourcesCommand } from './features/resources/order';
import { readResourceCommand } from './features/resources/readResource';
import { ResourceCommands, revealResource } from './features/resources/resourceCommands';
import type { Resources } from './features/resources/resources';
import { ResourcesTree } from './features/resources/resourcesTree';
import { targetOf } from './features/resources/target';
import { openTemplateCommand } from './features/resources/templates/openTemplate';
import { TemplateMemory } from './features/resources/templates/templateMemory';
import type { ServerSet } from './host/serverSet';

interface ResourcesWindow {
  readonly context: Pick<vscode.ExtensionContext, 'subscriptions' | 'workspaceState'>;
  readonly servers: ServerSet;
  readonly live: LiveResources;
  readonly resources: Resources;
}

/** What people browse resources with: their tree, and what is done with one of them. */
export function startResources({ context, servers, live, resources }: ResourcesWindow) {
  const memory = new TemplateMemory(context.workspaceState);
  const order = new ResourceOrder(context.workspaceState);
  context.subscriptions.push(memory, order);
  const rows = lazy(() => {
    const tree = new ResourcesTree(servers, { memory, order, watched: live.watched });
    context.subscriptions.push(tree);
    return tree;
  });
  const files = new ResourceCommands(servers, resources.reader, live.editors);
  const commands = {
    addResourceToChat: argument => addToChat(targetOf(servers, argument)),
    compareResource: argument => compareResource(servers, targetOf(servers, argument)),
    copyResourceLink: argument => copyLink(targetOf(servers, argument)),
    copyResourceUri: argument => files.copyUri(argument),
    findResource: () => findResourceCommand(servers),
    loadMoreResources: argument => files.loadMore(argument),
    openResource: argument => files.open(argument),
    openTemplate: argument => openTemplateCommand(servers, memory, argument),
    readResource: argument => readResourceCommand(servers, argument),
    refreshResources: argument => files.refresh(argument),
    removeRecentResource: argument => {
      const { server, template, resource } = argument as Extract<ResourceNode, { type: 'recent' }>;
      return memory.forget(server.id, template.uriTemplate, resource.uri);
    },
    revealResource: argument => revealResource(servers, rows(), resources.view, argument),
    saveResourceAs: argument => files.saveAs(argument),
    sortResources: () => sortResourcesCommand(order),
  } satisfies Partial<CommandHandlers>;
  return { commands, files, memory, rows };
}
