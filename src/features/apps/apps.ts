import type { CallToolResult, ReadResourceResult } from '@modelcontextprotocol/client';
import { DisposableMap, until } from '../../base/events';
import { fingerprint } from '../../base/fingerprint';
import { isObject } from '../../base/json';
import { PhraseError, phrase } from '../../base/phrase';
import { Queue } from '../../base/queue';
import { plain, visible } from '../../base/text';
import { pageIn } from '../../base/userInterface';
import { errorText } from '../../editor/errorText';
import { toolTitle } from '../../editor/serverRows';
import { settingValue } from '../../editor/settingValues';
import { KEPT_FOR_GOOD, type Mementos, ScopedMemory, ScopedStorage } from '../../editor/storage';
import { t, window } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';
import { appOf, isFor } from '../../host/catalog';
import { KeptRecords, noteProgram, type ServerDefinition, type ServerId } from '../../host/definition';
import type { ReviewDocuments } from '../review';
import type { Trust } from '../trust';
import { type AppCall, type AppContext, AppFrame, type FrameOptions } from './appFrame';
import { askForApp, PersonsAnswers } from './appRequests';
import { type AppSurface, AppView, newTab, tabOf, WaitingApp } from './appSurfaces';
import { AppAgreements, type AppPage, contentsOf, hasReach, pageOf, pageOfResult } from './core/appPage';
import { type AppPlace, type DisplayMode, placeFor } from './core/appSession';
import { KEY } from './core/keptKeys';

import vscode = require('vscode');

interface AppsServices extends Omit<FrameOptions['services'], 'trust' | 'version'> {
  readonly context: vscode.ExtensionContext;
  readonly trust: Pick<Trust, 'askForCall' | 'calls' | 'flow' | 'pins' | 'requests'>;
  readonly documents: Pick<ReviewDocuments, 'showDiff'>;
}

interface OpenOptions {
  readonly place?: AppPlace;
  /** The person wants to see this call, and goes on seeing others. */
  readonly isOwn?: boolean;
  readonly preserveFocus?: boolean;
}

interface Filling extends Pick<FrameOptions, 'call' | 'page' | 'answers' | 'context' | 'wanted'> {
  /** No other call takes its place, unless it is in the view. */
  readonly isOwn: boolean;
}

interface ShownApp extends Filling {
  readonly frame: AppFrame;
  /** Once it is there. */
  result?: CallToolResult;
}

/** The apps that are open in this window, in tabs and in the view (MCP Apps, spec: ext-apps 2026-01-26). */
export class Apps implements vscode.Disposable {
  readonly #agreements: AppAgreements;
  readonly #kept: KeptApps;
  readonly #view: AppView;
  readonly #shown = new Map<AppSurface, ShownApp>();
  /** Surfaces of an earlier window. */
  readonly #waiting = new DisposableMap<AppSurface, WaitingApp>();
  /** Surfaces are filled and closed one after the other: of two calls at once, the later one stays. */
  readonly #changes = new Queue();
  readonly #questions = new Queue();
  /** Fingerprints of pages that the person would not see in another chat, which reads a page each time that it draws an answer. */
  readonly #declined = new Set<string>();
  readonly #declinedInARow = new Map<ServerId, number>();

  constructor(private readonly services: AppsServices) {
    const { context, trust } = services;
    // For a program that fetches nothing, pins only warn although the person has not loosened them; an organization may enforce them.
    const isLoosened = (server: ServerDefinition) =>
      ['warn', 'off'].includes(String(settingValue('pins'))) && trust.pins.mode(server) !== 'enforce';
    this.#agreements = new AppAgreements(new ScopedMemory(context, 'apps', KEPT_FOR_GOOD), isLoosened);
    this.#kept = new KeptApps(context);
    this.#view = new AppView();
  }

  /**
   * Shows the app of a call, if the person agrees to it: in the view, or in a tab beside the active editor. An automatically
   * opened app replaces that of an earlier call of the same tool. Never rejects: shows what is wrong.
   */
  async open(call: AppCall, { place = 'tab', isOwn = false, preserveFocus = false }: OpenOptions = {}): Promise<void> {
    const result = isOwn ? await call.outcome.catch(() => undefined) : undefined;
    const already = result && this.#find(app => app.result === result);
    if (already) return already.reveal(preserveFocus);
    const { page, answers } = await this.#agreedPage(call);
    if (!page || !answers) return;
    const filling = { call, page, answers, isOwn };
    const isSame = ({ server, tool }: AppCall) => server.id === call.server.id && tool.name === call.tool.name;
    const isFree = (app: ShownApp, surface: AppSurface) => surface.place === 'tab' && !app.isOwn && isSame(app.call);
    const open = place === 'tab' && !isOwn && this.#find(isFree);
    if (open) open.reveal(preserveFocus);
    await this.#fill(open || (await this.#surface(place, call, preserveFocus)), filling);
  }

