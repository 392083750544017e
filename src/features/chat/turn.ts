import { verbatim } from '../../editor/window';
import type { ServerConnection } from '../../host';
import type { AppContext } from '../apps';
import { type ModelMessage, scaledIn, text, user } from '../languageModel';
import type { OfferedSkill } from '../skills';
import { failure, say } from './answerLines';
import { systemText, type Whereabouts } from './core/systemText';
import type { TurnTools } from './core/turnTools';
import { hasLostAnswer, historyLinks, historyReads, historySkills, historyTurns, usedTools } from './history';
import type { Preview } from './subcommands';
import type { OfferWanted } from './toolOffer';
import { counting, TurnRounds, type TurnServices } from './turnRounds';

import vscode = require('vscode');

interface TurnRequest {
  /** The current question, or the messages of a prompt. */
  asked: readonly ModelMessage[];
  /** The question in words, for choosing the tools that fit it. */
  question: string;
  model: vscode.LanguageModelChat;
  history: vscode.ChatContext['history'];
  chat: string;
  promptServer?: ServerConnection;
  attached?: readonly string[];
}

/** One turn of `@mcp`: the model gets the tools and works in rounds until it is done, gives up or is stopped. */
export class Turn {
  constructor(private readonly services: TurnServices) {}

  async run(
    { asked, question, model, history, chat, promptServer, attached = [] }: TurnRequest,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<vscode.ChatResult> {
    const { servers, offer, skillReader, apps, flow, scale } = this.services;
    await offer.refresh();
    const tools = await offer.forTurn(this.#wanted(question, model, history));
    const skills = await skillReader.offer();
    const contexts = apps.takeContext();
    for (const { server } of contexts)
      say(stream, verbatim('Also sent: what the open app of MCP server "{0}" tells the model.', server));
    const used = new Set(promptServer ? [promptServer.id] : []);
    const trail = flow().trailOfChat(chat, historySkills(history), historyReads(history), hasLostAnswer(history));
    for (const id of [...attached, ...contexts.map(({ server }) => server), ...used]) {
      const server = servers.get(id);
      if (server) flow().read(server, trail);
    }
    const rounds = new TurnRounds(this.services, {
      model,
      chat,
      stream,
      token,
      tools,
      skills,
      trail,
      used,
      linking: new Set(historyLinks(history)),
      system: [user(text(this.#systemText(tools, skills)))],
      turns: historyTurns(history),
      request: [...contexts.map(context => user(text(appText(context)))), ...(await scaledIn(asked, scale))],
    });
    const end = (why?: string) => ({ metadata: rounds.end(why, promptServer && asked) });
    try {
      return end(await rounds.work());
    } catch (error) {
      // Of an answer that the model did not finish, too, the next one knows what was done and read.
      return { ...end(), ...failure(error) };
    }
  }

  async preview({ question, model, history }: Pick<TurnRequest, 'question' | 'model' | 'history'>): Promise<Preview> {
    await this.services.offer.refresh();
    const tools = await this.services.offer.forTurn(this.#wanted(question, model, history));
    void this.services.offer.count(tools, counting(model));
    const told = [
      this.#systemText(tools, await this.services.skillReader.offer()),
      ...this.services.apps.context().map(appText),
    ];
    return { system: told.join('\n\n'), tools, earlier: historyTurns(history).length };
  }

  #wanted(question: string, model: vscode.LanguageModelChat, history: vscode.ChatContext['history']): OfferWanted {
    const { maxTools, toolTokens, codeMode, alwaysOffer } = this.services.options();
    const limits = { maxTools, maxTokens: toolTokens, inScripts: codeMode };
    return { question, limits, model: counting(model), used: usedTools(history), always: alwaysOffer };
  }

  #systemText({ byName, isDeferred, declarations }: TurnTools, skills: readonly OfferedSkill[]): string {
    const offered = [...byName.values()];
    const told = this.services.offer.serversInText.map(server => ({
      name: server.id,
      isReady: server.isUsable,
      tools: offered.filter(({ serverId }) => serverId === server.id).map(({ tool }) => tool.name),
      instructions: server.state.kind === 'ready' ? this.services.pins.instructions(server) : undefined,
    }));
    const named = skills.map(({ server, skill: { uri, name, description } }) => ({
      server: server.id,
      uri,
      name,
      description,
    }));
    return systemText(told, whereabouts(), isDeferred, { skills: named, declarations });
  }
}

const appText = ({ server, text: said }: AppContext) => `The open app of MCP server "${server}" says: ${said}`;

const PLATFORMS: Readonly<Record<string, string>> = { darwin: 'macOS', linux: 'Linux', win32: 'Windows' };

/** Context for the model besides the question: date, platform, folders, active file. */
function whereabouts(): Whereabouts {
  const file = activeFile();
  return {
    date: dateOf(new Date()),
    platform: vscode.env.uiKind === vscode.UIKind.Web ? 'the web' : (PLATFORMS[process.platform] ?? process.platform),
    folders: (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => placeOf(uri)),
    ...(file && { file }),
  };
}

function activeFile(): Whereabouts['file'] {
  const editor = vscode.window.activeTextEditor;
  // Documents of ours, logs and the like are no files that tools could read.
  if (!editor || !isFile(editor.document.uri)) return undefined;
  const { document, selection } = editor;
  return {
    path: vscode.workspace.asRelativePath(document.uri, true),
    language: document.languageId,
    ...(!selection.isEmpty && { lines: [selection.start.line + 1, selection.end.line + 1] as const }),
  };
}

const isFile = ({ scheme }: vscode.Uri): boolean =>
  ['file', 'untitled', 'vscode-remote', 'vscode-vfs'].includes(scheme);

const placeOf = (uri: vscode.Uri): string => (uri.scheme === 'file' ? uri.fsPath : uri.toString());

/** In the person's own time zone. */
function dateOf(date: Date): string {
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(part => String(part).padStart(2, '0')).join('-');
}
