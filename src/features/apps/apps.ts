import vscode = require('vscode');

import type { CallToolResult } from '@modelcontextprotocol/client';
import { isObject } from '../../base/isObject';
import { Queue } from '../../base/queue';
import { plain, visible } from '../../base/text';
import { errorText } from '../../editor/errorText';
import { t, window } from '../../editor/window';
import type { ServerConnection } from '../../host';
import { appOf } from '../../host/catalog';
import { PinStorage, type ReviewDocuments, type Trust } from '../trust';
import { type AppCall, type AppContext, AppFrame, type FrameOptions } from './appFrame';
import { askForApp } from './appQuestion';
import { PersonsAnswers } from './appRequests';
import { type AppSurface, AppView, newTab, tabOf } from './appSurfaces';
import { AppAgreements } from './core/agreements';
import { type AppPage, pageOf } from './core/appPage';
import { type AppPlace, type DisplayMode, placeFor } from './core/displayModes';
import { KeptApps } from './keptApps';

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

/** The content of a surface. */
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
  /** Surfaces are filled and closed one after the other: of two calls at once, the later one stays. */
  readonly #changes = new Queue();
  readonly #questions = new Queue();

  constructor(private readonly services: AppsServices) {
    const { context, trust } = services;
    this.#agreements = new AppAgreements(new PinStorage(context, 'apps'), trust.pins.mode);
    this.#kept = new KeptApps(context.workspaceState);
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
    const page = await this.#page(call);
    if (!page || !(await this.#questions.run(() => this.#isAgreed(call, page)))) return;
    const filling = { call, page, answers: new PersonsAnswers(), isOwn };
    const isSame = ({ server, tool }: AppCall) => server.id === call.server.id && tool.name === call.tool.name;
    const isFree = (app: ShownApp, surface: AppSurface) => surface.place === 'tab' && !app.isOwn && isSame(app.call);
    const open = place === 'tab' && !isOwn && this.#find(isFree);
    if (open) open.reveal(preserveFocus);
    await this.#fill(open || (await this.#surface(place, call, preserveFocus)), filling);
  }

  /** Brings a tab of an earlier window back, with the input and the result that its app had. */
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
    const call = await this.#kept.find(surface.key, this.services.servers);
    const page = call && (await this.#page(call));
    // Something else was shown in it meanwhile.
    if (this.#shown.has(surface)) return;
    // Nobody is asked while a window opens: who wants to see what has changed runs the tool again.
    if (!page || (await this.#agreements.of(call.server, page)).state !== 'agreed') {
      surface.close();
      return this.#kept.forget(surface.key);
    }
    await this.#fill(surface, { call, page, answers: new PersonsAnswers(), isOwn: false });
  }

  /** Ends the app of the active tab, or else the last that was opened; its tab is closed, whatever it does. */
  stop(): Promise<void> {
    // In its turn: a tab that has just opened may not show its app yet.
    return this.#changes.run(async () => {
      const surface = this.#find((_, { isActive }) => isActive) ?? [...this.#shown.keys()].at(-1);
      if (surface) await this.#end(surface);
      else window.setStatusBarMessage(t('No app of an MCP server is open.'), 5_000);
    });
  }

  /** The same for the app in the view. */
  async stopInView(): Promise<void> {
    const surface = this.#find((_, { place }) => place === 'view');
    if (surface) await this.#close(surface);
  }

  /** Shows the app of the active tab in the view. */
  async moveToView(): Promise<void> {
    const surface = this.#find((_, { isActive }) => isActive);
    if (surface) await this.#move(surface, 'view');
  }

  /** Shows the app of the view in a tab. */
  async moveToTab(): Promise<void> {
    const surface = this.#find((_, { place }) => place === 'view');
    if (surface) await this.#move(surface, 'tab');
  }

  /** The context that open apps give to models with the next question. */
  context(): AppContext[] {
    return this.#said(({ context }) => context);
  }

  /** The same; it is given once. */
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
  }

  #find(is: (app: ShownApp, surface: AppSurface) => boolean): AppSurface | undefined {
    return [...this.#shown].findLast(([surface, app]) => is(app, surface))?.[0];
  }

  #surface(place: AppPlace, call: AppCall, preserveFocus: boolean): Promise<AppSurface> | AppSurface {
    if (place === 'view') return this.#view.show(preserveFocus);
    return newTab(this.services.context.extensionUri, titleOf(call), preserveFocus);
  }

  async #page({ server, tool }: AppCall): Promise<AppPage | undefined> {
    const uri = appOf(tool) ?? '';
    try {
      const read = await this.services.servers.byHand(server).readResource(uri);
      return pageOf(uri, read, server.catalog.resources.find(resource => resource.uri === uri)?._meta);
    } catch (error) {
      const why = errorText(error, 500);
      void window.showWarningMessage(t('The app of {0} is not shown: {1}', visible(tool.name, 80), why));
      return undefined;
    }
  }

  async #isAgreed(call: AppCall, page: AppPage): Promise<boolean> {
    const { server } = call;
    const agreement = await this.#agreements.of(server, page);
    if (agreement.state === 'agreed') return true;
    const asked = { server, title: titleOf(call), page };
    if (!(await askForApp(asked, agreement, this.services.documents))) return false;
    await this.#agreements.agree(server, page);
    return true;
  }

  async #fill(surface: AppSurface, filling: Filling): Promise<void> {
    await this.#changes.run(async () => {
      await this.#shown.get(surface)?.frame.end();
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

const titleOf = ({ tool }: { tool: AppCall['tool']; server: ServerConnection }) =>
  plain(visible(tool.title ?? tool.annotations?.title ?? tool.name, 80));
