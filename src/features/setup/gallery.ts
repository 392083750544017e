import { Coalescer } from '../../base/queue';
import { visible } from '../../base/text';
import { bestFirst, FetchedIcons } from '../../editor/fetchedIcons';
import { inlineIcon } from '../../editor/icons';
import { tabIcon, WebviewPage } from '../../editor/webviewPage';
import { t, window } from '../../editor/window';
import type { AddServer } from './addServer';
import type { BundleSetup } from './bundleSetup';
import {
  type FromGalleryPage,
  fromGalleryPage,
  type GalleryOrder,
  GallerySearch,
  inOrder,
  type ToGalleryPage,
} from './core/gallerySearch';
import { RegistryClient, type RegistryError, type RegistryServer } from './core/registryClient';
import { canAdd, choicesOf, installedAs, type RegistryChoice } from './core/registryServer';
import { publicFetch } from './core/registryText';
import { planAddition } from './core/serverDraft';
import {
  type GalleryRegistry,
  galleryDetails,
  galleryList,
  galleryRow,
  type LaunchRefusal,
  type NewServerRules,
  type RuledChoice,
  type Selected,
  titleOf,
  versionText,
} from './galleryTexts';
import { chooseOptional } from './registrySearch';
import type { SettingsWriter } from './settingsWriter';

import vscode = require('vscode');

interface GalleryServices {
  readonly extension: vscode.Uri;
  /** The registry that settings or the organization name. Undefined: the search is turned off. */
  registry(): Promise<GalleryRegistry | undefined>;
  /** Reads what the organization says about ways to run servers. Undefined: nothing. */
  rules(): Promise<((choice: RegistryChoice) => LaunchRefusal | undefined) | undefined>;
  /** The name under which settings have a server in one of these ways. */
  installedAs(choices: readonly RegistryChoice[]): string | undefined;
  /** Leads into the same review as any other server that is added. */
  install(choice: RegistryChoice): Promise<void>;
  openLink(title: string, url: string): Promise<void>;
}

/** The registry that is shown, and everything that was asked of it. */
interface Shown {
  readonly registry: GalleryRegistry;
  readonly client: RegistryClient;
  readonly search: GallerySearch;
  readonly icons: RegistryIcons;
  readonly ruled: Awaited<ReturnType<GalleryServices['rules']>>;
}

const MAX_KNOWN_VERSIONS = 20;
const NOTHING = { query: '', servers: [], isBusy: false, hasMore: false, error: undefined };

/**
 * The page *Browse Servers*: what a registry publishes. Opening it is what asks the registry; nothing is asked before, nor while it
 * is closed. What a registry says is shown as text.
 */
class Gallery implements vscode.Disposable {
  #panel: vscode.WebviewPanel | undefined;
  #page: WebviewPage<ToGalleryPage, FromGalleryPage> | undefined;
  #shown: Shown | undefined;
  #selected: Selected | undefined;
  #order: GalleryOrder = 'registry';
  #asked = new AbortController();
  /** By name. */
  readonly #versions = new Map<string, readonly RegistryServer[]>();
  /** What the page has drawn, by name. */
  readonly #drawn = new Map<string, string>();
  readonly #refresh = new Coalescer(() => this.#show(), { quietMs: 20, maxMs: 100 });

  constructor(private readonly services: GalleryServices) {}

