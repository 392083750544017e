import { diffText } from '../../base/diffText';
import { rowText, visible } from '../../base/text';
import { joined, t, window } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';
import type { AuditLog } from './core/auditLog';
import type { PinChange } from './core/pins';
import type { Trust } from './trust';

import vscode = require('vscode');

/** Documents of earlier reviews that stay readable. */
const MAX_KEPT = 40;

/** Read-only documents of what would be launched, for diffs and for reviews that do not fit into a dialog. */
export class ReviewDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #registration: vscode.Disposable;
  #last = 0;

  constructor(private readonly scheme: 'mcp-review' | 'mcp-question' = 'mcp-review') {
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  }

  /** @param preview whether the next document to be opened may replace it. */
  async show(title: string, text: string, preview = true): Promise<vscode.Uri> {
    const document = await vscode.workspace.openTextDocument(this.#add(title, text));
    await vscode.window.showTextDocument(document, { preview });
    // The end of a long line must not be out of sight.
    const wraps = vscode.workspace.getConfiguration('editor', document).get('wordWrap') !== 'off';
    if (!wraps) await vscode.commands.executeCommand('editor.action.toggleWordWrap');
    return document.uri;
  }

  /** Closes what was shown, after a decision. */
  async close(documents: readonly vscode.Uri[]): Promise<void> {
    const keys = new Set(documents.map(String));
    const isOne = ({ input }: vscode.Tab) => keys.has(String((input as { uri?: vscode.Uri } | undefined)?.uri));
    await vscode.window.tabGroups.close(vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter(isOne));
    for (const { path } of documents) this.#texts.delete(path);
  }

  async showDiff(title: string, before: string, now: string): Promise<void> {
    const [left, right] = [this.#add('before', before), this.#add('now', now)];
    await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true });
  }

  provideTextDocumentContent({ path }: vscode.Uri): string | undefined {
    return this.#texts.get(path);
  }

  dispose(): void {
    this.#registration.dispose();
  }

  #add(title: string, text: string): vscode.Uri {
    const path = `/${++this.#last}/${title.replace(/[\\/]/g, '_')}`;
    this.#texts.set(path, text);
    for (const old of [...this.#texts.keys()].slice(0, -MAX_KEPT)) this.#texts.delete(old);
    return vscode.Uri.from({ scheme: this.scheme, path });
  }
}

/** Scheme of the two sides of a change under review. */
const PIN_SCHEME = 'mcp-pin';

interface Review {
  server: ServerConnection;
  change: PinChange;
}

/** Shows what a server has changed since it was accepted, as a diff, and takes the person's answer to it. */
export class ReviewChanges implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #registration: vscode.Disposable;
  readonly #texts = new Map<string, string>();
  /** By the URI of the right side. */
  readonly #open = new Map<string, Review>();
  #opened = 0;

  constructor(
    private readonly servers: ServerSet,
    private readonly trust: Trust,
  ) {
    this.#registration = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(PIN_SCHEME, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.#texts.delete(uri.toString());
        this.#open.delete(uri.toString());
      }),
    );
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? t('This review is over. Choose "Review Changes…" again.');
  }

  /** Shows a change of a row, of a server, or of any server; if there are several, the person chooses. */
  async review(argument?: unknown): Promise<void> {
    const { server, kind, item } = (argument ?? {}) as {
      server?: ServerConnection;
      kind?: string;
      item?: { name: string };
    };
    const reviews = (server ? [server] : this.servers.all).flatMap(one =>
      this.trust.pins.changes(one).map(change => ({ server: one, change })),
    );
    const ofRow = reviews.filter(({ change }) =>
      kind === 'instructions' ? change.kind === kind : `${change.kind}s` === kind && change.name === item?.name,
    );
    const chosen = await choose(ofRow.length > 0 ? ofRow : reviews);
    if (chosen) await this.#show(chosen);
  }

  /** Answers the review in the active editor. */
  async answer(accept: boolean): Promise<void> {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    const uri = input instanceof vscode.TabInputTextDiff ? input.modified.toString() : '';
    const review = this.#open.get(uri);
    if (!review) {
      void window.showInformationMessage(t('This review is over. Choose "Review Changes…" again.'));
      return;
    }
    const { server, change } = review;
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    if (!accept) return;
    await this.trust.pins.accept(server, change);
    this.trust.audit.record({ type: 'pin', server: server.id, kind: change.kind, name: change.name, what: 'accepted' });
    const left = this.trust.pins.changes(server).length;
    const done = t('Accepted {0} from {1}.', titleOf(change), server.name);
    void window.setStatusBarMessage(left > 0 ? joined([done, t('{0} more to review.', left)]) : done, 5_000);
  }

  dispose(): void {
    this.#registration.dispose();
    this.#texts.clear();
    this.#open.clear();
  }

  async #show({ server, change }: Review): Promise<void> {
    // The menu of the diff offers to keep blocked only what is.
    const isBlocked = this.trust.pins.mode(server.definition) === 'enforce';
    const folder = `/${isBlocked ? 'blocked' : 'used'}/${++this.#opened}`;
    const name = change.name.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 60) || change.kind;
    const side = (which: string, value: unknown) => {
      const uri = vscode.Uri.from({ scheme: PIN_SCHEME, path: `${folder}/${which}/${name}.yaml` });
      this.#texts.set(uri.toString(), diffText(value));
      return uri;
    };
    const [before, now] = [side('accepted', change.before), side('now', change.now)];
    this.#open.set(now.toString(), { server, change });
    const title = t('{0} of {1}: accepted ↔ now', titleOf(change), server.name);
    await vscode.commands.executeCommand('vscode.diff', before, now, title, { preview: false });
  }
}

async function choose(reviews: readonly Review[]): Promise<Review | undefined> {
  if (reviews.length === 0) {
    void window.showInformationMessage(t('No MCP server has changed anything since you accepted it.'));
    return undefined;
  }
  if (reviews.length === 1) return reviews[0];
  const items = reviews.map(review => ({
    label: rowText(titleOf(review.change)),
    description: rowText(review.server.id),
    review,
  }));
  return (await window.showQuickPick(items, { placeHolder: t('Select a change to review') }))?.review;
}

function titleOf({ kind, name }: PinChange): string {
  return kind === 'instructions' ? t('Instructions') : visible(name, 100);
}

/** Scheme of the read-only document that shows the audit log. */
const AUDIT_SCHEME = 'mcp-audit';
const uri = vscode.Uri.from({ scheme: AUDIT_SCHEME, path: '/audit.jsonl' });

/** The audit log as a document: one event on each line, the newest last, searchable like any text. */
export class AuditDocument implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #registration: vscode.Disposable;

  constructor(private readonly audit: AuditLog) {
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(AUDIT_SCHEME, this);
  }

  async provideTextDocumentContent(): Promise<string> {
    return (await this.audit.read()) || t('Nothing has been recorded yet.');
  }

  async show(): Promise<void> {
    this.#changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    const editor = await vscode.window.showTextDocument(document, { preview: false });
    const end = document.lineAt(document.lineCount - 1).range;
    editor.revealRange(end);
  }

  /** Saves the whole log to a file that the person chooses. */
  async export(): Promise<void> {
    const name = `mcp-audit-${new Date().toISOString().slice(0, 10)}.jsonl`;
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const destination = await vscode.window.showSaveDialog({
      title: t('Export Audit Log'),
      ...(folder && { defaultUri: vscode.Uri.joinPath(folder, name) }),
    });
    if (destination) await vscode.workspace.fs.writeFile(destination, Buffer.from(await this.audit.read()));
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }
}
