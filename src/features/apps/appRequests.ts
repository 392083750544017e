import type { CallToolResult, ContentBlock, EmbeddedResource, ResourceLink, Tool } from '@modelcontextprotocol/client';

import vscode = require('vscode');

import { english } from '../../base/phrase';
import { Queue } from '../../base/queue';
import { visible, visibleLines } from '../../base/text';
import { t, window } from '../../editor/window';
import type { AllowedRequests, ServerConnection } from '../../host';
import { isFor } from '../../host/catalog';
import type { LogPort, SamplingPort } from '../../host/definition';
import { resourceFileName } from '../resources';
import type { AskPerson, PersonsAnswer, Trust } from '../trust';
import type { AppRequests } from './core/appSession';

/** Questions of one app that may wait for the person. */
const MAX_WAITING = 10;
/** After so many that the person did not want, an app is asked about no more, until it is opened again. */
const MAX_DECLINED = 3;
const MAX_DRAFT = 10_000;
const MAX_CONTEXT = 20_000;
const MAX_LOG = 4_000;
const MAX_FILES = 5;

export interface AppRequestServices {
  readonly trust: Pick<Trust, 'askForCall' | 'calls' | 'flow' | 'requests'>;
  readonly log: Pick<LogPort, 'log'>;
  /** Opens a page in the browser after the person has seen where it leads. False: it was not opened. */
  openLink(server: ServerConnection, url: string, app: string): Promise<boolean>;
  /** Absent for a server that may not ask for it. */
  sampling(server: ServerConnection): SamplingPort['createMessage'] | undefined;
}

/** An app that is open in a window, as its requests see it. */
interface OpenApp {
  readonly server: ServerConnection;
  readonly tool: Tool;
  /** For the person. */
  readonly title: string;
  /** Sets the context that models get with the next question. Empty: none. */
  tellModels(text: string): void;
  setHeight(height: number): void;
  /** Whether the person has just clicked or typed in it. Each time counts once. */
  takeGesture(): boolean;
  close(): void;
}

/** The person's answers about one app. */
export class PersonsAnswers {
  /** Tools that may be called as long as the app is open, and those that the person denied it. */
  readonly allowed: Set<string>;
  readonly denied = new Set<string>();
  /** How many things in a row the person did not want. */
  declined = 0;

  /** @param allowed tools that the person allowed together with the app. */
  constructor(allowed: readonly string[] = []) {
    this.allowed = new Set(allowed);
  }
}

/**
 * Carries out an app's requests, each under the rules for every other caller: calls through `ToolCalls`, links and sampling
 * through their reviews. One question at a time, so that no app can bury the window in dialogs.
 */
export function appRequests(app: OpenApp, answers: PersonsAnswers, services: AppRequestServices): AppRequests {
  const { server, title } = app;
  const { trust, log } = services;
  const questions = new Queue({ maxWaiting: MAX_WAITING, refused: () => new Error('Too many questions are waiting.') });
  const { allowed, denied } = answers;
  /** An app knows what its own server gave it, from the result that it shows on. */
  const trail = trust.flow().trail();
  trust.flow().read(server, trail);

  const ask: AskPerson = (call, pin) =>
    questions.run(async () => {
      const { name } = call.tool;
      if (allowed.has(name) && pin !== 'changed' && !call.because) return { answer: 'allow' };
      const said: PersonsAnswer | undefined = denied.has(name)
        ? { answer: 'deny' }
        : await trust.askForCall({ ...call, app: title }, pin);
      if (said?.answer === 'allow' && said.whileOpen && !call.because) allowed.add(name);
      if (said?.answer !== 'allow') denied.add(name);
      return said;
    });

  const requests = trust.requests.as({ origin: 'app', app: title, trail, ask })(server);

  /** Does something that the person can decline. */
  const offer = (act: () => Promise<boolean>): Promise<boolean> =>
    questions.run(async () => {
      if (answers.declined >= MAX_DECLINED) return false;
      const isDone = await act();
      answers.declined = isDone ? 0 : answers.declined + 1;
      return isDone;
    });

  const createMessage = services.sampling(server);
  return {
    async callTool(name, args, signal): Promise<CallToolResult> {
      // Only those of its own server: an app does not even learn of others.
      const tool = server.offers('tools').find(tool => tool.name === name);
      if (!tool) throw new Error(`Unknown tool: ${visible(name)}`);
      if (!isFor('app', tool)) throw new Error(`The tool ${visible(name)} is not for apps.`);
      const answer = await trust.calls.approve({ server, tool, args, origin: 'app', app: title, trail }, ask);
      if (!answer.approved) throw new Error(english(answer.message));
      const { result } = await answer.run({ signal });
      return result;
    },
    async readResource(uri, signal) {
      return requests.readResource(uri, signal);
    },
    listResources: () => server.offers('resources'),
    openLink: url => offer(() => services.openLink(server, url, title)),
    // No question is shown, so each draft needs a fresh click or key in the app.
    message: async content => app.takeGesture() && questions.run(() => draft(content)),
    updateContext: ({ content = [], structuredContent }) => {
      const parts = [textOf(content), structuredContent && JSON.stringify(structuredContent)];
      app.tellModels(visibleLines(server.redact(parts.filter(Boolean).join('\n')), MAX_CONTEXT));
    },
    download: contents => offer(() => save(server, requests, contents)),
    log: (level, data, logger) => {
      const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
      const from = logger === undefined ? title : `${title} ${logger}`;
      const entry = { source: 'server', level, logger: visible(from, 100), data: visible(text, MAX_LOG) } as const;
      log.log(server.definition, { ...entry, data: server.redact(entry.data) });
    },
    size: (_, height) => {
      if (height !== undefined) app.setHeight(height);
    },
    close: () => app.close(),
    ...(createMessage && {
      createMessage: (params, signal) => createMessage(server.definition, params, signal),
    }),
  };
}

/** Puts a question into the chat, which the person can read, change and send. */
async function draft(content: readonly ContentBlock[]): Promise<boolean> {
  const text = visibleLines(textOf(content), MAX_DRAFT).trim();
  if (!text) return false;
  try {
    await vscode.commands.executeCommand('workbench.action.chat.open', { query: `@mcp ${text}`, isPartialQuery: true });
    return true;
  } catch {
    return false;
  }
}

const textOf = (content: readonly ContentBlock[]): string =>
  content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n\n');

/** Saves files where the person wants them. */
async function save(
  server: ServerConnection,
  requests: Pick<AllowedRequests, 'readResource'>,
  wanted: readonly (EmbeddedResource | ResourceLink)[],
): Promise<boolean> {
  for (const item of wanted.slice(0, MAX_FILES)) {
    const linked = item.type === 'resource_link';
    const contents = linked ? (await requests.readResource(item.uri)).contents : [item.resource];
    const [content] = contents;
    if (!content) return false;
    const name = resourceFileName({
      uri: content.uri,
      name: linked ? item.name : '',
      ...(content.mimeType && { mimeType: content.mimeType }),
    });
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const target = await vscode.window.showSaveDialog({
      title: t('Save a file of MCP server "{0}"', server.name),
      ...(folder && { defaultUri: vscode.Uri.joinPath(folder, name) }),
    });
    if (!target) return false;
    const bytes = Buffer.from('text' in content ? content.text : content.blob, 'text' in content ? 'utf8' : 'base64');
    await vscode.workspace.fs.writeFile(target, bytes);
    window.setStatusBarMessage(t('Saved {0}', name), 5_000);
  }
  return wanted.length > 0;
}