  async open(): Promise<void> {
    if (this.#panel) return this.#panel.reveal();
    const { extension } = this.services;
    const title = t('Browse MCP Servers');
    const panel = window.createWebviewPanel('mcpHost.gallery', title, vscode.ViewColumn.Active);
    this.#panel = panel;
    panel.iconPath = tabIcon(extension, 'gallery');
    const settings = vscode.workspace.onDidChangeConfiguration(event => {
      if (event.affectsConfiguration('mcpHost.registry.url')) void this.#start();
      else if (event.affectsConfiguration('mcpHost.servers')) this.#onServers();
    });
    panel.onDidDispose(() => {
      settings.dispose();
      this.#page?.dispose();
      this.#panel = this.#page = undefined;
      this.#leave();
    });
    this.#page = new WebviewPage(panel, {
      extension,
      title,
      script: 'gallery-view.js',
      styles: ['page.css', 'gallery.css'],
      pictures: true,
      read: fromGalleryPage,
      receive: message => this.#receive(message),
      onUnload: () => this.#drawn.clear(),
    });
  }

  dispose(): void {
    this.#panel?.dispose();
  }

  /** Begins with the registry that settings name now. */
  async #start(): Promise<void> {
    const [registry, ruled] = await Promise.all([this.services.registry(), this.services.rules()]);
    this.#leave();
    if (!this.#page) return;
    if (registry) {
      const client = new RegistryClient(registry.url);
      const search = new GallerySearch(client, () => this.#refresh.trigger());
      const icons = new RegistryIcons(registry.url, (name, data) => this.#draw(name, data));
      this.#shown = { registry, client, search, icons, ruled };
      void search.ask();
    }
    this.#show();
    this.#showDetails();
  }

  #leave(): void {
    this.#refresh.cancel();
    this.#asked.abort();
    this.#shown?.search.dispose();
    this.#shown = this.#selected = undefined;
    this.#versions.clear();
    this.#drawn.clear();
  }

  async #receive(message: FromGalleryPage): Promise<void> {
    const { search } = this.#shown ?? {};
    switch (message.type) {
      case 'ready':
        this.#drawn.clear();
        if (!search) return this.#start();
        this.#show();
        return this.#showDetails();
      case 'search':
        return search?.type(message.query);
      case 'more':
        return search?.more();
      case 'again':
        return search?.again();
      case 'sort':
        this.#order = message.order;
        return this.#show();
      case 'settings':
        return vscode.commands.executeCommand('workbench.action.openSettings', 'mcpHost.registry.url');
      case 'select':
        return this.#select(message.name);
    }
    // What follows is about the server whose details are shown.
    const { server, choices } = this.#selected ?? {};
    if (!server || server.name !== message.name) return;
    switch (message.type) {
      case 'versions':
        return this.#loadVersions(server);
      case 'version':
        return this.#selectVersion(message.index);
      case 'install': {
        const { choice, refusal } = choices?.[message.way] ?? {};
        if (choice && canAdd(choice) && !refusal && versionText(server) === message.version)
          await this.services.install(choice);
        return;
      }
      case 'open': {
        const url = server.details?.[message.link];
        if (url !== undefined) await this.services.openLink(titleOf(server), url);
      }
    }
  }

  #select(name: string): void {
    const server = this.#shown?.search.found.servers.find(one => one.name === name);
    if (!server || server === this.#selected?.server) return;
    this.#asked.abort();
    const versions = this.#versions.get(name);
    const choices = this.#ruled(server);
    this.#selected = { server, choices, versions, problem: undefined, installed: this.#installed(choices) };
    this.#showDetails();
  }

  #installed(choices: readonly RuledChoice[]): string | undefined {
    return this.services.installedAs(choices.map(({ choice }) => choice));
  }

  /** One was added or removed. */
  #onServers(): void {
    this.#refresh.trigger();
    if (!this.#selected) return;
    this.#selected = { ...this.#selected, installed: this.#installed(this.#selected.choices) };
    this.#showDetails();
  }

  #selectVersion(index: number): void {
    const server = this.#selected?.versions?.[index];
    if (!server) return;
    this.#selected = { ...this.#selected!, server, choices: this.#ruled(server) };
    this.#showDetails();
  }

  async #loadVersions(server: RegistryServer): Promise<void> {
    this.#asked.abort();
    this.#asked = new AbortController();
    const { signal } = this.#asked;
    let [versions, problem]: [Selected['versions'], Selected['problem']] = [undefined, undefined];
    try {
      versions = (await this.#shown!.client.versions(server.name, signal)).filter(({ name }) => name === server.name);
      // The one that is shown stays among them.
      versions = versions.some(({ version }) => version === server.version)
        ? versions.map(one => (one.version === server.version ? server : one))
        : [server, ...versions];
    } catch (error) {
      problem = error as RegistryError;
    }
    if (signal.aborted || this.#selected?.server !== server) return;
    const [oldest] = this.#versions.keys();
    if (this.#versions.size >= MAX_KNOWN_VERSIONS && oldest !== undefined) this.#versions.delete(oldest);
    if (versions) this.#versions.set(server.name, versions);
    this.#selected = { ...this.#selected, versions, problem };
    this.#showDetails();
  }

  #ruled(server: RegistryServer): RuledChoice[] {
    const ruled = this.#shown?.ruled;
    return choicesOf(server).map(choice => ({ choice, refusal: choice.build && ruled?.(choice) }));
  }

  #show(): void {
    const { search, registry, icons } = this.#shown ?? {};
    const found = search?.found ?? NOTHING;
    const rows = inOrder(found.servers, this.#order).map(server => {
      const choices = this.#ruled(server);
      return galleryRow(server, choices, this.#installed(choices));
    });
    this.#page?.post(galleryList(found, registry, { rows, order: this.#order }));
    for (const server of found.servers) {
      const icon = icons?.of(server);
      if (icon) this.#draw(server.name, icon);
    }
  }

  #showDetails(): void {
    const details = this.#selected && galleryDetails(this.#selected, this.#shown!.registry.url);
    this.#page?.post({ type: 'details', details });
  }

  /** Sends an icon once. */
  #draw(name: string, data: string): void {
    if (!this.#page?.isReady || this.#drawn.get(name) === data) return;
    this.#drawn.set(name, data);
    this.#page.post({ type: 'icon', name, data });
  }
}

