import { plain, rowText, visible } from '../../base/text';
import { t, window } from '../../editor/window';
import type { ServerSet } from '../../host';
import { resourceFileName } from './core/fileName';
import type { ResourceAddress } from './core/resourceAddress';
import type { LiveResources } from './liveResources';
import { resourceTarget } from './resourceTarget';

/** "Watch" and "Unwatch" on a row, or on what the active editor shows. */
export class WatchCommands {
  constructor(
    private readonly servers: ServerSet,
    private readonly live: Pick<LiveResources, 'followed' | 'refresher' | 'watched'>,
  ) {}

  async watch(argument: unknown): Promise<void> {
    const { server, resource, address } = this.#target(argument);
    const name = visible(resourceFileName(resource));
    if (server.info && !server.info.capabilities.resources?.subscribe) {
      void window.showInformationMessage(
        plain(
          t(
            'Server "{0}" does not report changes to "{1}". To see changes, refresh it in the Resources view.',
            server.name,
            name,
          ),
        ),
      );
      return;
    }
    this.live.watched.add(address);
    window.setStatusBarMessage(t('Watching {0}', rowText(name)), 3_000);
    // Later changes are compared with what is there now.
    if (this.live.followed.state(address) === 'live') await this.live.refresher.refresh(address);
    else if (server.info && !(await this.#becomesLive(address))) {
      this.live.watched.delete(address);
      throw new Error(t('Server "{0}" refused to report changes to "{1}". Its log says why.', server.name, name));
    }
  }

  unwatch(argument: unknown): void {
    this.live.watched.delete(this.#target(argument).address);
  }

  /** False if the server refuses. Undecided until it is ready, because the subscription is requested later. */
  #becomesLive(address: ResourceAddress): Promise<boolean> {
    return new Promise(resolve => {
      const check = () => {
        const state = this.live.followed.state(address);
        if (state === 'pending') return;
        listener.dispose();
        resolve(state === 'live' || state === undefined);
      };
      const listener = this.live.followed.onDidChangeState(check);
      check();
    });
  }

  #target(argument: unknown) {
    const target = resourceTarget(this.servers, argument);
    if (!target) throw new Error(t('Select a resource in the Resources view, or open one first.'));
    return { ...target, address: { serverId: target.server.id, uri: target.resource.uri } };
  }
}
