import type vscode = require('vscode');

import { type Disposable, DisposableStore, type Lazy, lazy } from '../../base/events';
import type { CommandHandlers } from '../../editor/commands';
import type { ServerSet } from '../../host';
import { compareResource } from './compareResource';
import type { ResourceNode } from './core/resourceNodes';
import type { LiveResources } from './liveResources';
import { findResourceCommand } from './pickResource';
import { readResourceCommand } from './readResource';
import { ResourceCommands, revealResource } from './resourceCommands';
import { addToChat, copyLink } from './resourceLinks';
import { ResourceOrder, sortResourcesCommand } from './resourceOrder';
import type { Resources } from './resources';
import { ResourcesTree } from './resourcesTree';
import { targetOf } from './resourceTarget';
import { openTemplateCommand } from './templates/openTemplate';
import { TemplateMemory } from './templates/templateMemory';
import { WatchCommands } from './watchCommands';

interface BrowsedWindow {
  readonly state: vscode.Memento;
  readonly servers: ServerSet;
  readonly live: LiveResources;
  readonly resources: Resources;
}

/** The tree of resources, and the commands on one of them. */
export class ResourceBrowsing implements Disposable {
  readonly #disposables = new DisposableStore();
  readonly #order: ResourceOrder;
  /** Values that were last given to templates. */
  readonly memory: TemplateMemory;
  readonly rows: Lazy<ResourcesTree>;
  readonly files: ResourceCommands;
  readonly commands;

  constructor({ state, servers, live, resources }: BrowsedWindow) {
    this.memory = this.#disposables.add(new TemplateMemory(state));
    this.#order = this.#disposables.add(new ResourceOrder(state));
    const sources = { memory: this.memory, order: this.#order, watched: live.watched };
    this.rows = lazy(() => this.#disposables.add(new ResourcesTree(servers, sources)));
    this.files = new ResourceCommands(servers, resources.reader, live.editors);
    const watching = new WatchCommands(servers, live);
    this.commands = {
      addResourceToChat: argument => addToChat(targetOf(servers, argument)),
      compareResource: argument => compareResource(servers, targetOf(servers, argument)),
      copyResourceLink: argument => copyLink(targetOf(servers, argument)),
      copyResourceUri: argument => this.files.copyUri(argument),
      findResource: () => findResourceCommand(servers),
      loadMoreResources: argument => this.files.loadMore(argument),
      openResource: argument => this.files.open(argument),
      openTemplate: argument => openTemplateCommand(servers, this.memory, argument),
      readResource: argument => readResourceCommand(servers, argument),
      refreshResources: argument => this.files.refresh(argument),
      removeRecentResource: argument => {
        const { server, template, resource } = argument as Extract<ResourceNode, { type: 'recent' }>;
        return this.memory.forget(server.id, template.uriTemplate, resource.uri);
      },
      revealResource: argument => revealResource(servers, this.rows(), resources.view, argument),
      saveResourceAs: argument => this.files.saveAs(argument),
      sortResources: () => sortResourcesCommand(this.#order),
      unwatchResource: argument => watching.unwatch(argument),
      watchResource: argument => watching.watch(argument),
    } satisfies Partial<CommandHandlers>;
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}
