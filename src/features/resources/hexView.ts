import vscode = require('vscode');

import { t } from '../../editor/window';
import { hexDump, MAX_HEX_BYTES } from './core/hexDump';
import { parseResourceUri } from './core/resourceAddress';
import type { ResourceReader } from './core/resourceReader';

/** Shows bytes that no text or media editor can show. */
export class HexView implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;

  constructor(private readonly reader: ResourceReader) {}

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const address = parseResourceUri(uri);
    if (!address) throw vscode.FileSystemError.FileNotFound(uri);
    const { bytes } = await this.reader.recent(address);
    const rest = bytes.length - MAX_HEX_BYTES;
    if (rest <= 0) return hexDump(bytes);
    return `${hexDump(bytes)}${t('… {0} more bytes are not shown. "Save a Copy…" writes all of them to a file.', rest)}\n`;
  }

  tellChanged(uris: readonly vscode.Uri[]): void {
    for (const uri of uris) this.#changed.fire(uri);
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
