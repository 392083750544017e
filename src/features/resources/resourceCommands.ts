import { type Lazy, lazy, Owner, until } from '../../base/events';
import { withoutDrawings } from '../../base/markdownCode';
import { formatSize } from '../../base/numberText';
import { plain, rowText, visible } from '../../base/text';
import type { CommandHandlers } from '../../editor/commands';
import { askWhereToSave, withProgress } from '../../editor/dialogs';
import { openChat } from '../../editor/openChat';
import { openPage } from '../../editor/openPage';
import type { PlainState } from '../../editor/storage';
import { TextDocuments } from '../../editor/textDocuments';
import { joined, t, window } from '../../editor/window';
import type { ServerSet } from '../../host';
import type { Catalog } from '../../host/catalog';
import { resourceFileName } from './core/fileName';
import { HEX_SCHEME, type ResourceAddress } from './core/resourceAddress';
import { isLarge, isLargeSize, type ResourceContent, type ResourcePart } from './core/resourceContent';
import type { ResourceReader } from './core/resourceReader';
import { findResourceCommand } from './findResource';
import type { LiveResources } from './liveResources';
import type { Resources } from './resources';
import { ResourcesTree } from './resourcesTree';
import { fileOf, type ResourceTarget, resourceUri, serverOfRow, targetOf } from './resourceTarget';
import { TemplateMemory } from './templateMemory';

import vscode = require('vscode');

interface BrowsedWindow {
  readonly state: PlainState;
  readonly live: LiveResources;
  readonly resources: Resources;
}

interface ChosenResource {
  readonly target: ResourceTarget;
  readonly content: ResourceContent;
}

const MAX_PREVIEW = 50_000;

/** The tree of resources, and the commands on one of them, which is that of a row, or what the active editor shows. */
export class ResourceBrowsing extends Owner {
  /** Values that were last given to templates. */
  readonly memory: TemplateMemory;
  readonly rows: Lazy<ResourcesTree>;
  readonly commands = {
    addResourceToChat: argument => openChat({ attachFiles: [fileOf(targetOf(this.servers, argument))] }),
    copyResourceUri: argument => this.#copyUri(argument),
    findResource: () => findResourceCommand(this.servers),
    loadMoreResources: argument => this.#loadMore(argument),
    openResource: argument => this.open(argument),
    openTemplate: argument => openPage(this.servers, 'resourceTemplates', argument),
    previewMarkdown: argument => this.#preview(argument),
    refreshResources: argument => this.#refresh(argument),
    saveResourceAs: argument => this.#saveAs(argument),
    showResourceChanges: argument => this.#showChanges(argument),
    unwatchResource: argument => this.#unwatch(argument),
    watchResource: argument => this.#watch(argument),
  } satisfies Partial<CommandHandlers>;
  readonly #reader: ResourceReader;
  readonly #live: LiveResources;
  readonly #previews = lazy(() => this.own(new TextDocuments('mcp-preview')));

  constructor(
    private readonly servers: ServerSet,
    { state, live, resources }: BrowsedWindow,
  ) {
    super();
    this.#reader = resources.reader();
    this.#live = live;
    this.memory = this.own(new TemplateMemory(state));
    const sources = { memory: this.memory, watched: live.watched, marks: live.marks };
    this.rows = lazy(() => this.own(new ResourcesTree(servers, sources)));
  }

  /**
   * Opens the resource, or one of its contents, in a suitable editor. Reads it first, so that a failure is a message instead
   * of an empty editor. Resolves with whether something was opened.
   */
  async open(argument: unknown): Promise<boolean> {
    const target = targetOf(this.servers, argument);
    const { size = 0, uri } = target.resource;
    if (isLargeSize(size) && !(await this.#confirmLarge(target, size))) return false;
    const chosen = await this.#readOne(target);
    if (!chosen) return false;
    const { content } = chosen;
    if (isLarge(content)) {
      const isAsked = !isLargeSize(size);
      if (isAsked && !(await this.#confirmLarge(chosen.target, content.bytes.length, content))) return false;
      this.#reader.agree({ serverId: target.server.id, uri });
    }
    await show(chosen);
    return true;
  }

  /**
   * By the editor, which reads it in the process of all extensions, in a time that may grow with the square of its length: of a copy, which
   * stays as it is.
   */
  async #preview(argument: unknown): Promise<void> {
    const uri = argument instanceof vscode.Uri ? argument : vscode.window.activeTextEditor?.document.uri;
    if (!uri) return;
    const text = (await vscode.workspace.openTextDocument(uri)).getText();
    if (text.length > MAX_PREVIEW)
      throw new Error(
        t(
          'This text has {0} characters. A preview of more than {1} would hold up the editor.',
          text.length,
          MAX_PREVIEW,
        ),
      );
    const copy = this.#previews().add(uri.path.split('/').at(-1)!, withoutDrawings(text));
    await vscode.commands.executeCommand('markdown.showPreview', copy);
  }

  /** Opens what cannot be compared any more. */
  async #showChanges(argument: unknown): Promise<void> {
    if (!this.#live.showChanges(targetOf(this.servers, argument))) await this.open(argument);
  }

  async #saveAs(argument: unknown): Promise<void> {
    const chosen = await this.#readOne(targetOf(this.servers, argument));
    if (chosen) await saveCopy(chosen.target, chosen.content);
  }

  /** The server's URI; for one of several contents, that content's own. */
  async #copyUri(argument: unknown): Promise<void> {
    const target = targetOf(this.servers, argument);
    const part = target.part === undefined ? undefined : ((await this.#read(target)) as ResourcePart | undefined);
    await vscode.env.clipboard.writeText(part?.uri ?? target.resource.uri);
    window.setStatusBarMessage(t('Copied the URI'), 2_000);
  }

  /** Lists the resources of one server, or of all that are ready, again, and reloads what is open of them. */
  async #refresh(argument?: unknown): Promise<void> {
    const only = serverOfRow(argument);
    const servers = (only ? [only] : this.servers.all).filter(({ state }) => state.kind === 'ready');
    for (const server of servers) this.#live.editors.reload(server);
    await Promise.all(servers.map(({ catalog }) => reloadList(catalog)));
  }

  /** Fetches more of what one server lists, or, for all servers that have more, of each. */
  async #loadMore(argument?: unknown): Promise<void> {
    const only = serverOfRow(argument);
    await window.withProgress({ location: { viewId: 'mcpHost.resources' } }, () =>
      Promise.all((only ? [only] : this.servers.all).map(({ catalog }) => catalog.loadMore('resources'))),
    );
  }

  /** Notifies the person when the resource changes from now on. */
  async #watch(argument: unknown): Promise<void> {
    const { server, resource } = targetOf(this.servers, argument);
    const { watched, followed, refresher } = this.#live;
    const name = visible(resourceFileName(resource));
    if (server.info && !server.info.capabilities.resources?.subscribe) {
      const message = t(
        'Server "{0}" does not report changes to "{1}". To see changes, refresh it in the Resources view.',
        server.name,
        name,
      );
      void window.showInformationMessage(plain(message));
      return;
    }
    const address = { serverId: server.id, uri: resource.uri };
    watched.add(address);
    window.setStatusBarMessage(t('Watching {0}', rowText(name)), 3_000);
    // Later changes are compared with what is there now.
    if (followed.state(address) === 'live') await refresher.refresh(address);
    else if (server.info && !(await this.#becomesLive(address))) {
      watched.delete(address);
      throw new Error(t('Server "{0}" refused to report changes to "{1}". Its log says why.', server.name, name));
    }
  }

  #unwatch(argument: unknown): void {
    const { server, resource } = targetOf(this.servers, argument);
    this.#live.watched.delete({ serverId: server.id, uri: resource.uri });
  }

