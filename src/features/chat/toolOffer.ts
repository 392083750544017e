import type { Tool } from '@modelcontextprotocol/client';
import type { Phrase } from '../../base/phrase';
import { within } from '../../base/queue';
import { Turns } from '../../base/turns';
import { learnOffers, usableServers } from '../../editor/pickServer';
import type { ServerConnection, ServerSet } from '../../host';
import {
  type CountingModel,
  type DefinedTool,
  DefinitionMeter,
  defineTool,
  madeSoFar,
  makeSchemas,
  nameTools,
  type OfferedTool,
  ToolIndex,
  toolMatcher,
} from '../languageModel';
import type { OfferedTools } from '../profiles';
import type { Pins } from '../trust';
import { type OfferLimits, TurnTools } from './core/turnTools';
import type { ToolChoice } from './toolChoice';

/** How long a question waits for lists, and for counting where that decides what is offered, in milliseconds. */
const MAX_REFRESH_MS = 2_000;
const MAX_COUNT_MS = 500;
/** How long rows, pages and other work wait for the definitions of tools, in milliseconds. */
const SHOWN_MS = 50;
/** The most definitions that a model counts for one question. */
const MAX_COUNTED = 1_000;
/** Definitions never take more of a model's window. */
const WINDOW_SHARE = 0.4;
/** Estimates are cautious: the tokens are at most half as many. */
const OVERESTIMATE = 2;

export interface OfferWanted {
  readonly question: string;
  readonly limits: OfferLimits;
  readonly model: CountingModel & { readonly maxInputTokens: number };
  /** Names of tools that were called before in this chat: they stay offered. */
  readonly used?: readonly string[];
  /** Patterns of tools that are offered always. */
  readonly always?: readonly unknown[];
}

/** The share of a model's window that the tool definitions of a server need. */
interface OfferCost {
  readonly tokens: number;
  readonly tools: readonly { readonly tool: Tool; readonly tokens: number }[];
  /** Whether a model has counted them; otherwise they are estimated. */
  readonly isCounted: boolean;
}

interface OfferServices {
  readonly servers: ServerSet;
  readonly choice: ToolChoice;
  readonly offered: Pick<OfferedTools, 'includes' | 'includesServer' | 'leaveOut'>;
  readonly pins: Pins;
}

/** Gathers the tools of the ready servers, as far as the person chose them and providers accept them. */
export class ToolOffer {
  /** Each tool is made ready once, however many questions it is offered for. */
  readonly #made = new WeakMap<Tool, DefinedTool | { readonly problem: Phrase }>();
  readonly #meter = new DefinitionMeter();
  #index: ToolIndex | undefined;
  #model: CountingModel | undefined;

  constructor(private readonly services: OfferServices) {}

  /** Lists tools again if the time for which their list is valid is over, provided that it takes no more than a moment. */
  async refresh(): Promise<void> {
    await learnOffers(this.services.servers);
    const lists = this.services.servers.all.flatMap(({ catalog, health }) => [
      catalog.refreshIfStale('tools'),
      health?.refreshIfStale(),
    ]);
    await within(Promise.all(lists), MAX_REFRESH_MS, undefined);
  }

  /** The servers in the system text: those of the profile, if one is active. */
  get serversInText(): readonly ServerConnection[] {
    return this.services.servers.all.filter(server => this.services.offered.includesServer(server));
  }

  async forTurn({ question, limits, model, used, always = [] }: OfferWanted): Promise<TurnTools> {
    this.#model = model;
    const servers = usableServers(this.services.servers);
    await Promise.all(servers.map(server => this.services.pins.offer(server)));
    const chosen = servers.flatMap(server =>
      this.#chosen(server).map(tool => ({ server, tool, serverId: server.id, serverName: server.id })),
    );
    const changed = new Set(
      chosen.filter(({ server, tool }) => this.services.pins.blocks(server, tool)).map(({ tool }) => tool),
    );
    const tools = chosen.map(({ tool }) => tool);
    await makeSchemas(tools, limits.inScripts);
    const byName = new Map<string, DefinedTool>();
    const blocked = new Map<string, OfferedTool>();
    const turns = new Turns(SHOWN_MS);
    for (const named of nameTools(chosen)) {
      if (turns.isOver) await turns.next();
      const made = changed.has(named.tool) ? undefined : this.#define(named);
      const server = this.services.servers.get(named.serverId);
      if (!made) blocked.set(named.name, named);
      else if (!('problem' in made)) byName.set(named.name, made);
      else if (server) this.services.offered.leaveOut(server, named.tool, made.problem);
    }
    const maxTokens = Math.min(limits.maxTokens, Math.floor(model.maxInputTokens * WINDOW_SHARE));
    const all = [...byName.values()];
    if (!limits.inScripts) await this.#countIfItMatters(all, maxTokens, model);
    const isAlways = toolMatcher(always);
    return new TurnTools(byName, blocked, {
      limits: { ...limits, maxTokens },
      tokensOf: definition => this.#meter.tokens(definition, model.id),
      index: () => this.#indexOf(all),
      wanted: {
        question,
        ...(used && { used }),
        always: all.filter(({ serverName, tool }) => isAlways(serverName, tool.name)).map(({ name }) => name),
      },
    });
  }

