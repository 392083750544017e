import type { Tool } from '@modelcontextprotocol/client';
import type { Event } from '../../base/events';
import { english, type Phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import type { ServerConnection } from '../../host';
import { isFor } from '../../host/catalog';
import type { LogPort } from '../../host/definition';

interface ActiveProfile {
  readonly active: { readonly name: string } | undefined;
  has(server: ServerConnection): boolean;
  offers(server: ServerConnection, tool: string): boolean;
}

/**
 * Which tools models are offered, in `@mcp`, in the editor's own chat and by other participants: those that are for models, and
 * that the active profile has. What a person allows and denies is not decided here.
 */
export class OfferedTools {
  readonly #problems = new WeakMap<Tool, Phrase>();

  constructor(
    private readonly profiles: () => ActiveProfile | undefined,
    /** Another profile is in use, or none any more. */
    readonly onDidChange: Event<void>,
    private readonly log: Pick<LogPort, 'log'>,
    /** Gets the server of each tool that is left out. */
    private readonly rows: { fire(server: ServerConnection): void },
  ) {}

  /** To be called with each tool that no model provider would accept. */
  leaveOut(server: ServerConnection, tool: Tool, problem: Phrase): void {
    if (this.#problems.has(tool)) return;
    this.#problems.set(tool, problem);
    const data = `${visible(tool.name, 100)} cannot be offered to a model: ${english(problem)}`;
    this.log.log(server.definition, { source: 'lifecycle', level: 'warning', data });
    this.rows.fire(server);
  }

  /** To be called with each tool that a chat gets under another name. */
  rename(server: ServerConnection, tool: Tool, name: string): void {
    const data = `${visible(tool.name, 100)} is offered to chat as ${name}, because its name is too long or like another one.`;
    this.log.log(server.definition, { source: 'lifecycle', level: 'info', data });
  }

  /** Why a tool is left out, as far as anything has wanted to offer it. */
  problem(tool: Tool): Phrase | undefined {
    return this.#problems.get(tool);
  }

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
