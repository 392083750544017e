import { inlineIcon } from '../../base/inlineIcon';
import { phrase } from '../../base/phrase';
import { Coalescer } from '../../base/queue';
import { parseUrl, plain, rowText, visible, webAddress } from '../../base/text';
import { bestFirst, FetchedIcons } from '../../editor/fetchedIcons';
import { tabIcon, WebviewPage } from '../../editor/webviewPage';
import { t, window } from '../../editor/window';
import type { BundleSetup } from './bundleSetup';
import {
  type FromGalleryPage,
  fromGalleryPage,
  type GalleryDetails,
  type GalleryOrder,
  GallerySearch,
  inOrder,
  NOTHING_FOUND,
  type ToGalleryPage,
} from './core/gallerySearch';
import { RegistryClient, type RegistryError, type RegistryServer } from './core/registryClient';
import { canAdd, choicesOf, installedAs, NOTHING_CHOSEN, type RegistryChoice } from './core/registryServer';
import { publicFetch } from './core/registryText';
import { planAddition, type ServerDraft } from './core/serverDraft';
import { RUNS_PROGRAMS } from './desktop';
import {
  type GalleryRegistry,
  galleryDetails,
  galleryList,
  galleryRow,
  type LaunchRefusal,
  type NewServerRules,
  type RuledChoice,
  titleOf,
  versionText,
} from './galleryTexts';
import type { SettingsWriter } from './settingsWriter';
import { withInputs } from './smartBox';

import vscode = require('vscode');

interface GalleryServices {
  readonly extensionUri: vscode.Uri;
  readonly writer: SettingsWriter;
  /** The registry that settings or the organization name. Undefined: the search is turned off. */
  registry(): Promise<GalleryRegistry | undefined>;
  /** Reads what the organization says about servers. Undefined: nothing. */
  rules(): Promise<NewServerRules | undefined>;
  readonly bundles: Pick<BundleSetup, 'choose'>;
  /** Leads into the same review as any other server that is added. */
  add(ask: () => Promise<ServerDraft | undefined>): Promise<void>;
  openWebsite(server: { name: string }, url: string): Promise<void>;
}

/** The registry that is shown, and everything that was asked of it. */
interface ShownRegistry {
  readonly registry: GalleryRegistry;
  readonly client: RegistryClient;
  readonly search: GallerySearch;
  readonly icons: RegistryIcons;
  readonly rules: NewServerRules | undefined;
}

/** The server whose details are shown. */
interface ChosenServer {
  readonly server: RegistryServer;
  /** Why its versions could not be loaded. */
  readonly problem?: RegistryError;
}

const MAX_KNOWN_VERSIONS = 20;
const IN_WEB: LaunchRefusal = {
  reason: phrase('web windows cannot run programs'),
  remedy: phrase('Add it in a desktop window.'),
};

/** The page *Browse Servers*: what a registry, which is asked only while it is open, publishes. */
export class Gallery implements vscode.Disposable {
  #panel: vscode.WebviewPanel | undefined;
  #page: WebviewPage<ToGalleryPage, FromGalleryPage> | undefined;
  #shown: ShownRegistry | undefined;
  #selected: ChosenServer | undefined;
  #order: GalleryOrder = 'registry';
  /** What was searched for when the page was opened. */
  #query = '';
  #versionsRequest = new AbortController();
  /** By name. */
  readonly #versions = new Map<string, readonly RegistryServer[]>();
  /** What the page has drawn, by name. */
  readonly #drawn = new Map<string, string>();
  readonly #refresh = new Coalescer(() => this.#show(), { quietMs: 20, maxMs: 100 });

  constructor(private readonly services: GalleryServices) {}

