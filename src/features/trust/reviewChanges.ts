import { diffText } from '../../base/diffText';
import { Owner } from '../../base/events';
import { rowText, visible } from '../../base/text';
import { nameToOpen } from '../../editor/openedAs';
import { TextDocuments } from '../../editor/textDocuments';
import { ownUri } from '../../editor/virtualFiles';
import { joined, t, window } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';
import type { PinChange } from './core/pins';
import type { Trust } from './trust';

import vscode = require('vscode');

const PIN_SCHEME = 'mcp-pin';

interface Review {
  server: ServerConnection;
  change: PinChange;
}

/** Shows what a server has changed since it was accepted, as a diff, and takes the person's answer to it. */
export class ReviewChanges extends Owner {
  readonly #documents: TextDocuments;
  /** By the URI of the right side. */
  readonly #open = new Map<string, Review>();
  #opened = 0;

  constructor(
    private readonly servers: ServerSet,
    private readonly trust: Trust,
  ) {
    super();
    const over = t('This review is over. Choose "Review Changes…" again.');
    this.#documents = this.own(new TextDocuments(PIN_SCHEME, over));
    this.own(
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.#documents.delete(uri);
        this.#open.delete(uri.toString());
      }),
    );
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
    if (!review) return void window.showInformationMessage(t('This review is over. Choose "Review Changes…" again.'));
    const { server, change } = review;
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    if (!accept) return;
    await this.trust.pins.accept(server, change);
    this.trust.audit.record({ type: 'pin', server: server.id, kind: change.kind, name: change.name, what: 'accepted' });
    const left = this.trust.pins.changes(server).length;
    const done = t('Accepted {0} from {1}.', titleOf(change), server.name);
    void window.setStatusBarMessage(left > 0 ? joined([done, t('{0} more to review.', left)]) : done, 5_000);
  }

  async #show({ server, change }: Review): Promise<void> {
    // The menu of the diff offers to keep blocked only what is.
    const isBlocked = this.trust.pins.mode(server.definition) === 'enforce';
    const folder = `/${isBlocked ? 'blocked' : 'used'}/${++this.#opened}`;
    const name = change.name.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 60) || change.kind;
    const side = (which: string, value: unknown) => {
      const text = diffText(value);
      const file = nameToOpen(`${name}.yaml`, { text: () => text });
      const uri = ownUri({ scheme: PIN_SCHEME, path: `${folder}/${which}/${file}` });
      this.#documents.set(uri, text);
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
