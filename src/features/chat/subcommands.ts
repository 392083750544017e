import type { Prompt, Tool } from '@modelcontextprotocol/client';
import { numberText } from '../../base/numberText';
import { beginningOf, linkLabel, plainMarkdown, visible, withoutIcons } from '../../base/text';
import { errorText, localized } from '../../editor/errorText';
import { type CommandLink, linkList, linkParagraph } from '../../editor/markdown';
import { openChat } from '../../editor/openChat';
import { toolTitle } from '../../editor/serverRows';
import { t, verbatim } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';
import { isFor } from '../../host/catalog';
import type { OfferedTools } from '../profiles';
import { resourceUri } from '../resources';
import { type ChatLink, say } from './answerLines';
import type { TurnTools } from './core/turnTools';
import type { ToolOffer } from './toolOffer';

import vscode = require('vscode');

/**
 * The most rows for one server in an answer, and the most buttons below it. Where there are more prompts or tools, none has a
 * button: the first few would be an arbitrary choice.
 */
const MAX_ROWS = 30;
const MAX_BUTTONS = 6;
/** In characters, of a text after a name. */
const MAX_TEXT = 200;

export interface SubcommandServices {
  readonly servers: ServerSet;
  readonly slashName: (server: ServerConnection, prompt: Prompt) => string;
  readonly offer: Pick<ToolOffer, 'cost' | 'leftOut'>;
  readonly offered: Pick<OfferedTools, 'includes' | 'profile'>;
  readonly toolTokens: () => number;
  readonly links: (choices: readonly ChatLink[]) => readonly CommandLink[];
}

/** `/prompts`, `/tools` and so on, without a model. Buttons are last: the editor folds away what stands before text. */
export class Subcommands {
  constructor(private readonly services: SubcommandServices) {}

  /** @param typed the text after the subcommand. */
  answer(command: string, stream: vscode.ChatResponseStream, typed = ''): void {
    const buttons = this.#answer(command, stream, typed);
    const [first] = buttons;
    if (first && buttons.length === 1) {
      stream.button({ ...first, title: withoutIcons(visible(first.title, 80)) });
      return;
    }
    const links = buttons.map(
      ({ command: name, title, arguments: args = [] }): ChatLink => ({
        title: visible(title, 80),
        run: () => vscode.commands.executeCommand(name, ...args),
      }),
    );
    if (links.length > 0) stream.markdown(linkParagraph(this.services.links(links)));
  }

