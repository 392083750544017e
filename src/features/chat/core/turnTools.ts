import { visible } from '../../../base/text';
import {
  CALL_TOOL,
  DESCRIBE_TOOL,
  type DefinedTool,
  type Definition,
  estimateTokens,
  type OfferedTool,
  RUN_SCRIPT,
  SEARCH_TOOLS,
  type ToolIndex,
} from '../../languageModel/core';
import { declarationOf, functionNames } from './toolDeclarations';

export interface OfferLimits {
  /** The most definitions in a request, ours included. */
  readonly maxTools: number;
  /** The most tokens that the definitions may have. Beyond it, most of them are only found by searching. */
  readonly maxTokens: number;
  /** The model does not call tools one by one, but writes scripts that do. */
  readonly inScripts?: boolean;
}

export interface ToolNeeds {
  readonly question: string;
  /** Names of tools that were called before in this chat, the latest first. */
  readonly used?: readonly string[];
  readonly always?: readonly string[];
}

/** The most tools that are offered only because they fit the question. */
const MAX_LIKELY = 16;
/** Shares of the tokens: those used before get at most, those that fit the question, and what is kept for those found. */
const USED_SHARE = 0.5;
const LIKELY_SHARE = 0.4;
const FOUND_SHARE = 0.2;
const MAX_FOUND = 10;
const MAX_DESCRIBED = 10;
const MAX_ARGUMENTS = 12;
const MAX_LINE = 300;
/** The longest description of a tool that the model has asked about for its scripts. */
const MAX_DESCRIPTION = 2_000;

interface TurnOffer {
  readonly limits: OfferLimits;
  readonly tokensOf: (definition: Definition) => number;
  readonly index: () => ToolIndex;
  readonly wanted: ToolNeeds;
}

/**
 * The tools of one turn. When all definitions together are within the limits, the model gets them all. Otherwise it gets
 * those that it probably needs, and three of ours to search for the others, read their definitions and call them; what it
 * finds joins the definitions of the requests that follow.
 *
 * For scripts, the model gets one tool that runs them, and declarations of functions in place of definitions; those of tools that it finds
 * it reads in what the search says.
 */
export class TurnTools {
  /** Whether most tools are only found by searching. */
  readonly isDeferred: boolean;
  /** The names of functions for scripts, by the names of their tools. Undefined unless the model writes scripts. */
  readonly functions: ReadonlyMap<string, string> | undefined;
  readonly #offered: DefinedTool[] = [];
  #tokens = 0;

