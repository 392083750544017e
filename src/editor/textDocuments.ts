import { Owner } from '../base/events';
import { isActedOn, nameToOpen } from './openedAs';
import { actedOnText, isOwnUri, ownUri, serversOf } from './virtualFiles';

import vscode = require('vscode');

/** How much of the documents of one scheme is kept, in characters: of those that were set last. */
const MAX_KEPT = 50_000_000;

/** Read-only documents of one scheme, whose texts this window makes. */
export class TextDocuments extends Owner implements vscode.TextDocumentContentProvider {
  readonly #texts = new Map<string, { readonly text: string; readonly server: string | undefined }>();
  readonly #changed = this.own(new vscode.EventEmitter<vscode.Uri>());
  readonly onDidChange = this.#changed.event;
  #added = 0;

  /** @param gone the text of those that are not kept; undefined: they cannot be opened. */
  constructor(
    private readonly scheme: string,
    private readonly gone?: string,
  ) {
    super();
    this.own(vscode.workspace.registerTextDocumentContentProvider(scheme, this));
    serversOf.set(scheme, uri => this.#texts.get(String(uri))?.server);
  }

  /** Makes another document. @param name of its tab, from which the editor takes its language. @param server whose text it is */
  add(name: string, text: string, server?: string): vscode.Uri {
    const uri = ownUri({
      scheme: this.scheme,
      path: `/${++this.#added}/${nameToOpen(name.replace(/[\\/]/g, '_'), { server, text: () => text })}`,
    });
    this.set(uri, text, server);
    return uri;
  }

  /** Gives a document its text, also where it is open. @param uri made by `ownUri` */
  set(uri: vscode.Uri, text: string, server?: string): void {
    this.delete(uri);
    this.#texts.set(String(uri), { text, server });
    let size = 0;
    for (const [key, kept] of [...this.#texts].reverse()) {
      size += kept.text.length;
      if (size > MAX_KEPT && size > kept.text.length) this.#texts.delete(key);
    }
    this.#changed.fire(uri);
  }

  delete(uri: vscode.Uri): void {
    this.#texts.delete(String(uri));
  }

  provideTextDocumentContent(uri: vscode.Uri): string | undefined {
    const kept = isOwnUri(uri) ? this.#texts.get(String(uri)) : undefined;
    if (!kept) return this.gone;
    const { text, server } = kept;
    return isActedOn(uri.path, { server, text: () => text }) ? actedOnText() : text;
  }
}