  #answer(command: string, stream: vscode.ChatResponseStream, typed: string): vscode.Command[] {
    if (command === 'prompts') return this.#prompts(stream);
    if (command === 'tools') return this.#tools(stream, typed);
    if (command === 'resources') return this.#resources(stream);
    return command === 'servers' ? this.#serverRows(stream) : help(stream);
  }

  #prompts(stream: vscode.ChatResponseStream): vscode.Command[] {
    const servers = this.#offering('prompts');
    if (servers.length === 0) return nothing(stream, t('prompts'));
    for (const server of servers) {
      stream.markdown(heading(server.id));
      const { prompts } = server.catalog;
      this.choosePrompt(
        prompts.slice(0, MAX_ROWS).map(prompt => ({ server, prompt })),
        stream,
      );
      more(stream, prompts.length);
    }
    return [{ command: 'mcpHost.runPrompt', title: t('Run Prompt…') }];
  }

  /** Lists prompts, each with a link that asks for its arguments and runs it. */
  choosePrompt(
    prompts: readonly { readonly server: ServerConnection; readonly prompt: Prompt }[],
    stream: vscode.ChatResponseStream,
  ): void {
    const choices = prompts.map(({ server, prompt }): ChatLink => {
      const name = this.services.slashName(server, prompt);
      const run = () => openChat({ query: `@mcp ${name} ` });
      return { title: visible(name, 120), tooltip: t('Run {0}', visible(name, 120)), run };
    });
    const rows = this.services.links(choices).map((link, index) => {
      const { title, name, description } = prompts[index]!.prompt;
      const about = [title === name ? undefined : title, description].filter(Boolean).join(': ');
      return { link, text: visible(about, MAX_TEXT) };
    });
    stream.markdown(linkList(rows));
  }

  /** @param wanted the name of a server: its tools alone. */
  #tools(stream: vscode.ChatResponseStream, wanted: string): vscode.Command[] {
    const lists = this.#offering('tools')
      .map(server => ({ server, tools: server.catalog.tools.filter(tool => isFor('model', tool)) }))
      .filter(({ tools }) => tools.length > 0);
    if (lists.length === 0) return nothing(stream, t('tools'));
    const all = lists.flatMap(({ server, tools }) => tools.map(item => ({ server, item })));
    this.#sayTotals(all, stream);
    const only = lists.filter(({ server }) => server.id === wanted.trim());
    const isFolded = only.length === 0 && lists.length > 1 && all.length > MAX_ROWS;
    if (isFolded) this.#foldTools(lists, stream);
    else
      for (const { server, tools } of only.length > 0 ? only : lists) {
        const rows = tools.map(tool => ({ name: toolTitle(tool), text: tool.description ?? '' }));
        list(stream, server.id, rows);
      }
    const leftOut = this.services.offer.leftOut().map(({ server, tool, problem }) => ({
      name: toolTitle(tool),
      text: `${server.id}: ${localized(problem)}`,
    }));
    if (leftOut.length > 0) list(stream, t('Tools that cannot be offered to models'), leftOut);
    const run = (all.length > MAX_BUTTONS ? [] : all).map(row => ({
      command: 'mcpHost.runTool',
      title: toolTitle(row.item),
      arguments: [row],
    }));
    return [
      ...run,
      { command: 'mcpHost.runTool', title: t('Run Tool…') },
      { command: 'mcpHost.chooseTools', title: t('Choose tools for @mcp…') },
    ];
  }

  #sayTotals(all: readonly { server: ServerConnection; item: Tool }[], stream: vscode.ChatResponseStream): void {
    const { offered, offer, toolTokens } = this.services;
    const servers = [...new Set(all.map(({ server }) => server))];
    if (offered.profile !== undefined) {
      const has = all.filter(({ server, item }) => offered.includes(server, item)).length;
      say(stream, verbatim('The profile "{0}" offers {1} of these {2} tools.', offered.profile, has, all.length));
    }
    say(stream, costLine(servers, offer, toolTokens()));
  }

  /** One row for each server, with a link that lists its tools. */
  #foldTools(
    lists: readonly { server: ServerConnection; tools: readonly Tool[] }[],
    stream: vscode.ChatResponseStream,
  ): void {
    const choices = lists.map(({ server: { id } }): ChatLink => {
      const run = () => openChat({ query: `@mcp /tools ${id}` });
      return { title: visible(id, 120), tooltip: t('List the tools of {0}', visible(id, 120)), run };
    });
    const rows = this.services.links(choices).map((link, index) => {
      const { length } = lists[index]!.tools;
      return { link, text: length === 1 ? t('1 tool') : t('{0} tools', length) };
    });
    stream.markdown(linkList(rows));
  }

  #resources(stream: vscode.ChatResponseStream): vscode.Command[] {
    const servers = this.#offering('resources');
    if (servers.length === 0) return nothing(stream, t('resources'));
    for (const server of servers) {
      const { resources } = server.catalog;
      stream.markdown(heading(server.id));
      for (const resource of resources.slice(0, MAX_ROWS)) {
        stream.markdown('- ');
        stream.anchor(resourceUri(server.id, resource), linkLabel(visible(resource.title ?? resource.name, 80)));
        stream.markdown(new vscode.MarkdownString(`${afterName(resource.description ?? '')}\n`));
      }
      more(stream, resources.length);
    }
    return [{ command: 'mcpHost.findResource', title: t('Find a resource…') }];
  }

  #serverRows(stream: vscode.ChatResponseStream): vscode.Command[] {
    if (this.services.servers.all.length === 0) {
      say(stream, t('No MCP servers are configured.'));
      return [
        { command: 'mcpHost.addDemoServer', title: t('Add the demo server') },
        { command: 'mcpHost.openSettings', title: t('Open settings') },
      ];
    }
    const rows = this.services.servers.all.map(({ id, state, catalog: { tools, prompts, resources } }) => ({
      name: `${id}: ${state.kind}`,
      text:
        state.kind === 'failed'
          ? errorText(state.error)
          : t('{0} tools, {1} prompts, {2} resources', tools.length, prompts.length, resources.length),
    }));
    list(stream, t('MCP servers'), rows);
    const down = this.services.servers.all.filter(({ state }) => state.kind === 'failed' || state.kind === 'stopped');
    const start = down.slice(0, MAX_BUTTONS).map(server => ({
      command: 'mcpHost.startServer',
      title: verbatim('Start {0}', server.id),
      arguments: [{ server }],
    }));
    return [
      ...start,
      { command: 'mcpHost.servers.focus', title: t('Show servers') },
      { command: 'mcpHost.showServerLog', title: t('Show a log…') },
    ];
  }

  #offering(kind: 'prompts' | 'tools' | 'resources'): readonly ServerConnection[] {
    return this.services.servers.all.filter(({ catalog }) => catalog[kind].length > 0);
  }
}

