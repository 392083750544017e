import { randomUUID } from 'node:crypto';
import type { CallToolResult, Tool } from '@modelcontextprotocol/client';

import vscode = require('vscode');

import { DisposableStore } from '../../base/events';
import { WebviewPage } from '../../editor/webviewPage';
import { t } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';
import { type AppRequestServices, appRequests, type PersonsAnswers, reachOf } from './appRequests';
import { type AppSurroundings, type FromAppPage, fromAppPage, type ToAppPage } from './core/appMessages';
import { type AppPage, allowOf, guardedHtml, policyOf } from './core/appPage';
import { type AppPlace, AppSession, type DisplayMode, MAX_INLINE } from './core/appSession';

/** After this time, an app that has said nothing is called silent; it may still begin. */
const SILENT_MS = 10_000;

export interface AppCall {
  readonly server: ServerConnection;
  readonly tool: Tool;
  readonly args: Record<string, unknown>;
  /** Rejects when the call was cancelled or has failed. */
  readonly outcome: Promise<CallToolResult>;
}

export interface AppContext {
  readonly server: string;
  readonly text: string;
}

export interface FrameOptions {
  readonly extension: vscode.Uri;
  readonly call: AppCall;
  readonly page: AppPage;
  readonly title: string;
  readonly place: AppPlace;
  /** The mode that the app asked for in another place, if that is why it is here. */
  readonly wanted?: DisplayMode | undefined;
  /** The person's answers about the app; they last while the app is open anywhere. */
  readonly answers: PersonsAnswers;
  /** The context that it gave to models before it moved here. */
  readonly context?: string | undefined;
  /** By which the call is found again after a reload of the window. */
  readonly key: string;
  readonly services: AppRequestServices & { readonly servers: ServerSet; readonly version: string };
  readonly close: () => void;
  /** The app asks for a mode that it can have in another place. */
  readonly move: (mode: DisplayMode) => void;
}

type Gone = Extract<FromAppPage, { type: 'gone' }>;

/** One app in one webview, whose page is `webview/main.ts`: it loads the app's page, and lets the app and the session speak. */
export class AppFrame {
  readonly #disposables = new DisposableStore();
  readonly #page: WebviewPage<ToAppPage, FromAppPage>;
  #session: AppSession | undefined;
  #surroundings: AppSurroundings | undefined;
  #silence: NodeJS.Timeout | undefined;
  #context: string;
  readonly #launch: string;
  #hasTakenFocus = false;
  /** The gesture that they had just made when it sent its last message, and the one that was used up. */
  #gesture = 0;
  #usedGesture = 0;

