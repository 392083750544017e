import type { Prompt } from '@modelcontextprotocol/client';
import * as vscode from 'vscode';
import type { ServerConnection } from '../../host';
import { visible } from '../../host/text';
import { plainMarkdown } from '../markdown';
import type { ServerSet } from '../servers/serverSet';
import { say, toolTitle } from './approval';

const { t } = vscode.l10n;
/** Rows of one list in an answer; the palette has them all. */
const MAX_ROWS = 30;

interface Row {
  title: string;
  text: string;
  command: string;
  argument: unknown;
}

/** `/prompts`, `/tools`, `/resources`, `/servers` and `/help`: answered without a model, in rows that can be clicked. */
export class Subcommands {
  constructor(
    private readonly servers: ServerSet,
    private readonly slashName: (server: ServerConnection, prompt: Prompt) => string,
  ) {}

  answer(command: string, stream: vscode.ChatResponseStream): void {
    switch (command) {
      case 'prompts':
        this.#lists(stream, 'prompts', server => this.#prompts(server), 'mcpHost.runPrompt', t('Run a prompt…'));
        break;
      case 'tools':
        this.#lists(stream, 'tools', server => tools(server), 'mcpHost.runTool', t('Run a tool…'));
        stream.button({ command: 'mcpHost.chooseTools', title: t('Choose tools for chat…') });
        break;
      case 'resources':
        this.#lists(stream, 'resources', server => resources(server), 'mcpHost.readResource', t('Find a resource…'));
        break;
      case 'servers':
        this.#serverRows(stream);
        break;
      default:
        help(stream);
    }
  }

  #lists(
    stream: vscode.ChatResponseStream,
    kind: 'prompts' | 'tools' | 'resources',
    rowsOf: (server: ServerConnection) => Row[],
    findCommand: string,
    findTitle: string,
  ): void {
    const servers = this.servers.all.filter(({ catalog }) => catalog[kind].length > 0);
    if (servers.length === 0) {
      const what = { prompts: t('prompts'), tools: t('tools'), resources: t('resources') }[kind];
      say(stream, t('No MCP server that is running offers {0}.', what));
      stream.button({ command: 'mcpHost.servers.focus', title: t('Show servers') });
      return;
    }
    for (const server of servers) {
      heading(stream, server.id);
      const rows = rowsOf(server);
      for (const row of rows.slice(0, MAX_ROWS)) showRow(stream, row);
      if (rows.length > MAX_ROWS) {
        say(stream, t('… and {0} more.', rows.length - MAX_ROWS));
        stream.button({ command: findCommand, title: findTitle });
      }
    }
  }

  #prompts(server: ServerConnection): Row[] {
    return server.catalog.prompts.map(prompt => ({
      title: this.slashName(server, prompt),
      text: [prompt.title === prompt.name ? undefined : prompt.title, prompt.description].filter(Boolean).join(': '),
      command: 'workbench.action.chat.open',
      argument: { query: `@mcp ${this.slashName(server, prompt)} `, isPartialQuery: true },
    }));
  }

  #serverRows(stream: vscode.ChatResponseStream): void {
    if (this.servers.all.length === 0) {
      say(stream, t('No MCP server is configured.'));
      stream.button({ command: 'mcpHost.addDemoServer', title: t('Add the demo server') });
      stream.button({ command: 'mcpHost.openSettings', title: t('Open settings') });
      return;
    }
    for (const server of this.servers.all) {
      const { state, catalog } = server;
      const counts = t(
        '{0} tools, {1} prompts, {2} resources',
        catalog.tools.length,
        catalog.prompts.length,
        catalog.resources.length,
      );
      heading(stream, `${server.id}: ${state.kind}`);
      say(stream, state.kind === 'failed' ? state.error.message : state.kind === 'ready' ? counts : '');
      const command = state.kind === 'failed' || state.kind === 'stopped' ? 'startServer' : 'restartServer';
      stream.button({
        command: `mcpHost.${command}`,
        title: command === 'startServer' ? t('Start') : t('Restart'),
        arguments: [{ server }],
      });
      stream.button({ command: 'mcpHost.showServerLog', title: t('Show log'), arguments: [{ server }] });
    }
  }
}

function tools(server: ServerConnection): Row[] {
  return server.catalog.tools.map(item => ({
    title: toolTitle(item),
    text: item.description ?? '',
    command: 'mcpHost.runTool',
    argument: { server, item },
  }));
}

function resources(server: ServerConnection): Row[] {
  return server.catalog.resources.map(resource => ({
    title: visible(resource.title ?? resource.name, 80),
    text: resource.description ?? resource.uri,
    command: 'mcpHost.openResource',
    argument: { server, resource },
  }));
}

function showRow(stream: vscode.ChatResponseStream, { title, text, command, argument }: Row): void {
  stream.button({ command, title: visible(title, 80), arguments: [argument] });
  if (text) say(stream, visible(text, 300));
}

function heading(stream: vscode.ChatResponseStream, text: string): void {
  stream.markdown(new vscode.MarkdownString(`\n\n### ${plainMarkdown(visible(text, 120))}\n\n`));
}

function help(stream: vscode.ChatResponseStream): void {
  stream.markdown(
    [
      t('**@mcp** brings your MCP servers to any language model.'),
      `- ${t('`@mcp` *question*: the model may use the tools of the servers that are ready. You approve each call.')}`,
      `- ${t('`@mcp /prompt key=value`, or `/server.prompt`: runs a prompt. What is missing is asked.')}`,
      `- ${t('`/prompts`, `/tools`, `/resources`, `/servers`: what there is.')}`,
      '',
      t('All of it works from the command palette too: look for "MCP Host".'),
    ].join('\n'),
  );
  stream.button({ command: 'mcpHost.chooseTools', title: t('Choose tools for chat…') });
}