  /** Brings a tab of an earlier window back. Its app is shown again, with its input and result, once the person wants that. */
  async restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const { extensionUri } = this.services.context;
    const key = isObject(state) && typeof state.key === 'string' ? state.key : '';
    await this.#restore(tabOf(panel, extensionUri, key));
  }

  /** The view is there: for an app that is about to be shown in it, or with the one that it had in an earlier window. */
  async resolveView(view: vscode.WebviewView): Promise<void> {
    const { surface, isRestored } = this.#view.arrive(view);
    if (isRestored) await this.#restore(surface);
  }

  async #restore(surface: AppSurface): Promise<void> {
    // A view may have been filled meanwhile.
    if (this.#shown.has(surface)) return;
    if (!this.#kept.has(surface.key)) return surface.close();
    const { extensionUri: extension } = this.services.context;
    const waiting = new WaitingApp(surface, { extension, show: () => this.#showAgain(surface, waiting) });
    this.#waiting.set(surface, waiting);
    surface.onDidClose(() => {
      const isWaiting = this.#waiting.delete(surface);
      if (isWaiting && surface.place === 'tab') void this.#kept.forget(surface.key);
    });
  }

  async #showAgain(surface: AppSurface, waiting: WaitingApp): Promise<void> {
    const call = await this.#kept.find(surface.key, this.services.servers);
    if (!call) return waiting.tell(t('The result of this call is no longer there. Run the tool again.'));
    const { page, answers } = await this.#agreedPage(call);
    // It may have been closed, or have got another app.
    if (this.#waiting.get(surface) !== waiting) return;
    if (page && answers) await this.#fill(surface, { call, page, answers, isOwn: false });
    else waiting.offer();
  }

  /** Ends the app of the active tab, or else the last that was opened; its tab is closed, whatever it does. */
  stop(): Promise<void> {
    // In its turn: a tab that has just opened may not show its app yet.
    return this.#changes.run(async () => {
      const open = [...this.#shown.keys(), ...this.#waiting.keys()];
      const surface = open.find(({ isActive }) => isActive) ?? open.at(-1);
      if (surface) await this.#end(surface);
      else window.setStatusBarMessage(t('No app of an MCP server is open.'), 5_000);
    });
  }

  async stopInView(): Promise<void> {
    const surface = [...this.#shown.keys(), ...this.#waiting.keys()].find(({ place }) => place === 'view');
    if (surface) await this.#close(surface);
  }

  async moveToView(): Promise<void> {
    const surface = this.#find((_, { isActive }) => isActive);
    if (surface) await this.#move(surface, 'view');
  }

  async moveToTab(): Promise<void> {
    const surface = this.#find((_, { place }) => place === 'view');
    if (surface) await this.#move(surface, 'tab');
  }

  /** The context that open apps give to models with the next question. */
  context(): AppContext[] {
    return this.#said(({ context }) => context);
  }

  /** Takes the context that open apps give to models: the next question gets it once. */
  takeContext(): AppContext[] {
    return this.#said(frame => frame.takeContext());
  }

  #said(by: (frame: AppFrame) => string): AppContext[] {
    return [...this.#shown.values()]
      .map(({ frame }) => ({ server: frame.server.id, text: by(frame) }))
      .filter(({ text }) => text);
  }

  /** The window closes: tabs stay, and are restored in the next. */
  dispose(): void {
    for (const { frame } of this.#shown.values()) frame.dispose();
    this.#shown.clear();
    this.#waiting.dispose();
  }

  #find(is: (app: ShownApp, surface: AppSurface) => boolean): AppSurface | undefined {
    return [...this.#shown].findLast(([surface, app]) => is(app, surface))?.[0];
  }

  #surface(place: AppPlace, call: AppCall, preserveFocus: boolean): Promise<AppSurface> | AppSurface {
    if (place === 'view') return this.#view.show(preserveFocus);
    return newTab(this.services.context.extensionUri, titleOf(call), preserveFocus);
  }

  async #page({ server, tool, outcome }: AppCall): Promise<AppPage | undefined> {
    const uri = appOf(tool) ?? '';
    try {
      const inResult = uri === '' ? pageIn(await outcome) : undefined;
      if (inResult) return pageOfResult(inResult);
      const read = await this.services.servers.byHand(server).readResource(uri);
      return pageOf(uri, read, server.catalog.resources.find(resource => resource.uri === uri)?._meta);
    } catch (error) {
      const why = errorText(error, 500);
      void window.showWarningMessage(t('The app of {0} is not shown: {1}', visible(tool.name, 80), why));
      return undefined;
    }
  }

  async #agreedPage(call: AppCall): Promise<{ page?: AppPage | undefined; answers?: PersonsAnswers | undefined }> {
    const isSame = noteProgram(call.server);
    const page = await this.#page(call);
    const answers =
      page &&
      (await this.#questions.run(() => this.#agreed({ server: call.server, title: titleOf(call) }, page, isSame)));
    return isSame() ? { page, answers } : {};
  }

  /**
   * The page of an app that another chat draws, as the person agreed to it: asks them, once for each page in this window if they
   * decline, and not again after some of the server's. Rejects with a `PhraseError` for what is no page of a tool, or if they do not agree.
   */
  async agreedRead(server: ServerConnection, uri: string, read: ReadResourceResult): Promise<ReadResourceResult> {
    const { catalog } = server;
    const page = pageOf(uri, read, catalog.resources.find(resource => resource.uri === uri)?._meta);
    const tool = catalog.tools.find(one => appOf(one) === uri);
    // An app may read any address, one after the other.
    if (!tool)
      throw new PhraseError(phrase('no tool of MCP server "{0}" has the app {1}', server.name, visible(uri, 80)));
    const title = toolTitle(tool, 80);
    const isSame = noteProgram(server);
    const key = [server.definition.launch, uri, page.html, JSON.stringify(page.declaration)].join('\n');
    const answers = await this.#questions.run(() =>
      this.#agreed({ server, title, declined: fingerprint(key) }, page, isSame),
    );
    if (answers && isSame()) return contentsOf(page);
    throw new PhraseError(
      phrase('the app "{0}" of MCP server "{1}" is not shown: you did not agree to it', title, server.name),
    );
  }

  /** The answers with which an app begins, if the person agrees to it. Every app needs that: its scripts can open WebRTC connections. */
  async #agreed(
    { server, title, declined }: { server: ServerConnection; title: string; declined?: string },
    page: AppPage,
    isSame: () => boolean,
  ): Promise<PersonsAnswers | undefined> {
    const agreement = await this.#agreements.of(server, page);
    if (agreement.state === 'agreed') return new PersonsAnswers(agreement.tools);
    const declinedBefore = this.#declinedInARow.get(server.id) ?? 0;
    if (declined !== undefined && (this.#declined.has(declined) || declinedBefore >= MAX_DECLINED)) return undefined;
    // An app that declares nothing is asked about each call.
    const own = server.offers('tools').filter(tool => isFor('app', tool) && !isFor('model', tool));
    const agreed = hasReach(page.declaration) ? own : [];
    const tools = agreed.map(({ name }) => name);
    const isShown = await askForApp({ server, title, page, tools }, agreement, this.services.documents);
    if (declined !== undefined) this.#declinedInARow.set(server.id, isShown ? 0 : declinedBefore + 1);
    if (!isShown && declined !== undefined) this.#declined.add(declined);
    if (!isShown || !isSame()) return undefined;
    await this.#agreements.agree(server, page, agreed);
    return new PersonsAnswers(agreed);
  }

  async #fill(surface: AppSurface, filling: Filling): Promise<void> {
    await this.#changes.run(async () => {
      await this.#shown.get(surface)?.frame.end();
      this.#waiting.delete(surface);
      try {
        this.#show(surface, filling);
      } catch {
        // Closed meanwhile.
        this.#onClose(surface);
      }
    });
  }

  #show(surface: AppSurface, filling: Filling): void {
    const { context } = this.services;
    const { call } = filling;
    const { place, key, webview } = surface;
    const title = titleOf(call);
    const { version } = context.extension.packageJSON as { version: string };
    const frame = new AppFrame(webview, {
      ...filling,
      extension: context.extensionUri,
      title,
      place,
      key,
      services: { ...this.services, version },
      close: () => void this.#close(surface),
      move: mode => void this.#move(surface, placeFor(mode), mode),
    });
    const app: ShownApp = { ...filling, frame };
    if (!this.#shown.has(surface)) surface.onDidClose(() => this.#onClose(surface));
    this.#shown.set(surface, app);
    surface.entitle(title);
    const keep = (result: CallToolResult) => {
      app.result = result;
      // Nothing that was replaced by another call meanwhile.
      if (this.#shown.get(surface) === app) void this.#kept.keep(key, call, result);
    };
    call.outcome.then(keep, () => {});
  }

  /** Not when the window closes, which leaves no time for it: then it comes back. */
  #onClose(surface: AppSurface): void {
    const app = this.#shown.get(surface);
    if (!app) return;
    this.#shown.delete(surface);
    app.frame.dispose();
    // A view that the person puts elsewhere is made again there.
    if (surface.place === 'tab') void this.#kept.forget(surface.key);
  }

  #close(surface: AppSurface): Promise<void> {
    return this.#changes.run(() => this.#end(surface));
  }

  async #end(surface: AppSurface): Promise<void> {
    await this.#shown.get(surface)?.frame.end();
    this.#waiting.delete(surface);
    this.#onClose(surface);
    await this.#kept.forget(surface.key);
    surface.close();
  }

  /** An app can't be carried over: it begins anew there, with what is not in its page. */
  async #move(from: AppSurface, place: AppPlace, wanted?: DisplayMode): Promise<void> {
    const app = this.#shown.get(from);
    if (!app) return;
    const { call, page, answers, isOwn, frame } = app;
    const { context } = frame;
    await this.#close(from);
    const to = await this.#surface(place, call, false);
    await this.#fill(to, { call, page, answers, isOwn, context, wanted });
  }
}

