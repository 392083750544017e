import type { Client, Root } from '@modelcontextprotocol/client';
import { type Phrase, phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import type { ServerDefinition } from '../definition/definition';
import type { HostPorts } from '../definition/ports';
import type { ServerInfo } from '../sdk/serverInfo';

/** The roots of one server (spec: client/roots). Knows which ones the server got last, and when they change. */
export class SharedRoots {
  /** As JSON. A server that never asked got none. */
  #told = '[]';
  #logged = '';

  constructor(
    private readonly server: { readonly definition: ServerDefinition; readonly info: ServerInfo | undefined },
    private readonly requests: { request(action: Phrase, send: (client: Client) => Promise<void>): Promise<void> },
    private readonly ports: Pick<HostPorts, 'log' | 'roots'>,
  ) {}

  /** The answer to `roots/list`. Logged whenever it changes. */
  list(): Root[] {
    const { definition } = this.server;
    const roots = this.ports.roots.list(definition);
    this.#told = JSON.stringify(roots);
    if (this.#told !== this.#logged) {
      this.#logged = this.#told;
      const data = `roots shared with it: ${roots.map(({ uri }) => visible(uri)).join(', ') || 'none'}`;
      this.ports.log.log(definition, { source: 'lifecycle', level: 'info', data });
    }
    return roots;
  }

  /** A new session has received no roots yet. */
  forget(): void {
    this.#told = '[]';
  }

  /** Tells a legacy server that its list has changed (`notifications/roots/list_changed`); modern ones ask anew. */
  announce(): void {
    const { server } = this;
    if (server.info?.era !== 'legacy') return;
    const text = JSON.stringify(this.ports.roots.list(server.definition));
    if (text === this.#told) return;
    this.#told = text;
    this.requests
      .request(phrase('tell it about changed roots'), client => client.sendRootsListChanged())
      .catch(() => {
        // A server that can't take a notification is gone; its connection says so.
      });
  }
}