  constructor(
    webview: vscode.Webview,
    private readonly options: FrameOptions,
  ) {
    this.#context = options.context ?? '';
    this.#launch = options.call.server.definition.launch;
    const { extension, title, page } = options;
    this.#page = this.#disposables.add(
      new WebviewPage(
        { webview },
        {
          extension,
          title,
          script: 'app-view.js',
          styles: ['app.css'],
          policy: own => policyOf(page.declaration, own),
          read: fromAppPage,
          receive: message => this.#receive(message),
        },
      ),
    );
    this.#disposables.add(
      options.services.servers.onDidChange(change => {
        if (change?.server !== this.server) return;
        // What the person agreed to ends with the program, and so does the page that it has sent.
        const { entry, launch } = this.server.definition;
        if (entry && launch !== this.#launch) return options.close();
        if (change.what !== 'catalog') return;
        this.#session?.listChanged('tools');
        this.#session?.listChanged('resources');
      }),
    );
  }

  get server(): ServerConnection {
    return this.options.call.server;
  }

  /** The context that the app gives to models with the next question. */
  get context(): string {
    return this.#context;
  }

  /** Returns the context that the app gives to models, and clears it. */
  takeContext(): string {
    const context = this.#context;
    this.#context = '';
    if (context) this.#tellNote();
    return context;
  }

  /** Ends the app, which may take a moment to put itself in order. Never rejects. */
  async end(): Promise<void> {
    clearTimeout(this.#silence);
    await this.#session?.end();
    this.#disposables.dispose();
  }

  /** The webview is gone, and the app with it. */
  dispose(): void {
    clearTimeout(this.#silence);
    this.#session?.drop();
    this.#disposables.dispose();
  }

  #receive(sent: FromAppPage): void {
    switch (sent.type) {
      case 'ready':
        // Another page, which counts anew.
        this.#usedGesture = 0;
        this.#surroundings = sent.surroundings;
        this.#begin(sent.surroundings);
        return;
      case 'surroundings':
        this.#surroundings = sent.surroundings;
        this.#session?.update(sent.surroundings);
        return;
      case 'message':
        this.#gesture = sent.gesture;
        this.#session?.receive(sent.text);
        return;
      case 'gone':
        this.#onGone(sent.why);
        return;
      case 'focus':
        this.#hasTakenFocus = sent.isTaken;
        this.#tellNote();
        return;
      case 'act':
        if (sent.name === 'clear') this.takeContext();
        else if (this.#surroundings) this.#begin(this.#surroundings);
    }
  }

  #takeGesture(): boolean {
    if (this.#gesture === 0 || this.#gesture === this.#usedGesture) return false;
    this.#usedGesture = this.#gesture;
    return true;
  }

  /** The page around the app is there: for the first time, or again. */
  #begin(surroundings: AppSurroundings): void {
    const { call, page, title, place, wanted, answers, key, services } = this.options;
    const { server, tool, args, outcome } = call;
    this.#session?.drop();
    const { log } = services;
    const requests = appRequests(
      {
        server,
        tool,
        title,
        tellModels: text => {
          this.#context = text;
          this.#tellNote();
        },
        setHeight: height => {
          if (this.#session?.mode === 'inline')
            this.#page.post({ type: 'height', height: Math.min(MAX_INLINE, Math.max(0, height)) });
        },
        takeGesture: () => this.#takeGesture(),
        close: () => this.options.close(),
      },
      answers,
      services,
    );
    const session = new AppSession({
      version: services.version,
      declaration: page.declaration,
      tool,
      requests,
      place,
      wanted,
      onMode: mode => this.#page.post({ type: 'layout', isFlexible: mode === 'inline' }),
      move: mode => {
        // An app moves on behalf of the person, who has just used it.
        if (this.#gesture === 0) return false;
        setTimeout(() => this.options.move(mode), 0);
        return true;
      },
      surroundings,
      locale: vscode.env.language,
      platform: vscode.env.uiKind === vscode.UIKind.Web ? 'web' : 'desktop',
      post: text => this.#page.post({ type: 'message', text }),
      trace: (direction, text) => services.servers.trace?.write(`${server.id} · ${page.uri}`, direction, text),
    });
    this.#session = session;
    log.log(server.definition, {
      source: 'lifecycle',
      level: 'info',
      data: `the app ${page.uri} is shown: ${JSON.stringify(page.declaration)}`,
    });
    void session.connect().then(() => this.#page.post({ type: 'load', ...this.#frame(), key }));
    void session.show(args, outcome);
    void session.whenReady().then(() => {
      if (session === this.#session) this.#tellNote();
    });
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#tellNote(), SILENT_MS);
  }

  #frame(): Omit<Extract<ToAppPage, { type: 'load' }>, 'type' | 'key'> {
    const { call, page, title, place } = this.options;
    const { declaration } = page;
    const label = t('App of MCP server "{0}"', call.server.name);
    const clickWord = randomUUID();
    return {
      html: guardedHtml(page, clickWord),
      clickWord,
      allow: allowOf(declaration),
      frame: {
        // A tab has the title itself.
        label: place === 'view' ? `${title} · ${label}` : label,
        details: reachOf(declaration),
        hasBorder: declaration.prefersBorder,
        title,
      },
    };
  }

  #onGone(why: Gone['why']): void {
    this.#session?.drop();
    this.#session = undefined;
    clearTimeout(this.#silence);
    this.#page.post({ type: 'end', text: reasonOf(why), action: { name: 'restart', label: t('Start Again') } });
  }

  /** Updates the line above the app. */
  #tellNote(): void {
    if (this.#context) {
      const text = t('Sent with your next question to @mcp: {0}', this.#context);
      this.#page.post({ type: 'note', text, action: { name: 'clear', label: t('Clear') } });
    } else if (this.#hasTakenFocus) {
      const text = t(
        'The app took the keyboard without a click in it, so it was taken from it again. To type in the app, click in it.',
      );
      this.#page.post({ type: 'note', text });
    } else if (this.#session && !this.#session.isReady) {
      this.#page.post({ type: 'note', text: t('The app has not answered yet, so it did not get the result.') });
    } else {
      this.#page.post({ type: 'note', text: '' });
    }
  }
}

function reasonOf(why: Gone['why']): string {
  return {
    flood: t('The app was stopped because it sent too many messages.'),
    large: t('The app was stopped because it sent a message that is too large.'),
    navigated: t('The app was stopped because it left its page.'),
    focus: t('The app was stopped because it kept taking the keyboard.'),
  }[why];
}
