import * as vscode from 'vscode';
import type { Catalog } from '../../host';
import { withProgress } from '../progress';
import type { ServerSet } from '../servers/serverSet';
import { formatSize } from '../size';
import type { ResourceAddress } from './address';
import type { ResourceContent } from './content';
import { resourceFileName } from './fileName';
import type { OpenEditors } from './openEditors';
import type { ResourceReader } from './reader';
import { type ResourceTarget, resourceTarget, serverOfRow } from './target';
import { hexUri, resourceUri } from './uri';

const { t } = vscode.l10n;

/** Larger resources are opened only when the person says so. */
const LARGE_BYTES = 5 * 1024 * 1024;

/** What a person does with a resource: open it, keep a copy, take its URI, look again. */
export class ResourceCommands {
  constructor(
    private readonly servers: ServerSet,
    private readonly reader: ResourceReader,
    private readonly editors: OpenEditors,
  ) {}

  /** Opens the resource in the editor that suits it. Read first: a failure is a message, not an empty editor. */
  async open(argument: unknown): Promise<void> {
    const target = this.#target(argument);
    const listed = target.resource.size ?? 0;
    if (listed > LARGE_BYTES && !(await this.#confirmLarge(target, listed))) return;
    const content = await this.#read(target);
    if (!content) return;
    const size = content.bytes.length;
    if (listed <= LARGE_BYTES && size > LARGE_BYTES && !(await this.#confirmLarge(target, size, content))) return;
    await show(target, content);
  }

  async saveAs(argument: unknown): Promise<void> {
    const target = this.#target(argument);
    const content = await this.#read(target);
    if (content) await saveCopy(target, content);
  }

  async copyUri(argument: unknown): Promise<void> {
    const { resource } = this.#target(argument);
    await vscode.env.clipboard.writeText(resource.uri);
    vscode.window.setStatusBarMessage(t('Copied the URI'), 2_000);
  }

  /** Lists the resources of one server, or of all that are ready, again, and reloads what is open of them. */
  async refresh(argument?: unknown): Promise<void> {
    const only = serverOfRow(argument);
    const servers = (only ? [only] : this.servers.all).filter(({ state }) => state.kind === 'ready');
    for (const server of servers) this.editors.reload(server);
    await Promise.all(servers.map(({ catalog }) => reloadList(catalog)));
  }

  /** Fetches more of what one server lists, or of what all do that have more. */
  async loadMore(argument?: unknown): Promise<void> {
    const only = serverOfRow(argument);
    await vscode.window.withProgress({ location: { viewId: 'mcpHost.resources' } }, () =>
      Promise.all((only ? [only] : this.servers.all).map(({ catalog }) => catalog.loadMore('resources'))),
    );
  }

  #target(argument: unknown): ResourceTarget {
    const target = resourceTarget(this.servers, argument);
    if (!target) throw new Error(t('Choose a resource in the view "Resources", or open one first.'));
    return target;
  }

  /** Undefined when the person cancelled. */
  #read({ server, resource }: ResourceTarget): Promise<ResourceContent | undefined> {
    const address: ResourceAddress = { serverId: server.id, uri: resource.uri };
    return withProgress(t('Reading {0} from {1}…', resourceFileName(resource), server.name), signal =>
      this.reader.read(address, signal),
    );
  }

  /** Whether to open it after all. Saving it instead is done here. */
  async #confirmLarge(target: ResourceTarget, size: number, content?: ResourceContent): Promise<boolean> {
    const open = t('Open');
    const save = t('Save a Copy…');
    const chosen = await vscode.window.showWarningMessage(
      t('{0} has {1}.', resourceFileName(target.resource), formatSize(size)),
      { modal: true, detail: t('It may take a while to load, and the editor may be slow with it.') },
      open,
      save,
    );
    if (chosen === save) {
      const read = content ?? (await this.#read(target));
      if (read) await saveCopy(target, read);
    }
    return chosen === open;
  }
}

async function reloadList(catalog: Catalog): Promise<void> {
  if (catalog.list('resources').status !== 'unsupported') await catalog.load('resources');
}

async function show({ server, resource }: ResourceTarget, { kind, mimeType }: ResourceContent): Promise<void> {
  const uri = resourceUri(server.id, { ...resource, mimeType: resource.mimeType ?? mimeType });
  if (kind !== 'binary') return vscode.commands.executeCommand('vscode.open', uri, { preview: true });
  const document = await vscode.workspace.openTextDocument(hexUri(uri));
  await vscode.window.showTextDocument(document, { preview: true });
}

async function saveCopy({ server, resource }: ResourceTarget, { bytes, mimeType }: ResourceContent): Promise<void> {
  const fileName = resourceFileName({ ...resource, mimeType: resource.mimeType ?? mimeType });
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const destination = await vscode.window.showSaveDialog({
    title: t('Save a Copy of {0} from {1}', fileName, server.name),
    ...(folder && { defaultUri: vscode.Uri.joinPath(folder, fileName) }),
  });
  if (destination) await vscode.workspace.fs.writeFile(destination, bytes);
}
