import type { Tool } from '@modelcontextprotocol/client';
import { indentedJson } from '../../base/json';

import vscode = require('vscode');

import { messageOf } from '../../base/errors';
import { namedFor, refusedForModel } from '../../base/modelData';
import { english } from '../../base/phrase';
import { revealed, visible } from '../../base/text';
import { abortOn } from '../../editor/dialogs';
import { t } from '../../editor/window';
import type { AllowedRequests, ServerConnection, ServerSet } from '../../host';
import { isFor } from '../../host/catalog';
import {
  argumentsForServer,
  type ContentPart,
  canSendImages,
  DENIED,
  FAILED,
  makeSchemas,
  NOT_CALLED,
  planPrompt,
  planToolResult,
  type ScalePictures,
  scaledIn,
  schemaForModel,
  shorten,
  text,
  textOfParts,
  toContentPart,
  user,
} from '../languageModel';
import type { OfferedTools } from '../profiles';
import { askWhole, inQuestion, quotedJson } from '../review';
import type { Trust } from '../trust';

/** As `package.json` has them with `mcpHost_` in front. */
export type LanguageModelToolName = 'callTool' | 'getPrompt' | 'listTools' | 'readResource';

const MAX_DESCRIPTION = 500;

/** The input from a model, which the editor has checked against the schema in `package.json`. */
interface Input {
  readonly server?: string;
  readonly tool?: string;
  readonly prompt?: string;
  readonly uri?: string;
  readonly arguments?: Record<string, unknown>;
}

interface LanguageModelToolsOptions {
  readonly servers: ServerSet;
  readonly trust: Pick<Trust, 'askForCall' | 'calls' | 'flow' | 'pins' | 'requests'>;
  readonly offered: Pick<OfferedTools, 'includes' | 'leaveOut' | 'refusal'>;
  /** Whether the editor might skip a question that we give it. */
  readonly asksLess: () => boolean;
  readonly maxResultLength: () => number;
  readonly scale: ScalePictures;
}

/**
 * A few fixed tools with which any chat and participant reaches the servers. The editor asks before a prompt or resource; about a
 * call MCP Host asks alone, because the editor would remember one answer for all tools of all servers.
 */
export class LanguageModelTools {
  constructor(private readonly options: LanguageModelToolsOptions) {}

  /** The editor's message and question before a call. Has no effect. */
  prepare(name: LanguageModelToolName, input: Input): vscode.PreparedToolInvocation {
    if (name === 'listTools') return { invocationMessage: t('Listing the tools of the MCP servers') };
    const shown = (text = '') => visible(text, 100);
    const [server, tool, prompt] = [shown(input.server), shown(input.tool), shown(input.prompt)] as const;
    const { doing, title } = {
      callTool: {
        doing: t('Calling {0} on {1}', tool, server),
        title: undefined,
      },
      getPrompt: {
        doing: t('Getting prompt {0} from {1}', prompt, server),
        title: t('Get prompt {0} from MCP server "{1}"?', prompt, server),
      },
      readResource: {
        doing: t('Reading a resource from {0}', server),
        title: t('Read a resource from MCP server "{0}"?', server),
      },
    }[name];
    // Of a call, MCP Host asks about the tool itself: the editor would remember one answer for all tools.
    if (title === undefined || this.options.asksLess()) return { invocationMessage: doing };
    const message = quotedJson(indentedJson(name === 'readResource' ? (input.uri ?? '') : (input.arguments ?? {})));
    return { invocationMessage: doing, confirmationMessages: { title, message } };
  }

  /** Does not reject because of what a server or a person said: that goes to the model. */
  async invoke(
    name: LanguageModelToolName,
    input: Input,
    token: vscode.CancellationToken,
  ): Promise<vscode.LanguageModelToolResult> {
    let parts: readonly ContentPart[];
    try {
      parts = await this.#invoke(name, input, token);
    } catch (error) {
      parts = [text(`${FAILED} ${visible(messageOf(error, 1_000), 1_000)}`)];
    }
    const shown = parts.map(part => (part.kind === 'text' ? text(revealed(part.text)) : part));
    const [scaled] = await scaledIn([user(...shown)], this.options.scale);
    return new vscode.LanguageModelToolResult(
      (scaled?.parts ?? []).map(toContentPart) as vscode.LanguageModelTextPart[],
    );
  }

