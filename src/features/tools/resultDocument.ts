import vscode = require('vscode');

import { localized } from '../../editor/errorText';
import { isActedOn, nameToOpen } from '../../editor/openedAs';
import type { DetailNode } from '../../editor/serverRows';
import { folderStat, ownUri, VirtualFiles } from '../../editor/virtualFiles';
import { t } from '../../editor/window';
import { outputProblem } from '../../host';
import { resourceFileName, resourceUri } from '../resources';
import { type FinishedCall, type ResultLink, renderResult } from './core/resultText';

const RESULT_SCHEME = 'mcp-result';

const MAX_RESULTS = 20;
const MAX_TEXTS = 100;
const MAX_BYTES = 200 * 1024 * 1024;

interface KeptFiles {
  serverId: string;
  files: Map<string, Uint8Array>;
  links: readonly ResultLink[];
  document: string;
  time: number;
  bytes: number;
  call?: FinishedCall;
}

/**
 * The last results of tool calls as read-only files: `mcp-result://<session>/<number>/<name>`, the document and the pictures,
 * sounds and long texts that it links to. Bounded in number and in bytes; the oldest go first.
 */
export class ToolResults extends VirtualFiles implements vscode.DocumentLinkProvider {
  readonly #kept = new Map<number, KeptFiles>();
  readonly #texts = new Map<number, KeptFiles>();
  /** Tabs outlive the window, and one of an earlier window must not show another result, nor stand in its way. */
  readonly #session = Date.now().toString(36);
  #last = 0;

  constructor() {
    super(RESULT_SCHEME, { isCaseSensitive: true, isReadonly: true }, isActedOn);
    this.own(vscode.languages.registerDocumentLinkProvider({ scheme: RESULT_SCHEME }, this));
  }

  /** Keeps a result. @returns its document, followed by its pictures, as files that can be opened. */
  add(call: FinishedCall): vscode.Uri[] {
    const { text, links, files, images } = renderResult(call, localized);
    const document = resourceFileName({ uri: '', name: `${call.tool.name} result.txt` });
    const all = new Map(files).set(document, Buffer.from(text));
    const bytes = [...all.values()].reduce((sum, file) => sum + file.length, 0);
    const id = ++this.#last;
    this.#kept.set(id, { serverId: call.server.id, files: all, links, document, time: Date.now(), bytes, call });
    this.#evict();
    return [document, ...images].map(name => this.#uri(id, name));
  }

  /** Keeps a text of ours, such as a script that made calls. However many calls it made, it stays. */
  addText(name: string, text: string): vscode.Uri {
    const id = ++this.#last;
    const file = Buffer.from(text);
    const files = new Map([[name, file]]);
    this.#texts.set(id, { serverId: '', files, links: [], document: name, time: Date.now(), bytes: file.length });
    if (this.#texts.size > MAX_TEXTS) this.#texts.delete(this.#texts.keys().next().value!);
    return this.#uri(id, name);
  }

  /** Keeps a result and shows it: the document, with the first picture beside it. @returns the document. */
  async show(call: FinishedCall): Promise<vscode.Uri> {
    const [document, picture] = this.add(call);
    const editor = await vscode.window.showTextDocument(document!, { preview: true });
    if (picture) {
      const viewColumn = vscode.ViewColumn.Beside;
      await vscode.commands.executeCommand('vscode.open', picture, { viewColumn, preview: true, preserveFocus: true });
    }
    return editor.document.uri;
  }

  callOf(uri: vscode.Uri): FinishedCall | undefined {
    return this.#find(uri)?.kept.call;
  }

  provideDocumentLinks(document: vscode.TextDocument): vscode.DocumentLink[] {
    const found = this.#find(document.uri);
    if (!found || found.name !== found.kept.document) return [];
    const { id, kept } = found;
    return kept.links.map(({ start, end, target }) => {
      const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
      const uri = target.kind === 'file' ? this.#uri(id, target.name) : resourceUri(kept.serverId, target.resource);
      return new vscode.DocumentLink(range, uri);
    });
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    if (uri.path.split('/').filter(Boolean).length < 2) return folderStat;
    const { kept, bytes } = this.#file(uri);
    const permissions = vscode.FilePermission.Readonly;
    return { type: vscode.FileType.File, ctime: kept.time, mtime: kept.time, size: bytes.length, permissions };
  }

  protected override serverOf(uri: vscode.Uri): string | undefined {
    return this.#find(uri)?.kept.serverId;
  }

  protected override bytesOf(uri: vscode.Uri): Uint8Array {
    return this.#file(uri).bytes;
  }

  override dispose(): void {
    super.dispose();
    this.#kept.clear();
    this.#texts.clear();
  }

  #evict(): void {
    let bytes = [...this.#kept.values()].reduce((sum, kept) => sum + kept.bytes, 0);
    for (const [id, kept] of this.#kept) {
      // The newest stays, whatever its size, because someone is about to look at it.
      if (id === this.#last || (this.#kept.size <= MAX_RESULTS && bytes <= MAX_BYTES)) return;
      this.#kept.delete(id);
      bytes -= kept.bytes;
    }
  }

  #uri(id: number, name: string): vscode.Uri {
    const kept = this.#keptOf(id);
    const path = `/${id}/${kept ? openedName(kept, name) : name}`;
    return ownUri({ scheme: RESULT_SCHEME, authority: this.#session, path });
  }

  #keptOf(id: number): KeptFiles | undefined {
    return this.#kept.get(id) ?? this.#texts.get(id);
  }

  #find({ authority, path }: vscode.Uri): { id: number; kept: KeptFiles; name: string } | undefined {
    if (authority !== this.#session) return undefined;
    const [, id = '', opened = ''] = path.split('/');
    const kept = this.#keptOf(Number(id));
    const name = kept && [...kept.files.keys()].find(file => openedName(kept, file) === opened);
    return name === undefined ? undefined : { id: Number(id), kept: kept!, name };
  }

  #file(uri: vscode.Uri): { kept: KeptFiles; bytes: Uint8Array } {
    const found = this.#find(uri);
    const bytes = found?.kept.files.get(found.name);
    if (found && bytes) return { kept: found.kept, bytes };
    throw vscode.FileSystemError.FileNotFound(t('This tool result is no longer available. Run the tool again.'));
  }
}

const openedName = ({ serverId, files }: KeptFiles, name: string): string =>
  nameToOpen(name, { server: serverId, text: () => Buffer.from(files.get(name) ?? '').toString() });

export type ResultStore = Pick<ToolResults, 'add' | 'addText'>;

/** Opens the result of a task that has ended. After that its row is no longer needed. */
export async function openCallResult(results: ToolResults, argument: unknown): Promise<void> {
  const { call } = (argument ?? {}) as Partial<DetailNode>;
  if (!call?.end || !('result' in call.end)) return;
  const { server, tool, args, end } = call;
  const { result, ms } = end;
  await results.show({ server, tool, args, result, problem: outputProblem(tool, result), ms });
  call.dismiss();
}