function list(stream: vscode.ChatResponseStream, title: string, rows: readonly { name: string; text: string }[]): void {
  const lines = rows
    .slice(0, MAX_ROWS)
    .map(({ name, text }) => `- **${plainMarkdown(visible(name, 120))}**${afterName(text)}\n`);
  stream.markdown(new vscode.MarkdownString(heading(title).value + lines.join('')));
  more(stream, rows.length);
}

function more(stream: vscode.ChatResponseStream, count: number): void {
  if (count > MAX_ROWS)
    stream.markdown(new vscode.MarkdownString(`\n${plainMarkdown(t('… and {0} more.', count - MAX_ROWS))}\n`));
}

const afterName = (text: string): string => (text ? ` ${plainMarkdown(visible(text, MAX_TEXT))}` : '');

function heading(text: string): vscode.MarkdownString {
  return new vscode.MarkdownString(`\n\n### ${plainMarkdown(visible(text, 120))}\n\n`);
}

function nothing(stream: vscode.ChatResponseStream, what: string): vscode.Command[] {
  say(stream, verbatim('No running MCP server offers {0}.', what));
  return [{ command: 'mcpHost.servers.focus', title: t('Show servers') }];
}

function help(stream: vscode.ChatResponseStream): vscode.Command[] {
  stream.markdown(
    [
      t('**@mcp** brings your MCP servers to any language model.'),
      `- ${t('`@mcp` *question*: the model may use the tools of the servers that are ready. You approve each call.')}`,
      `- ${t('`@mcp /prompt key=value`, or `/server.prompt`: run a prompt. You are asked for missing arguments.')}`,
      `- ${t('`/prompts`, `/tools`, `/resources`, `/servers`: list what is available.')}`,
      `- ${t('`/context` *question*: shows what the model would get with it.')}`,
      `- ${t('`/profile` *name*: offers only the tools of a profile from your settings.')}`,
      '',
      t('Everything is also available from the Command Palette: search for "MCP Host".'),
    ].join('\n'),
  );
  return [{ command: 'mcpHost.chooseTools', title: t('Choose tools for @mcp…') }];
}

/** Characters of definitions that an answer shows. */
const MAX_SHOWN = 100_000;
const MAX_NAMED = 8;

export interface Preview {
  readonly system: string;
  readonly tools: TurnTools;
  /** How many earlier questions go along, with their answers. */
  readonly earlier: number;
}

/** Shows, word for word, what a model gets with a question besides the question itself. */
export function showContext({ system, tools, earlier }: Preview, stream: vscode.ChatResponseStream): void {
  const { definitions, tokens, isDeferred, byName } = tools;
  stream.markdown(heading(t('Instructions for the model')));
  stream.markdown(quoted(system));
  stream.markdown(heading(t('Tools')));
  const count = verbatim('{0} tool definitions, about {1} tokens.', definitions.length, numberText(tokens));
  say(
    stream,
    isDeferred ? `${count} ${t('There are {0} tools; the model searches for the others.', byName.size)}` : count,
  );
  const shown = definitions.map(definition => JSON.stringify(definition)).join('\n');
  stream.markdown(quoted(beginningOf(shown, MAX_SHOWN)));
  stream.markdown(heading(t('Conversation')));
  say(stream, t('Earlier questions with their answers: {0}. Your question and its attachments follow them.', earlier));
}

function costLine(servers: readonly ServerConnection[], offer: Pick<ToolOffer, 'cost'>, budget: number): string {
  const costs = servers
    .map(server => ({ server, ...offer.cost(server) }))
    .filter(({ tools }) => tools.length > 0)
    .sort((one, other) => other.tokens - one.tokens);
  const tokens = costs.reduce((sum, cost) => sum + cost.tokens, 0);
  const each = costs.slice(0, MAX_NAMED).map(cost => `${cost.server.id} ${numberText(cost.tokens)}`);
  const named = each.join(', ');
  const line = verbatim(
    'The definitions of these tools are about {0} tokens: {1}.',
    numberText(tokens),
    costs.length > each.length ? verbatim('{0} and others', named) : named,
  );
  if (tokens <= budget) return line;
  return `${line} ${verbatim('At most {0} are sent ("mcpHost.chat.limits"): the model gets those that fit the question, and searches for the others.', numberText(budget))}`;
}

/** In a block whose fence is longer than any in the text. */
function quoted(text: string): vscode.MarkdownString {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return new vscode.MarkdownString(`${fence}text\n${text}\n${fence}\n`);
}