  /** False if the server refuses. Undecided until it is ready, because the subscription is requested later. */
  async #becomesLive(address: ResourceAddress): Promise<boolean> {
    const { followed } = this.#live;
    await until(() => followed.state(address) !== 'pending', [followed.onDidChangeState]);
    return followed.state(address) === 'live' || followed.state(address) === undefined;
  }

  /** Reads a resource; if it has several contents, the person chooses one. Undefined when they gave up. */
  async #readOne(target: ResourceTarget): Promise<ChosenResource | undefined> {
    const content = await this.#read(target);
    if (!content?.parts) return content && { target, content };
    const part = await pickPart(resourceFileName(target.resource), content.parts);
    return part && { target: { ...target, part: part.name }, content: part };
  }

  /** Reads a resource; undefined when the person cancelled. */
  #read({ server, resource, part }: ResourceTarget): Promise<ResourceContent | undefined> {
    return withProgress(t('Reading {0} from {1}…', resourceFileName(resource), server.name), signal =>
      this.#reader.read({ serverId: server.id, uri: resource.uri, part }, signal),
    );
  }

  /** Asks whether to open it anyway. If the person chooses to save it instead, that is done here. */
  async #confirmLarge(target: ResourceTarget, size: number, content?: ResourceContent): Promise<boolean> {
    const open = t('Open');
    const save = t('Save a Copy…');
    const chosen = await window.showWarningMessage(
      t('{0} has {1}.', resourceFileName(target.resource), formatSize(size)),
      { modal: true, detail: t('It may take a while to load and may slow down the editor.') },
      open,
      save,
    );
    if (chosen === save) {
      const chosenOne = content ? { target, content } : await this.#readOne(target);
      if (chosenOne) await saveCopy(chosenOne.target, chosenOne.content);
    }
    return chosen === open;
  }
}

/** Asks which of several contents is meant. Undefined when the person gave up. */
async function pickPart(of: string, parts: readonly ResourcePart[]): Promise<ResourcePart | undefined> {
  const items = parts.map(part => ({
    label: rowText(part.name),
    description: joined([rowText(part.mimeType ?? '', 60), rowText(formatSize(part.bytes.length))], ' · '),
    detail: rowText(part.uri, 300),
    iconPath: vscode.ThemeIcon.File,
    part,
  }));
  const placeHolder = t('{0} contents. Which one do you want to open?', parts.length);
  return (await window.showQuickPick(items, { title: plain(of), placeHolder, matchOnDetail: true }))?.part;
}

async function reloadList(catalog: Catalog): Promise<void> {
  if (catalog.list('resources').status !== 'unsupported') await catalog.load('resources');
}

async function show({ target, content: { kind, mimeType, shown } }: ChosenResource): Promise<void> {
  const { server, resource, part } = target;
  const of = { ...resource, mimeType: resource.mimeType ?? mimeType, text: () => Buffer.from(shown).toString() };
  const uri = resourceUri(server.id, of, part);
  if (kind !== 'binary') return vscode.commands.executeCommand('vscode.open', uri, { preview: true });
  // The added extension prevents previews for the original one from opening it.
  const hex = uri.with({ scheme: HEX_SCHEME, path: `${uri.path}.hex` });
  await vscode.window.showTextDocument(hex, { preview: true });
}

async function saveCopy(
  { server, resource }: ResourceTarget,
  { bytes, mimeType, name }: ResourceContent & Partial<ResourcePart>,
): Promise<void> {
  const fileName = name ?? resourceFileName({ ...resource, mimeType: resource.mimeType ?? mimeType });
  const destination = await askWhereToSave(t('Save a Copy of {0} from {1}', fileName, server.name), fileName);
  if (destination) await vscode.workspace.fs.writeFile(destination, bytes);
}
