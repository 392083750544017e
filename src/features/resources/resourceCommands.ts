import vscode = require('vscode');

import { formatSize } from '../../base/numberText';
import { withProgress } from '../../editor/dialogs';
import { t, window } from '../../editor/window';
import type { ServerSet } from '../../host';
import type { Catalog } from '../../host/catalog';
import { resourceFileName } from './core/fileName';
import type { ResourceAddress } from './core/resourceAddress';
import type { ResourceContent, ResourcePart } from './core/resourceContent';
import type { ResourceNode } from './core/resourceNodes';
import type { ResourceReader } from './core/resourceReader';
import type { OpenEditors } from './openEditors';
import { pickPart } from './pickPart';
import type { ResourcesTree } from './resourcesTree';
import { type ResourceTarget, serverOfRow, targetOf } from './resourceTarget';
import { hexUri, resourceUri } from './resourceUri';

/** Larger resources are opened only after asking. */
const LARGE_BYTES = 20 * 1024 * 1024;

interface Chosen {
  readonly target: ResourceTarget;
  readonly content: ResourceContent;
}

/** Commands on a resource: open it, save a copy, copy its URI, refresh it. */
export class ResourceCommands {
  constructor(
    private readonly servers: ServerSet,
    private readonly reader: ResourceReader,
    private readonly editors: Pick<OpenEditors, 'reload'>,
  ) {}

  /**
   * Opens the resource, or one of its contents, in a suitable editor. Reads it first, so that a failure is a message instead
   * of an empty editor. Resolves with whether something was opened.
   */
  async open(argument: unknown): Promise<boolean> {
    const target = this.#target(argument);
    const listed = target.resource.size ?? 0;
    if (listed > LARGE_BYTES && !(await this.#confirmLarge(target, listed))) return false;
    const chosen = await this.#readOne(target);
    if (!chosen) return false;
    const size = chosen.content.bytes.length;
    if (
      listed <= LARGE_BYTES &&
      size > LARGE_BYTES &&
      !(await this.#confirmLarge(chosen.target, size, chosen.content))
    ) {
      return false;
    }
    await show(chosen);
    return true;
  }

  async saveAs(argument: unknown): Promise<void> {
    const chosen = await this.#readOne(this.#target(argument));
    if (chosen) await saveCopy(chosen.target, chosen.content);
  }

  /** The server's URI; for one of several contents, that content's own. */
  async copyUri(argument: unknown): Promise<void> {
    const target = this.#target(argument);
    const part = target.part === undefined ? undefined : ((await this.#read(target)) as ResourcePart | undefined);
    await vscode.env.clipboard.writeText(part?.uri ?? target.resource.uri);
    window.setStatusBarMessage(t('Copied the URI'), 2_000);
  }

  /** Lists the resources of one server, or of all that are ready, again, and reloads what is open of them. */
  async refresh(argument?: unknown): Promise<void> {
    const only = serverOfRow(argument);
    const servers = (only ? [only] : this.servers.all).filter(({ state }) => state.kind === 'ready');
    for (const server of servers) this.editors.reload(server);
    await Promise.all(servers.map(({ catalog }) => reloadList(catalog)));
  }

  /** Fetches more of what one server lists, or, for all servers that have more, of each. */
  async loadMore(argument?: unknown): Promise<void> {
    const only = serverOfRow(argument);
    await window.withProgress({ location: { viewId: 'mcpHost.resources' } }, () =>
      Promise.all((only ? [only] : this.servers.all).map(({ catalog }) => catalog.loadMore('resources'))),
    );
  }

  #target(argument: unknown): ResourceTarget {
    return targetOf(this.servers, argument);
  }

  /** Reads a resource; if it has several contents, the person chooses one. Undefined when they gave up. */
  async #readOne(target: ResourceTarget): Promise<Chosen | undefined> {
    const content = await this.#read(target);
    if (!content?.parts) return content && { target, content };
    const part = await pickPart(resourceFileName(target.resource), content.parts);
    return part && { target: { ...target, part: part.name }, content: part };
  }

  /** Reads a resource; undefined when the person cancelled. */
  #read({ server, resource, part }: ResourceTarget): Promise<ResourceContent | undefined> {
    const address: ResourceAddress = { serverId: server.id, uri: resource.uri, ...(part !== undefined && { part }) };
    return withProgress(t('Reading {0} from {1}…', resourceFileName(resource), server.name), signal =>
      this.reader.read(address, signal),
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

async function reloadList(catalog: Catalog): Promise<void> {
  if (catalog.list('resources').status !== 'unsupported') await catalog.load('resources');
}

async function show({ target, content: { kind, mimeType } }: Chosen): Promise<void> {
  const { server, resource, part } = target;
  const uri = resourceUri(server.id, { ...resource, mimeType: resource.mimeType ?? mimeType }, part);
  if (kind !== 'binary') return vscode.commands.executeCommand('vscode.open', uri, { preview: true });
  const document = await vscode.workspace.openTextDocument(hexUri(uri));
  await vscode.window.showTextDocument(document, { preview: true });
}

async function saveCopy(
  { server, resource, part }: ResourceTarget,
  { bytes, mimeType }: ResourceContent,
): Promise<void> {
  const fileName = part ?? resourceFileName({ ...resource, mimeType: resource.mimeType ?? mimeType });
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const destination = await vscode.window.showSaveDialog({
    title: t('Save a Copy of {0} from {1}', fileName, server.name),
    ...(folder && { defaultUri: vscode.Uri.joinPath(folder, fileName) }),
  });
  if (destination) await vscode.workspace.fs.writeFile(destination, bytes);
}

/** Selects the row of a resource in the Resources view. */
export function revealResource(
  servers: ServerSet,
  rows: ResourcesTree,
  view: vscode.TreeView<ResourceNode>,
  argument: unknown,
): Thenable<void> {
  const { server, resource } = targetOf(servers, argument);
  const row = rows.find(server, resource.uri);
  if (!row) throw new Error(t('"{0}" does not list this resource.', server.name));
  return view.reveal(row, { select: true, focus: true });
}