  /** @param query what is searched for at first. */
  async open(query = ''): Promise<void> {
    if (this.#panel && query === '') return this.#panel.reveal();
    this.#panel?.dispose();
    this.#query = query;
    const { extensionUri: extension } = this.services;
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
      page.dispose();
      if (this.#panel !== panel) return;
      this.#panel = this.#page = undefined;
      this.#leave();
    });
    const page = new WebviewPage<ToGalleryPage, FromGalleryPage>(panel, {
      extension,
      title,
      script: 'gallery-view.js',
      styles: ['page.css', 'gallery.css'],
      pictures: true,
      read: fromGalleryPage,
      receive: message => this.#receive(message),
      onUnload: () => this.#drawn.clear(),
    });
    this.#page = page;
  }

  dispose(): void {
    this.#panel?.dispose();
  }

  /** Begins with the registry that settings name now. */
  async #start(): Promise<void> {
    const [registry, rules] = await Promise.all([this.services.registry(), this.services.rules()]);
    const query = this.#shown?.search.results.query ?? this.#query;
    this.#leave();
    if (!this.#page) return;
    if (registry) {
      const client = new RegistryClient(registry.url);
      const search = new GallerySearch(client, () => this.#refresh.trigger());
      const icons = new RegistryIcons(registry.url, (name, data) => this.#draw(name, data));
      this.#shown = { registry, client, search, icons, rules };
      void search.ask(query);
    }
    this.#show();
    this.#showDetails();
  }

  #leave(): void {
    this.#refresh.cancel();
    this.#versionsRequest.abort();
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
    const { server } = this.#selected ?? {};
    if (!server || server.name !== message.name) return;
    switch (message.type) {
      case 'versions':
        return this.#loadVersions(server);
      case 'version':
        this.#selected = { ...this.#selected, server: this.#versions.get(server.name)?.[message.index] ?? server };
        return this.#showDetails();
      case 'install': {
        const { choice, refusal } = this.#ruled(server)[message.way] ?? {};
        if (choice && canAdd(choice) && !refusal && versionText(server) === message.version)
          await this.#install(choice);
        return;
      }
      case 'open': {
        const url = server.details?.[message.link];
        if (url !== undefined) await this.services.openWebsite({ name: titleOf(server) }, url);
      }
    }
  }

  #select(name: string): void {
    const server = this.#shown?.search.results.servers.find(one => one.name === name);
    if (!server || server === this.#selected?.server) return;
    this.#versionsRequest.abort();
    this.#selected = { server };
    this.#showDetails();
  }

  #installed(choices: readonly RuledChoice[]): string | undefined {
    const { writer } = this.services;
    const servers = { ...writer.existing('workspace').servers, ...writer.existing('user').servers };
    return installedAs(
      choices.map(({ choice }) => choice),
      servers,
    );
  }