interface SetupForGallery {
  readonly extensionUri: vscode.Uri;
  readonly writer: SettingsWriter;
  registry(): Promise<GalleryRegistry | undefined>;
  rules(): Promise<NewServerRules | undefined>;
  readonly bundles: Pick<BundleSetup, 'choose'>;
  /** Adds the server that is asked for. */
  add(ask: Parameters<AddServer['run']>[0]): Promise<void>;
  openWebsite(server: { name: string }, url: string): Promise<void>;
}

/** The page *Browse Servers*, with what it needs of the rest. Web windows have none. */
export const galleryOf = (setup: SetupForGallery) =>
  new Gallery({
    extension: setup.extensionUri,
    registry: () => setup.registry(),
    rules: () => rulesOf(setup),
    installedAs: choices =>
      installedAs(choices, { ...setup.writer.existing('workspace').servers, ...setup.writer.existing('user').servers }),
    install: choice => install(setup, choice),
    openLink: (title, url) => setup.openWebsite({ name: visible(title, 80) }, url),
  });

/** Adds a server. Going back from the first question leads to the page, which is still there. */
async function install({ add, bundles }: SetupForGallery, choice: RegistryChoice): Promise<void> {
  let isAsked = false;
  await add(async (title, take) => {
    if (isAsked && choice.optional.length === 0) return undefined;
    isAsked = true;
    return chooseOptional(choice, { title, take, bundle: bundles.choose });
  });
}

async function rulesOf({ rules, writer }: SetupForGallery) {
  const read = await rules();
  if (!read) return undefined;
  const existing = writer.existing('user');
  return ({ build }: RegistryChoice) => {
    const draft = build?.(new Set());
    const [definition] = draft ? writer.definitionsOf('user', planAddition([draft], existing)) : [];
    return definition && read.refusalOf(definition);
  };
}

/** Icons of a registry's servers as `data:` URIs. Only those of servers that are shown are fetched. */
class RegistryIcons {
  readonly #fetched = new FetchedIcons();
  readonly #send: typeof fetch;

  /** @param registry its address. @param loaded called when the icon of a server can be drawn. */
  constructor(
    registry: string,
    private readonly loaded: (name: string, data: string) => void,
  ) {
    this.#send = publicFetch(URL.canParse(registry) ? new URL(registry).origin : '');
  }

  /** The icon of a server, or undefined until it is `loaded`, or for good. */
  of({ name, details }: RegistryServer): string | undefined {
    const icons = bestFirst(details?.icons ?? []);
    const inline = icons.map(({ src }) => inlineIcon(src)).find(icon => icon !== undefined);
    if (inline) return inline;
    const src = icons.find(one => isFetchable(one.src))?.src;
    if (src === undefined) return undefined;
    const get = (): string | undefined => this.#fetched.get(src, () => this.loaded(name, get()!), this.#send);
    return get();
  }
}

function isFetchable(src: string): boolean {
  if (src.length > 1_000 || !URL.canParse(src)) return false;
  const { protocol, username, password } = new URL(src);
  return /^https?:$/.test(protocol) && !username && !password;
}
