import type { CallToolResult, ContentBlock, EmbeddedResource, ResourceLink, Tool } from '@modelcontextprotocol/client';
import { diffText } from '../../base/diffText';
import { english } from '../../base/phrase';
import { Queue } from '../../base/queue';
import { visible, visibleLines } from '../../base/text';
import { askWhereToSave } from '../../editor/dialogs';
import { openChat } from '../../editor/openChat';
import { t, window } from '../../editor/window';
import type { AllowedRequests, ServerConnection } from '../../host';
import { isFor } from '../../host/catalog';
import type { LogPort, SamplingPort } from '../../host/definition';
import { resourceFileName } from '../resources';
import { askDecision, askWhole, type ReviewDocuments } from '../review';
import type { AskApproval, PersonsAnswer, Trust } from '../trust';
import {
  type Agreement,
  type AppDeclaration,
  type AppPage,
  type AppPermission,
  grantedOf,
  hashOf,
  hasReach,
  readableDeclaration,
} from './core/appPage';
import type { AppRequests } from './core/appSession';

import vscode = require('vscode');

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

export class PersonsAnswers {
  /** Fingerprints of the tools that may be called while the app is open. A tool that changes has another, and is asked about again. */
  readonly #allowed = new Set<string>();
  /** Names of those that the person denied it. */
  readonly denied = new Set<string>();
  /** How many things in a row the person did not want. */
  declined = 0;

  /** @param allowed tools that the person allowed together with the app. */
  constructor(allowed: readonly Tool[] = []) {
    for (const tool of allowed) this.allow(tool);
  }

  allow(tool: Tool): void {
    this.#allowed.add(hashOf(tool));
  }

  allows(tool: Tool): boolean {
    return this.#allowed.has(hashOf(tool));
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
  const { denied } = answers;
  /** An app knows what its own server gave it, from the result that it shows on. */
  const trail = trust.flow().trail();
  trust.flow().read(server, trail);

  const ask: AskApproval = (call, pin) =>
    questions.run(async () => {
      const { name } = call.tool;
      if (answers.allows(call.tool) && pin !== 'changed' && !call.because) return { answer: 'allow' };
      const said: PersonsAnswer | undefined = denied.has(name)
        ? { answer: 'deny' }
        : await trust.askForCall({ ...call, app: title }, pin);
      if (said?.answer === 'allow' && said.whileOpen && !call.because) answers.allow(call.tool);
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
      // Cut twice: redacting takes longer for a long text, and may make it longer.
      const text = parts
        .filter(Boolean)
        .join('\n')
        .slice(0, 2 * MAX_CONTEXT);
      app.tellModels(visibleLines(server.redactForProgram(text), MAX_CONTEXT));
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
    await openChat({ query: `@mcp ${text}`, isPartialQuery: true });
    return true;
  } catch {
    return false;
  }
}

const textOf = (content: readonly ContentBlock[]): string =>
  content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n\n');

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
    const target = await askWhereToSave(t('Save a file of MCP server "{0}"', server.name), name);
    if (!target) return false;
    const bytes = Buffer.from('text' in content ? content.text : content.blob, 'text' in content ? 'utf8' : 'base64');
    await vscode.workspace.fs.writeFile(target, bytes);
    window.setStatusBarMessage(t('Saved {0}', name), 5_000);
  }
  return wanted.length > 0;
}

/** A dialog shows so many addresses; what declares more is shown on a page. */
const MAX_IN_DIALOG = 12;

/** An app that wants to be shown, with the tools that only apps of its server can call. */
interface AskedApp {
  readonly server: ServerConnection;
  readonly title: string;
  readonly page: AppPage;
  readonly tools: readonly string[];
}

