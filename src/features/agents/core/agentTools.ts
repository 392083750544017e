import type { Tool } from '@modelcontextprotocol/client';
import type { Disposable, Event } from '../../../base/events';
import { visible } from '../../../base/text';
import type { GatewayTrust } from '../../../gateway';
import type { ServerConnection } from '../../../host';
import { isFor } from '../../../host/catalog';
import type { ClientIdentity, Clients } from '../../clients/core';
import { includesServer, includesTool, type Profile } from '../../profiles/core';

type OfferedToAgent = NonNullable<GatewayTrust['offered']>;

interface AgentToolsOptions {
  readonly trust: Pick<GatewayTrust, 'offered'>;
  readonly clients: Pick<Clients, 'onDidChangeProfile' | 'profile'>;
  readonly includes: (server: ServerConnection) => boolean;
  readonly profile: (name: string) => Pick<Profile, 'servers' | 'tools'> | undefined;
}

/** The tools for one agent: by the active profile, or the one chosen for it; none if that is gone from settings. */
export class AgentTools implements OfferedToAgent {
  constructor(
    private readonly options: AgentToolsOptions,
    /** Undefined until the agent has given its name. */
    private readonly agent: () => ClientIdentity | undefined,
  ) {}

  readonly onDidChange: Event<void> = (listener): Disposable => {
    const { trust, clients } = this.options;
    const listening = [trust.offered?.onDidChange(listener), clients.onDidChangeProfile(listener)];
    return { dispose: () => listening.forEach(one => void one?.dispose()) };
  };

  includes(server: ServerConnection, tool: Tool): boolean {
    const { trust, profile } = this.options;
    const name = this.#chosen;
    if (name === undefined) return trust.offered?.includes(server, tool) ?? true;
    const chosen = profile(name);
    return isFor('model', tool) && chosen !== undefined && includesTool(chosen, server.definition, tool.name);
  }

  includesServer(server: ServerConnection): boolean {
    const { includes, profile } = this.options;
    const name = this.#chosen;
    if (name === undefined) return includes(server);
    const chosen = profile(name);
    return chosen !== undefined && includesServer(chosen, server.definition);
  }

  refusal(server: ServerConnection, tool: Tool): string | undefined {
    const name = this.#chosen;
    if (name === undefined) return this.options.trust.offered?.refusal(server, tool);
    if (this.includes(server, tool)) return undefined;
    return `The tool ${visible(tool.name, 100)} of MCP server "${server.name}" is not part of the profile "${name}" that the user has chosen for this agent.`;
  }

  get #chosen(): string | undefined {
    const identity = this.agent();
    return identity && this.options.clients.profile(identity);
  }
}