  constructor(
    /** All tools that can be called, by their name for the model. */
    readonly byName: ReadonlyMap<string, DefinedTool>,
    /** Tools that can't be called until the person accepts their changes. */
    readonly blocked: ReadonlyMap<string, OfferedTool>,
    private readonly offer: TurnOffer,
  ) {
    const { limits, tokensOf, wanted } = offer;
    const all = [...byName.values()];
    this.functions = limits.inScripts ? functionNames(all) : undefined;
    const tokens = all.reduce((sum, tool) => sum + this.#tokensOf(tool), 0);
    this.isDeferred = (!limits.inScripts && all.length > limits.maxTools) || tokens > limits.maxTokens;
    this.#tokens = this.#ours.reduce((sum, definition) => sum + tokensOf(definition), 0);
    if (!this.isDeferred) {
      this.#offered = all;
      this.#tokens += tokens;
      return;
    }
    const chosen = this.#likely(wanted);
    // As listed, so that the same tools make the same request, which providers cache.
    this.#offered = all.filter(tool => chosen.has(tool));
  }

  get definitions(): readonly Definition[] {
    return [...this.#ours, ...(this.functions ? [] : this.#offered.map(({ definition }) => definition))];
  }

  /** TypeScript declarations of the functions for the model's scripts. Empty unless it writes some. */
  get declarations(): string {
    if (!this.functions || this.#offered.length === 0) return '';
    return `declare const tools: {\n${this.#offered.map(tool => this.#declaration(tool)).join('\n')}\n};`;
  }

  get declaredTokens(): number {
    return this.functions ? estimateTokens(this.declarations) : 0;
  }

  /** The tokens of `definitions` and `declarations`. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Answers a search by the model. The tools found join the offer if there is room. */
  search(query: unknown): string {
    const asked = typeof query === 'string' ? query : '';
    const found = this.offer
      .index()
      .search(asked, MAX_FOUND)
      .map(({ tool }) => this.byName.get(tool.name)!);
    if (found.length === 0) {
      const servers = [...new Set([...this.byName.values()].map(({ serverName }) => visible(serverName, 60)))];
      return `No tool fits. Try other words, in English too. There are ${this.byName.size} tools, of these servers: ${servers.slice(0, 50).join(', ')}.`;
    }
    if (this.functions) return found.map(tool => this.#declaration(tool)).join('\n');
    const joined = new Set(found.filter(tool => this.#join(tool)));
    const lines = found.map(tool => lineOf(tool));
    const rest = found.filter(tool => !joined.has(tool));
    return [
      ...lines,
      rest.length === 0
        ? 'These tools can now be called by their names.'
        : `Read the definition of what you want to use with ${DESCRIBE_TOOL}, and call it with ${CALL_TOOL}.`,
    ].join('\n');
  }

  /** Definitions by their names, as JSON, for the model. */
  describe(names: unknown): string {
    const asked = (Array.isArray(names) ? names : [names]).filter(name => typeof name === 'string');
    if (asked.length === 0) return 'Say the names of the tools, as a search has found them.';
    return asked
      .slice(0, MAX_DESCRIBED)
      .map(name => this.#describe(name))
      .join('\n');
  }

  /** Why there is no tool of a name, and which ones have one like it. */
  missing(name: string): string {
    if (this.blocked.has(name)) {
      return `${visible(name, 100)} is blocked, because it has changed since the person accepted it. They can review the change.`;
    }
    const near = this.offer
      .index()
      .search(name, 5)
      .map(({ tool }) => this.functions?.get(tool.name) ?? tool.name);
    return `there is no tool ${visible(name, 100)}.${near.length > 0 ? ` There are: ${near.join(', ')}` : ''}`;
  }

  toolOf(name: string): DefinedTool | undefined {
    const own = this.byName.get(name);
    if (own || !this.functions) return own;
    const [known] = [...this.functions].find(([, named]) => named === name) ?? [];
    return known === undefined ? undefined : this.byName.get(known);
  }

  get #ours(): readonly Definition[] {
    if (this.functions) return this.isDeferred ? [RUN_SCRIPT_TOOL, ...FINDING_TOOLS] : [RUN_SCRIPT_TOOL];
    return this.isDeferred ? META_TOOLS : [];
  }

  #declaration(tool: DefinedTool, maxDescription?: number): string {
    return declarationOf(tool, this.functions?.get(tool.name) ?? tool.name, maxDescription);
  }

  #tokensOf(tool: DefinedTool): number {
    return this.functions ? estimateTokens(this.#declaration(tool)) : this.offer.tokensOf(tool.definition);
  }

  #describe(name: string): string {
    const tool = this.toolOf(name);
    if (tool) {
      if (this.functions) return this.#declaration(tool, MAX_DESCRIPTION);
      this.#join(tool);
      return JSON.stringify(tool.definition);
    }
    return `Not described: ${this.missing(name)}`;
  }

  #likely({ question, used = [], always = [] }: ToolNeeds): ReadonlySet<DefinedTool> {
    const { maxTools, maxTokens } = this.offer.limits;
    const chosen = new Set<DefinedTool>();
    const take = (name: string, limit: number): boolean => {
      const tool = this.byName.get(name);
      if (!tool || chosen.has(tool) || (!this.functions && chosen.size >= Math.max(1, maxTools - META_TOOLS.length)))
        return false;
      const tokens = this.#tokensOf(tool);
      if (this.#tokens + tokens > limit) return false;
      chosen.add(tool);
      this.#tokens += tokens;
      return true;
    };
    for (const name of always) take(name, maxTokens);
    for (const name of used) take(name, maxTokens * USED_SHARE);
    const limit = Math.min(this.#tokens + maxTokens * LIKELY_SHARE, maxTokens * (1 - FOUND_SHARE));
    let likely = 0;
    for (const { tool } of this.offer.index().search(question, 2 * MAX_LIKELY)) {
      if (take(tool.name, limit) && ++likely === MAX_LIKELY) break;
    }
    return chosen;
  }

  /** Offers a tool from now on. False when there is no room for it. */
  #join(tool: DefinedTool): boolean {
    if (this.#offered.includes(tool)) return true;
    const tokens = this.offer.tokensOf(tool.definition);
    const count = this.#offered.length + META_TOOLS.length;
    if (this.#tokens + tokens > this.offer.limits.maxTokens || count >= this.offer.limits.maxTools) return false;
    this.#offered.push(tool);
    this.#tokens += tokens;
    return true;
  }
}

/** `name(a, b?): description`, on one line. */
function lineOf({ name, definition: { description, inputSchema } }: DefinedTool): string {
  const { properties, required } = inputSchema;
  const needed = new Set(Array.isArray(required) ? required : []);
  const names = Object.keys(Object(properties) as object);
  const shown = names.slice(0, MAX_ARGUMENTS).map(key => (needed.has(key) ? key : `${key}?`));
  const more = names.length > shown.length ? ', …' : '';
  return `${name}(${shown.join(', ')}${more}): ${visible(description, MAX_LINE)}`;
}

const FINDING_TOOLS: readonly Definition[] = [
  {
    name: SEARCH_TOOLS,
    description:
      'Finds tools of the MCP servers by words: of what they do, of their names or their servers. Only some of the tools are offered to you; search before you say that something cannot be done.',
    inputSchema: {
      type: 'object',
      properties: { query: { type: 'string', description: 'A few words, such as: create issue github' } },
      required: ['query'],
    },
  },
  {
    name: DESCRIBE_TOOL,
    description: 'Gets the full tool definitions by name: what they do and which arguments they take.',
    inputSchema: {
      type: 'object',
      properties: { names: { type: 'array', items: { type: 'string' } } },
      required: ['names'],
    },
  },
];

/** The tools through which a model reaches those that it was not given. */
export const META_TOOLS: readonly Definition[] = [
  ...FINDING_TOOLS,
  {
    name: CALL_TOOL,
    description: `Calls a tool that is not offered to you, by a name that ${SEARCH_TOOLS} found.`,
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        arguments: { type: 'object', description: 'As the definition of the tool has them' },
      },
      required: ['name', 'arguments'],
    },
  },
];

/** The one tool through which a model that writes scripts calls all others. */
const RUN_SCRIPT_TOOL: Definition = {
  name: RUN_SCRIPT,
  description: `Runs a short script in JavaScript (no types, no import) that calls tools: the body of an async function, with "tools" as declared to you. A call resolves to the tool's structured content, or to its text, parsed where that is JSON; it throws when it fails or is denied. You get only what the script prints with console.log, and what it returns. Do in one script what belongs together: loop, filter and combine there, call what is independent with Promise.all, and print no more than you need. If you do not know what a tool returns, print the beginning of it first. There are no timers, no network and no files but through tools.`,
  inputSchema: {
    type: 'object',
    properties: { script: { type: 'string' } },
    required: ['script'],
  },
};
