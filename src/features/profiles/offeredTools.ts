import type { Tool } from '@modelcontextprotocol/client';
import type { Event } from '../../base/events';
import { visible } from '../../base/text';
import type { ServerConnection } from '../../host';
import { isFor } from '../../host/catalog';
import type { Profiles } from './profiles';

/**
 * Which tools models are offered, in `@mcp`, in the editor's own chat and by other participants: those that are for models, and
 * that the active profile has. What a person allows and denies is not decided here.
 */
export class OfferedTools {
  constructor(
    /** The profiles; undefined while there are none. */
    private readonly profiles: () => Pick<Profiles, 'active' | 'has' | 'offers'> | undefined,
    /** Another profile is in use, or none any more. */
    readonly onDidChange: Event<void>,
  ) {}

  includes(server: ServerConnection, tool: Tool): boolean {
    return isFor('model', tool) && (this.profiles()?.offers(server, tool.name) ?? true);
  }

  /** Whether models are to know of a server. */
  includesServer(server: ServerConnection): boolean {
    return this.profiles()?.has(server) ?? true;
  }

  /** The name of the profile that is in use. */
  get profile(): string | undefined {
    return this.profiles()?.active?.name;
  }

  /** The message for a model that calls a tool outside the profile. Undefined: the tool is in it. */
  refusal(server: ServerConnection, tool: Tool): string | undefined {
    const { profile } = this;
    if (profile === undefined || this.includes(server, tool)) return undefined;
    return `The tool ${visible(tool.name, 100)} of MCP server "${server.name}" is not part of the profile "${profile}" that the user has chosen.`;
  }
}