const titleOf = ({ tool }: Pick<AppCall, 'tool'>) => plain(toolTitle(tool, 80));

const MAX_APPS = 10;
/** After so many apps of a server that the person declined one after the other in another chat, the next ones are declined for them. */
const MAX_DECLINED = 3;
/** How long a server may take to be there after a reload. */
const WAIT_MS = 60_000;
/** In characters of JSON. What is longer is gone after a reload. */
const MAX_LENGTH = 512 * 1024;

interface KeptApp {
  readonly server: string;
  /** Fingerprint of the definition: a changed server has not made this result. */
  readonly fingerprint: string;
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly result: CallToolResult;
}

/** Stores the open apps for a reload of the window, without secrets, in the workspace storage. */
class KeptApps {
  readonly #apps: KeptRecords<KeptApp>;

  constructor(storage: Mementos) {
    this.#apps = new KeptRecords(new ScopedStorage(storage, KEY), stored => stored as KeptApp | undefined, MAX_APPS);
  }

  /** Keeps a call with its result, in place of what had the key before. */
  async keep(key: string, { server, tool, args }: AppCall, result: CallToolResult): Promise<void> {
    const { fingerprint } = server.definition;
    const given = JSON.stringify({ server: server.id, fingerprint, tool: tool.name, args, result });
    if (given.length > MAX_LENGTH) return this.forget(key);
    const text = server.redactForProgram(given);
    if (text.length > MAX_LENGTH) return this.forget(key);
    try {
      await this.#apps.set('workspace', key, JSON.parse(text));
    } catch {
      // It is not restored then.
    }
  }

  has(key: string): boolean {
    return this.#apps.get('workspace', key) !== undefined;
  }

  /** Undefined if it was not kept, or its server does not return. A window that opens has no servers yet. */
  async find(key: string, servers: ServerSet): Promise<AppCall | undefined> {
    const kept = this.#apps.get('workspace', key);
    if (!kept) return undefined;
    const there = () => {
      const server = servers.get(kept.server);
      const tool = server?.catalog.knownItems('tools').find(({ name }) => name === kept.tool);
      return server && tool && { server, tool };
    };
    await until(() => there() !== undefined, [servers.onDidChange], { limitMs: WAIT_MS });
    const found = there();
    if (!found || found.server.definition.fingerprint !== kept.fingerprint || !appOf(found.tool)) return undefined;
    return { ...found, args: kept.args, outcome: Promise.resolve(kept.result) };
  }

  async forget(key: string): Promise<void> {
    if (this.has(key)) await this.#apps.set('workspace', key, undefined).catch(() => {});
  }
}