  /** Adds a server. Going back to what was asked first leads to the page, which is still there. */
  async #install(choice: RegistryChoice): Promise<void> {
    const { add, bundles } = this.services;
    let isAsked = false;
    await add(async () => {
      if (isAsked && choice.optional.length + choice.repeated.length === 0) return undefined;
      isAsked = true;
      return choice.bundle ? bundles.choose(choice.bundle) : withOptional(choice);
    });
  }

  /** One was added or removed. */
  #onServers(): void {
    this.#refresh.trigger();
    if (this.#selected) this.#showDetails();
  }

  async #loadVersions(server: RegistryServer): Promise<void> {
    this.#versionsRequest.abort();
    this.#versionsRequest = new AbortController();
    const { signal } = this.#versionsRequest;
    const found = await this.#shown!.client.versions(server.name, signal).catch((error: RegistryError) => error);
    if (signal.aborted || this.#selected?.server !== server) return;
    if (found instanceof Error) {
      this.#selected = { server, problem: found };
      return this.#showDetails();
    }
    const versions = found.filter(({ name }) => name === server.name);
    // The one that is shown stays among them.
    const same = versions.findIndex(({ version }) => version === server.version);
    this.#versions.set(server.name, same < 0 ? [server, ...versions] : versions.with(same, server));
    if (this.#versions.size > MAX_KNOWN_VERSIONS) this.#versions.delete(this.#versions.keys().next().value!);
    this.#selected = { server };
    this.#showDetails();
  }

  #ruled(server: RegistryServer): RuledChoice[] {
    return choicesOf(server).map(choice => ({ choice, refusal: this.#refusalOf(choice) }));
  }

  #refusalOf({ build, bundle }: RegistryChoice): LaunchRefusal | undefined {
    const draft = build?.(NOTHING_CHOSEN);
    if (!RUNS_PROGRAMS && (bundle || draft?.entry.command !== undefined)) return IN_WEB;
    const rules = this.#shown?.rules;
    if (!draft || !rules) return undefined;
    const { writer } = this.services;
    const addition = planAddition([draft], { servers: {}, inputs: writer.existing('user').inputs });
    const [definition] = writer.definitionsOf('user', addition);
    return definition && rules.refusalOf(definition);
  }

  #show(): void {
    const { search, registry, icons } = this.#shown ?? {};
    const found = search?.results ?? NOTHING_FOUND;
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
    this.#page?.post({ type: 'details', details: this.#selected && this.#detailsOf(this.#selected) });
  }

  #detailsOf({ server, problem }: ChosenServer): GalleryDetails {
    const choices = this.#ruled(server);
    const versions = this.#versions.get(server.name);
    const selected = { server, choices, versions, problem, installed: this.#installed(choices) };
    return galleryDetails(selected, this.#shown!.registry.url);
  }

  /** Sends an icon once. */
  #draw(name: string, data: string): void {
    if (!this.#page?.isReady || this.#drawn.get(name) === data) return;
    this.#drawn.set(name, data);
    this.#page.post({ type: 'icon', name, data });
  }
}

/** Asks which optional settings of a server to set, and how many values to give where there may be several, if it has any. */
async function withOptional({ optional, repeated, build }: RegistryChoice): Promise<ServerDraft | undefined> {
  const names = optional.length === 0 ? NOTHING_CHOSEN.names : await chooseOptional(optional);
  if (!names) return undefined;
  const counts = new Map<string, number>();
  for (const { name, description } of repeated) {
    const mayBeLeftOut = optional.filter(one => one.name.startsWith(name));
    if (mayBeLeftOut.length > 0 && !mayBeLeftOut.some(one => names.has(one.name))) continue;
    const count = await window.showInputBox({
      title: t('Add MCP Server'),
      prompt: t('How many values do you want to give for {0}?', rowText(name)),
      placeHolder: plain(visible(description, 200)),
      value: '1',
      validateInput: text => (countIn(text) === undefined ? t('A number from 1 to {0}', MAX_VALUES) : undefined),
      ignoreFocusOut: true,
    });
    if (count === undefined) return undefined;
    counts.set(name, countIn(count) ?? 1);
  }
  return withInputs(build!({ names, counts }));
}

/** The most values that are asked for one argument. */
const MAX_VALUES = 20;

function countIn(text: string): number | undefined {
  const count = Number(text.trim() || Number.NaN);
  return Number.isInteger(count) && count >= 1 && count <= MAX_VALUES ? count : undefined;
}

async function chooseOptional(optional: RegistryChoice['optional']): Promise<ReadonlySet<string> | undefined> {
  const rows = optional.map(({ name, description }) => ({ label: rowText(name), detail: rowText(description), name }));
  const chosen = await window.showQuickPick(rows, {
    title: t('Add MCP Server'),
    placeHolder: t('Which optional settings do you want to set?'),
    canPickMany: true,
    ignoreFocusOut: true,
  });
  return chosen && new Set(chosen.map(({ name }) => name));
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
    this.#send = publicFetch(parseUrl(registry)?.origin ?? '');
  }

  /** The icon of a server, or undefined until it is `loaded`, or for good. */
  of({ name, details }: RegistryServer): string | undefined {
    const icons = bestFirst(details?.icons ?? []);
    const inline = icons.map(({ src }) => inlineIcon(src)).find(icon => icon !== undefined);
    if (inline) return inline;
    const src = icons.find(one => webAddress(one.src))?.src;
    if (src === undefined) return undefined;
    const get = (): string | undefined => this.#fetched.get(src, () => this.loaded(name, get()!), this.#send);
    return get();
  }
}
