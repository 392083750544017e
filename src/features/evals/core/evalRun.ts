import type { Tool } from '@modelcontextprotocol/client';
import { visible } from '../../../base/text';
import type { EvalQuestion, InterfaceSnapshot } from '../../authors/core';
import { argumentsInItsTerms, type DefinedTool, defineTool, nameTools } from '../../languageModel/core';

/** So many requests are under way at once: providers limit how often they are asked. */
const AT_ONCE = 2;
/** The tokens that providers count for the frame of a request. */
const FRAME_TOKENS = 5;

export const VERSIONS = ['before', 'now'] as const;
export type VersionName = (typeof VERSIONS)[number];
export type Versions = Readonly<Record<VersionName, ToolVersion>>;

/** One question with the tools of one version. */
export interface EvalRequest {
  readonly question: EvalQuestion;
  readonly version: VersionName;
}

/** The requests to send. */
export interface EvalPlan {
  readonly requests: readonly EvalRequest[];
  /** Tokens of all requests together. */
  readonly tokens: number;
  /** Tokens of the longest request. */
  readonly longest: number;
  /** Tokens of the tool definitions, which are in each request. */
  readonly definitions: Readonly<Record<VersionName, number>>;
}

/** @param count counts the tokens of a text as the model does; it never rejects. */
export async function planRequests(
  questions: readonly EvalQuestion[],
  versions: Versions,
  count: (text: string) => Promise<number>,
): Promise<EvalPlan> {
  const counted = async ({ definitions }: ToolVersion) =>
    definitions.length === 0 ? 0 : count(JSON.stringify(definitions));
  const definitions = { before: await counted(versions.before), now: await counted(versions.now) };
  const requests: EvalRequest[] = [];
  let [tokens, longest] = [0, 0];
  for (const question of questions) {
    const asked = (await count(question.question)) + FRAME_TOKENS;
    for (const version of VERSIONS) {
      const size = asked + definitions[version];
      requests.push({ question, version });
      tokens += size;
      longest = Math.max(longest, size);
    }
  }
  return { requests, tokens, longest, definitions };
}

/** The outcome of a request. */
export type EvalAnswer = Choice | { readonly failed: unknown };
export type EvalAnswers = ReadonlyMap<EvalRequest, EvalAnswer>;

/**
 * Makes the requests, two at a time. Never rejects: a request that fails is answered with its error, and those that were not made,
 * because of `signal` or because `isFinal` says of an error that all others will fail too, have no answer.
 */
export async function makeRequests(
  requests: readonly EvalRequest[],
  ask: (request: EvalRequest) => Promise<Choice>,
  { signal, isFinal, done }: { signal: AbortSignal; isFinal(error: unknown): boolean; done(): void },
): Promise<EvalAnswers> {
  const answers = new Map<EvalRequest, EvalAnswer>();
  const left = [...requests];
  const work = async () => {
    for (let next = left.shift(); next && !signal.aborted; next = left.shift()) {
      try {
        answers.set(next, await ask(next));
      } catch (error) {
        if (signal.aborted) return;
        answers.set(next, { failed: error });
        if (isFinal(error)) left.length = 0;
      }
      done();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return answers;
}

/** A model's choice for a question. */
export interface Choice {
  /** The server's name of the tool that it wanted to call; one that it invented as it wrote it. Undefined: it called none. */
  readonly tool?: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
}

/** The tools of a server in one version, as `@mcp` would give them to a model. */
export class ToolVersion {
  /** By the names that the model knows. */
  readonly #tools: ReadonlyMap<string, DefinedTool>;
  /** Names of tools that no provider would accept. */
  readonly leftOut: readonly string[];

  /** @param isOffered leaves out tools that are not for models. */
  constructor(server: string, { tools }: Pick<InterfaceSnapshot, 'tools'>, isOffered: (name: string) => boolean) {
    const listed = Object.entries(tools)
      .filter(([name]) => isOffered(name))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, item]) => ({ serverId: server, serverName: server, tool: toolOf(name, item) }));
    const made = nameTools(listed).map(named => ({ named, defined: defineTool(named) }));
    this.#tools = new Map(
      made.flatMap(({ named: { name }, defined }) => ('problem' in defined ? [] : [[name, defined]])),
    );
    this.leftOut = made.flatMap(({ named, defined }) => ('problem' in defined ? [named.tool.name] : []));
  }

  get definitions(): readonly DefinedTool['definition'][] {
    return [...this.#tools.values()].map(({ definition }) => definition);
  }

  /** The server's names. */
  get names(): readonly string[] {
    return [...this.#tools.values()].map(({ tool }) => tool.name);
  }

  /** The server's view of a model's call. */
  choice(name: string, input: object): Choice {
    const called = this.#tools.get(name);
    if (!called) return { tool: visible(name, 100), arguments: { ...input } };
    const { tool } = called;
    return { tool: tool.name, arguments: argumentsInItsTerms(tool, { ...input }) };
  }
}

/** Anybody may have written a snapshot file: it may contain anything in place of texts. */
function toolOf(name: string, { title, description, inputSchema }: InterfaceSnapshot['tools'][string]): Tool {
  return {
    name,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    inputSchema: inputSchema as Tool['inputSchema'],
  };
}
