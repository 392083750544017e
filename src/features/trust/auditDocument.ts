import { Owner } from '../../base/events';
import { askWhereToSave } from '../../editor/dialogs';
import { t } from '../../editor/window';
import type { AuditLog } from './core/auditLog';

import vscode = require('vscode');

const AUDIT_SCHEME = 'mcp-audit';
const uri = vscode.Uri.from({ scheme: AUDIT_SCHEME, path: '/audit.jsonl' });

/** The audit log as a document: one event on each line, the newest last, searchable like any text. */
export class AuditDocument extends Owner implements vscode.TextDocumentContentProvider {
  readonly #changed = this.own(new vscode.EventEmitter<vscode.Uri>());
  readonly onDidChange = this.#changed.event;

  constructor(private readonly audit: AuditLog) {
    super();
    this.own(vscode.workspace.registerTextDocumentContentProvider(AUDIT_SCHEME, this));
  }

  async provideTextDocumentContent(): Promise<string> {
    return (await this.audit.read()) || t('Nothing has been recorded yet.');
  }

  async show(): Promise<void> {
    this.#changed.fire(uri);
    const editor = await vscode.window.showTextDocument(uri, { preview: false });
    editor.revealRange(editor.document.lineAt(editor.document.lineCount - 1).range);
  }

  async export(): Promise<void> {
    const name = `mcp-audit-${new Date().toISOString().slice(0, 10)}.jsonl`;
    const destination = await askWhereToSave(t('Export Audit Log'), name);
    if (destination) await vscode.workspace.fs.writeFile(destination, Buffer.from(await this.audit.read()));
  }
}