  async #invoke(
    name: LanguageModelToolName,
    input: Input,
    token: vscode.CancellationToken,
  ): Promise<readonly ContentPart[]> {
    switch (name) {
      case 'callTool':
        return this.#callTool(this.#server(input), input, token);
      case 'getPrompt':
        return this.#getPrompt(this.#server(input), input, token);
      case 'listTools':
        return this.#listTools(input);
      case 'readResource': {
        const server = this.#server(input);
        const question = t('Read a resource from MCP server "{0}"?', visible(input.server ?? '', 100));
        if (!(await this.#agreed(question, input.uri ?? '', token))) return [notAllowed()];
        const { contents } = await this.#to(server).readResource(input.uri ?? '', abortOn(token));
        const content = contents.map(resource => ({ type: 'resource' as const, resource }));
        return planToolResult({ content }, this.#contentOptions).parts;
      }
    }
  }

  async #callTool(
    server: ServerConnection,
    { tool: name = '', arguments: said = {} }: Input,
    token: vscode.CancellationToken,
  ): Promise<readonly ContentPart[]> {
    const { trust, offered } = this.options;
    const tool = namedFor(
      server.catalog.tools.filter(tool => isFor('model', tool)),
      name,
    );
    if (!tool) return [text(`${NOT_CALLED} MCP server "${server.id}" has no tool ${visible(name, 100)} now.`)];
    const refusal = offered.refusal(server, tool);
    if (refusal) return [text(`${NOT_CALLED} ${refusal}`)];
    const made = argumentsForServer(tool, said);
    if ('problem' in made) return [text(`${NOT_CALLED} ${made.problem}`)];
    const { args } = made;
    await trust.pins.offer(server);
    const answer = await trust.calls.approve({ server, tool, args, origin: 'languageModelTool' }, trust.askForCall);
    if (!answer.approved) {
      return [text(`${DENIED} ${refusedForModel(english(answer.message))}`)];
    }
    const { result, problem } = await answer.run({ signal: abortOn(token) });
    return planToolResult(result, { ...this.#contentOptions, problem }).parts;
  }

  async #getPrompt(
    server: ServerConnection,
    { prompt: name = '', arguments: args = {} }: Input,
    token: vscode.CancellationToken,
  ): Promise<readonly ContentPart[]> {
    const question = t('Get prompt {0} from MCP server "{1}"?', visible(name, 100), server.id);
    if (!(await this.#agreed(question, args, token))) return [notAllowed()];
    const texts = Object.fromEntries(Object.entries(args).map(([key, value]) => [key, String(value)]));
    const planned = planPrompt(await this.#to(server).getPrompt(name, texts, abortOn(token)), this.#contentOptions);
    return planned.messages.map(({ role, parts }) => text(`${role}: ${textOfParts(parts as ContentPart[])}`));
  }

  /** Tools with a change that the person must review first are left out. */
  async #listTools({ server: id }: Input): Promise<readonly ContentPart[]> {
    const { servers, trust, offered, maxResultLength } = this.options;
    const ready = servers.all.filter(server => server.state.kind === 'ready' && (id === undefined || server.id === id));
    await Promise.all(ready.map(server => trust.pins.offer(server)));
    await makeSchemas(ready.flatMap(server => server.catalog.tools));
    const lines = ready.flatMap(server =>
      server.catalog.tools
        .filter(tool => offered.includes(server, tool) && !trust.pins.blocks(server, tool))
        .flatMap(tool => this.#line(server, tool)),
    );
    return [
      text(lines.length === 0 ? 'No tools are available at the moment.' : shorten(lines.join('\n'), maxResultLength())),
    ];
  }

  #line(server: ServerConnection, tool: Tool): string[] {
    const made = schemaForModel(tool);
    if ('problem' in made) {
      this.options.offered.leaveOut(server, tool, made.problem);
      return [];
    }
    const description = visible(tool.description ?? '', MAX_DESCRIPTION);
    return [JSON.stringify({ server: server.id, tool: tool.name, description, inputSchema: made.schema })];
  }

  #to(server: ServerConnection): AllowedRequests {
    const { requests, askForCall: ask } = this.options.trust;
    return requests.as({ origin: 'languageModelTool', trail: undefined, ask })(server);
  }

  #server({ server: id = '' }: Input): ServerConnection {
    const { servers } = this.options;
    const server = servers.get(id) ?? servers.all.find(server => revealed(server.id) === id);
    if (server) return server;
    throw new Error(`There is no MCP server "${id}". There are: ${servers.all.map(({ id }) => id).join(', ')}.`);
  }

  /** Asks where the editor did not, and once more about what did not fit into its own question, on a page that shows all of it. */
  async #agreed(question: string, value: unknown, token: vscode.CancellationToken): Promise<boolean> {
    const json = indentedJson(value);
    if (inQuestion(json).isWhole && !this.options.asksLess()) return true;
    const allow = t('Allow Once');
    const buttons = { allow: [allow], others: [t('Deny')] };
    return (await askWhole({ title: question, question, content: { json }, ...buttons }, abortOn(token))) === allow;
  }

  get #contentOptions() {
    return { images: canSendImages(), maxChars: this.options.maxResultLength() };
  }
}

const notAllowed = () => text(`${DENIED} ${refusedForModel('The user did not allow this.', 'ask for it')}`);