/** Asks whether an app may be shown, first and after each change: what it can reach and call, what has changed. */
export async function askForApp(
  { server, title, page, tools }: AskedApp,
  agreement: Agreement,
  documents: Pick<ReviewDocuments, 'showDiff'>,
): Promise<boolean> {
  const { declaration } = page;
  const question = t('Show the app "{0}" of MCP server "{1}"?', title, server.name);
  const notes = agreement.state === 'changed' ? [t('The app has changed since you allowed it.')] : [];
  const lines = [...describe(declaration), ...describeTools(tools)];
  const [refuse, show] = [t("Don't Show"), t('Show App')];
  const buttons = { allow: [show], others: [refuse] };
  if (lines.length > MAX_IN_DIALOG + 3) {
    const content = { text: lines.join('\n') };
    return (await askWhole({ title, question, notes, content, ...buttons })) === show;
  }
  const detail = [...notes, ...lines].join('\n');
  if (agreement.state !== 'changed') return (await askDecision(question, detail, buttons)) === show;
  const changes = t('Show Changes');
  const answer = await askDecision(question, detail, { allow: [show], others: [refuse, changes] });
  if (answer !== changes) return answer === show;
  const { declared, html = t('The page is too long to be compared.') } = agreement.before;
  await documents.showDiff(
    t('{0} of {1}: allowed before ↔ now', title, server.name),
    `${diffText(declared)}\n\n${html}`,
    `${diffText(readableDeclaration(page))}\n\n${server.redact(page.html)}`,
  );
  return (await window.showWarningMessage(question, show, refuse)) === show;
}

/** The abilities of an app, one line each. */
function describe(declaration: AppDeclaration): string[] {
  const { connectDomains, resourceDomains, frameDomains, baseUriDomains } = declaration.domains;
  const lists: [string, readonly string[]][] = [
    [t('It exchanges data with:'), connectDomains],
    [t('It loads scripts, styles and pictures from:'), resourceDomains],
    [t('It shows pages of:'), frameDomains],
    [t('Its links start at:'), baseUriDomains],
  ];
  const reached = lists.flatMap(([label, sources]) =>
    sources.length > 0 ? [label, ...sources.map(source => `• ${visible(source, 200)}`)] : [],
  );
  const granted = grantedOf(declaration);
  const abilities = declaration.permissions.map(name =>
    granted.includes(name) ? `• ${wordsFor(name)}` : `• ${t('{0} (not available in the editor)', wordsFor(name))}`,
  );
  const { leftOut } = declaration;
  return [
    t('It runs in a frame of its own, away from the editor, your files and other apps.'),
    ...(reached.length > 0 ? reached : [t('It names no site that it reaches.')]),
    t('What it is given could leave by a direct connection to another browser (WebRTC), which no policy closes.'),
    ...(abilities.length > 0 ? [t('It asks for:'), ...abilities] : []),
    ...(leftOut.length > 0 ? [t('Left out, because it is not the address of a single site:')] : []),
    ...leftOut.slice(0, 5).map(item => `• ${visible(item, 100)}`),
  ];
}

function describeTools(tools: readonly string[]): string[] {
  if (tools.length === 0) return [];
  return [
    t('While it is open, it calls these tools without a question. Only apps can call them:'),
    ...tools.map(name => `• ${visible(name, 100)}`),
  ];
}

/** What an app may reach, in a few words, for the line above it. */
export function reachOf(declaration: AppDeclaration): string {
  if (!hasReach(declaration)) return t('no sites, no permissions');
  const [first, ...others] = new Set(Object.values(declaration.domains).flat());
  const site = first === undefined ? t('no sites') : visible(first, 80);
  const sites = others.length > 0 ? t('{0} and {1} more', site, others.length) : site;
  return [sites, ...grantedOf(declaration).map(wordsFor)].join(' · ');
}

function wordsFor(permission: AppPermission): string {
  return {
    camera: t('the camera'),
    microphone: t('the microphone'),
    geolocation: t('your location'),
    clipboardWrite: t('writing to the clipboard'),
  }[permission];
}
