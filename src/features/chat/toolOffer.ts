import { setTimeout as delay } from 'node:timers/promises';
import type { Tool } from '@modelcontextprotocol/client';

import vscode = require('vscode');

import { visible } from '../../base/text';
import { localized } from '../../editor/errorText';
import { learnOffers, usableServers } from '../../editor/servers/usable';
import { isFor, type ServerSet } from '../../host';
import type { Pins } from '../trust';
import { toolTitle } from './approval';
import { providerSchema } from './core/providerSchema';
import { chooseTools } from './core/relevance';
import { CALL_TOOL, nameTools, type OfferedTool, SEARCH_TOOLS } from './core/toolNames';
import type { ToolChoice } from './toolChoice';

const { t } = vscode.l10n;
const MAX_DESCRIPTION = 2_000;
/** How long a question waits for lists, in milliseconds. */
const MAX_REFRESH_MS = 2_000;
/** How many problems an answer names; the rest are only counted. */
const MAX_PROBLEMS = 3;

/** The tools for one question. */
export interface Offer {
  /** As the model gets them. */
  readonly offered: readonly vscode.LanguageModelChatTool[];
  /** All tools that can be called, by their name for the model, including those that only a search finds. */
  readonly byName: ReadonlyMap<string, OfferedTool>;
  /** How many are left out until a person accepts their change. */
  readonly blocked: number;
  /** What was left out, and why. */
  readonly problems: readonly string[];
}

/** Gathers the tools of the ready servers, as far as the person chose them and providers accept them. */
export class ToolOffer {
  /** Each schema is processed once, however many questions it is offered for. */
  readonly #schemas = new WeakMap<Tool, ReturnType<typeof providerSchema>>();
  /** Tools whose problem has been reported. */
  readonly #told = new Set<string>();

  constructor(
    private readonly servers: ServerSet,
    private readonly choice: ToolChoice,
    private readonly pins: Pins,
  ) {}

  /** Lists tools again if the time for which their list is valid is over, provided that it takes no more than a moment. */
  async refresh(): Promise<void> {
    await learnOffers(this.servers);
    const lists = this.servers.all.flatMap(({ catalog, health }) => [
      catalog.refreshIfStale('tools'),
      health?.refreshIfStale(),
    ]);
    await Promise.race([Promise.all(lists), delay(MAX_REFRESH_MS, undefined, { ref: false })]);
  }

  /** @param used names of tools that were called before in this chat: they stay offered. */
  async forQuestion(question: string, limit: number, used: readonly string[] = []): Promise<Offer> {
    const servers = usableServers(this.servers);
    await Promise.all(servers.map(server => this.pins.offer(server)));
    const chosen = servers.flatMap(server =>
      server
        .offers('tools')
        .filter(tool => isFor('model', tool) && this.choice.isOffered(server, tool.name))
        .map(tool => ({ server, tool })),
    );
    const wanted = chosen
      .filter(({ server, tool }) => !this.pins.blocks(server, tool))
      .map(({ server, tool }) => ({ serverId: server.id, serverName: server.id, tool }));
    const problems: string[] = [];
    const blocked = chosen.length - wanted.length;
    const usable: { named: OfferedTool; schema: object }[] = [];
    for (const named of nameTools(wanted)) {
      const made = this.#schema(named.tool);
      if ('schema' in made) usable.push({ named, schema: made.schema });
      else if (!this.#told.has(named.name)) {
        this.#told.add(named.name);
        problems.push(
          t(
            '{0} from {1} cannot be offered to a model: {2}',
            toolTitle(named.tool),
            named.serverName,
            localized(made.problem),
          ),
        );
      }
    }
    const more = problems.splice(MAX_PROBLEMS).length;
    if (more > 0) problems.push(t('… and {0} more tools.', more));
    const byName = new Map(usable.map(({ named }) => [named.name, named]));
    const schemas = new Map(usable.map(({ named, schema }) => [named.name, schema]));
    const describe = (named: OfferedTool): vscode.LanguageModelChatTool => ({
      name: named.name,
      description: `${visible(named.serverName)}: ${visible(named.tool.description ?? toolTitle(named.tool), MAX_DESCRIPTION)}`,
      inputSchema: schemas.get(named.name)!,
    });
    if (byName.size <= limit) return { offered: [...byName.values()].map(describe), byName, blocked, problems };
    const fitting = chooseTools([...byName.values()], question, Math.max(1, limit - BUILT_IN.length), used);
    return { offered: [...BUILT_IN, ...fitting.chosen.map(describe)], byName, blocked, problems };
  }

  #schema(tool: Tool): ReturnType<typeof providerSchema> {
    let made = this.#schemas.get(tool);
    if (!made) {
      made = providerSchema(tool.inputSchema);
      this.#schemas.set(tool, made);
    }
    return made;
  }
}

/** The tools through which a model reaches those that did not fit. */
const BUILT_IN: readonly vscode.LanguageModelChatTool[] = [
  {
    name: SEARCH_TOOLS,
    description: 'Finds more tools of the MCP servers. Use it when none of the offered tools fits.',
    inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  },
  {
    name: CALL_TOOL,
    description: `Calls a tool that ${SEARCH_TOOLS} found, by its name.`,
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string' }, arguments: { type: 'object', properties: {} } },
      required: ['name', 'arguments'],
    },
  },
];