  /** Lets the model count the tokens that were only estimated so far. Never rejects. */
  async count(tools: TurnTools, model: CountingModel): Promise<void> {
    const definitions = [...tools.byName.values()].map(({ definition }) => definition);
    await this.#meter.count(definitions.slice(0, MAX_COUNTED), model);
  }

  /** Tokens of a server's offered tools, by the counter of the last model used. */
  cost(server: ServerConnection): OfferCost {
    const model = this.#model?.id;
    const { all, isWhole } = this.#definedOf(server);
    if (!isWhole) return { tokens: 0, tools: [], isCounted: false };
    const defined = all.flatMap(({ made }) => ('problem' in made ? [] : [made]));
    const tools = defined.map(({ tool, definition }) => ({ tool, tokens: this.#meter.tokens(definition, model) }));
    return {
      tokens: tools.reduce((sum, { tokens }) => sum + tokens, 0),
      tools,
      isCounted: model !== undefined && defined.every(({ definition }) => this.#meter.isCounted(definition, model)),
    };
  }

  /** Counts the tokens of tools in each request as the last model does: 0 if not offered, or not known yet. */
  counter(): (server: ServerConnection, tool: Tool) => number {
    const turn = new Turns(SHOWN_MS);
    return ({ id }, tool) => {
      if (madeSoFar([tool], turn).length === 0) return 0;
      const named = () => nameTools([{ serverId: id, serverName: id, tool }])[0]!;
      const made = this.#made.get(tool) ?? this.#define(named());
      return 'problem' in made ? 0 : this.#meter.tokens(made.definition, this.#model?.id);
    };
  }

  leftOut(): readonly { readonly server: ServerConnection; readonly tool: Tool; readonly problem: Phrase }[] {
    const turn = new Turns(SHOWN_MS);
    return usableServers(this.services.servers).flatMap(server =>
      this.#definedOf(server, turn).all.flatMap(({ tool, made }) =>
        'problem' in made ? [{ server, tool, problem: made.problem }] : [],
      ),
    );
  }

  /** The tools of a server that models are offered, without those that the person does not want here. */
  #chosen(server: ServerConnection): Tool[] {
    const { offered, choice } = this.services;
    return server.offers('tools').filter(tool => offered.includes(server, tool) && choice.isOffered(server, tool.name));
  }

  /** The tools of a server that are made by now. `isWhole`: all of them. */
  #definedOf(server: ServerConnection, turn = new Turns(SHOWN_MS)) {
    const chosen = this.#chosen(server);
    const made = madeSoFar(chosen, turn);
    const tools = made.map(tool => ({ tool, serverId: server.id, serverName: server.id }));
    const all = nameTools(tools).flatMap(named =>
      turn.isOver && !this.#made.has(named.tool) ? [] : [{ tool: named.tool, made: this.#define(named) }],
    );
    return { all, isWhole: all.length === chosen.length };
  }

  #define(named: OfferedTool): DefinedTool | { readonly problem: Phrase } {
    const { name, tool } = named;
    const known = this.#made.get(tool);
    if (known && ('problem' in known || known.name === name)) return known;
    const defined = defineTool(named);
    this.#made.set(tool, defined);
    return defined;
  }

  async #countIfItMatters(tools: readonly DefinedTool[], maxTokens: number, model: CountingModel): Promise<void> {
    const tokens = tools.reduce((sum, { definition }) => sum + this.#meter.tokens(definition, model.id), 0);
    if (tokens <= maxTokens || tokens > maxTokens * OVERESTIMATE) return;
    const counted = this.#meter.count(
      tools.slice(0, MAX_COUNTED).map(({ definition }) => definition),
      model,
    );
    await within(counted, MAX_COUNT_MS, undefined);
  }

  /** Rebuilt only when the tools change. */
  #indexOf(tools: readonly DefinedTool[]): ToolIndex {
    const last = this.#index;
    if (last && last.tools.length === tools.length && tools.every((tool, at) => last.tools[at] === tool)) return last;
    this.#index = new ToolIndex(tools);
    return this.#index;
  }
}
