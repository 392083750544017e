import { type PlainText, plain, rowText } from '../../base/text';
import { answerIn } from '../../editor/dialogs';
import { joined, type PlainRow, t, window } from '../../editor/window';
import { type ServerConnection, type ServerSet, whyUnable } from '../../host';
import type { ServerDefinition } from '../../host/definition';
import type { ServerEntry } from '../../host/settings';
import type { ReviewDocuments } from '../review';
import { askDecision, askWhole, fitsDialog, isDrawnByOthers } from '../review';
import type { SettingsFiles } from '../settings';
import type { Consents, LaunchReview } from './core/consent';
import { waitingReviews } from './launchDecisions';
import { describeLaunches, launchDocument, launchLine, launchName } from './reviewText';
import { isConfinedUnasked, type SandboxDemand } from './sandboxText';

import vscode = require('vscode');

/** The command that shows the person what a server would launch: the server of a row, or all that wait. */
export class ReviewServers {
  constructor(
    private readonly servers: ServerSet,
    private readonly consents: Consents,
    private readonly dialog: ReviewDialog,
  ) {}

  async run(argument?: unknown): Promise<void> {
    const server = (argument as { server?: ServerConnection } | undefined)?.server;
    if (server) return this.#reviewOne(server);
    let checked: readonly LaunchReview[] = [];
    for (;;) {
      const waiting = waitingReviews(this.servers, this.consents);
      if (waiting.length === 0) return void window.showInformationMessage(t('No MCP server needs approval to start.'));
      if (waiting.length === 1) {
        await this.#reviewLaunches([waiting[0]!]);
        return;
      }
      const answer = await showReviewList(waiting, checked);
      if (!answer) return;
      if (answer.kind === 'checked') {
        if (answer.reviews.length > 0) await this.#reviewLaunches(answer.reviews);
        return;
      }
      checked = answer.checked;
      // Not answered: the person went to read a document or the settings, or will reopen the list with the command.
      if (!(await this.#reviewLaunches([answer.review]))) return;
    }
  }

  async #reviewOne(server: ServerConnection): Promise<void> {
    const review = this.consents.review(server.definition);
    if (review && review.answer !== 'allowed') await this.#reviewLaunches([review]);
    else if (server.state.kind === 'needsTrust') await vscode.commands.executeCommand('workbench.trust.manage');
    else void window.showInformationMessage(t('"{0}" does not need approval to start.', plain(server.id)));
  }

  /** @returns whether the person answered. */
  async #reviewLaunches(reviews: readonly LaunchReview[]): Promise<boolean> {
    const answer = await this.dialog.ask(reviews);
    if (!answer) return false;
    for (const review of reviews) await this.consents[answer](review);
    const changed = reviews.filter(
      review => !this.consents.isCurrent(review, this.servers.get(review.definition.id)?.definition),
    );
    if (answer === 'allow' && changed.length > 0) void this.#tellChanged(changed);
    return true;
  }

  /** Reports that settings have changed since: the answer applies to what was shown. */
  async #tellChanged(reviews: readonly LaunchReview[]): Promise<void> {
    const names = reviews.map(({ definition }) => `"${definition.id}"`).join(', ');
    const message = t(
      'The settings of {0} changed while you were reading, so the new settings were not allowed.',
      names,
    );
    const review = t('Review');
    if ((await window.showWarningMessage(plain(message), review)) === review) await this.run();
  }
}

/** The row shows even less; the dialog that follows shows everything. */
const MAX_DETAIL = 300;

/** The choice: the checked servers, or one server to look at, along with what was checked so far. */
type ListAnswer =
  | { readonly kind: 'checked'; readonly reviews: LaunchReview[] }
  | { readonly kind: 'details'; readonly review: LaunchReview; readonly checked: readonly LaunchReview[] };

/** Lists all servers that wait for consent, with none checked initially. */
function showReviewList(
  reviews: readonly LaunchReview[],
  checked: readonly LaunchReview[],
): Promise<ListAnswer | undefined> {
  const pick = window.createQuickPick<PlainRow & { review: LaunchReview }>();
  const details = { iconPath: new vscode.ThemeIcon('eye'), tooltip: t('Review') };
  pick.canSelectMany = true;
  pick.ignoreFocusOut = true;
  pick.matchOnDetail = true;
  pick.title = t('MCP servers that need approval to start');
  pick.placeholder = t('Select the servers to allow. Everything they run is shown next');
  pick.items = reviews.map(review => ({
    label: rowText(review.definition.id),
    description: joined([review.definition.source.scope === 'user' && t('user settings'), stateOf(review)], ' · '),
    detail: rowText(launchLine(review), MAX_DETAIL),
    buttons: [details],
    review,
  }));
  pick.selectedItems = pick.items.filter(({ review }) => checked.some(known => isSame(known, review)));
  return answerIn<ListAnswer>(pick, end => {
    pick.onDidAccept(() => end({ kind: 'checked', reviews: pick.selectedItems.map(({ review }) => review) }));
    pick.onDidTriggerItemButton(({ item }) =>
      end({ kind: 'details', review: item.review, checked: pick.selectedItems.map(({ review }) => review) }),
    );
  });
}

function stateOf({ before, answer, clearText, fingerprint }: LaunchReview): PlainText | '' {
  if (answer === 'denied') return t('denied by you');
  if (before?.fingerprint === fingerprint) return t('not shown in full when you allowed it');
  if (before) return t('changed since you allowed it');
  return clearText ? t('sends in clear text') : '';
}

const isSame = (a: LaunchReview, b: LaunchReview) =>
  a.definition.id === b.definition.id && a.fingerprint === b.fingerprint;

type ReviewAnswer = 'allow' | 'deny' | undefined;

interface ReviewServices {
  readonly documents: ReviewDocuments;
  readonly files: Pick<SettingsFiles, 'reveal' | 'uriOf'>;
  readonly packageLines: (entry: ServerEntry) => Promise<readonly string[]>;
  readonly sandbox: () => SandboxDemand;
  /** The person wants no sandbox for a server whose entry does not ask for one. Absent: they are not offered that. */
  readonly free?: (definition: ServerDefinition) => Promise<void>;
}

/**
 * Asks a person whether launches may be made. Everything that would be launched is shown: in the dialog, or, if that is too
 * long, on a page that workspace settings cannot affect and that allows it only at its end. Only pressing a button is an
 * answer.
 */
export class ReviewDialog {
  constructor(private readonly services: ReviewServices) {}

  async ask(reviews: readonly LaunchReview[]): Promise<ReviewAnswer> {
    const { documents, files, packageLines, sandbox, free } = this.services;
    const demand = sandbox();
    const question = questionFor(reviews);
    const known = new Map(
      await Promise.all(reviews.map(async one => [one, await packageLines(one.reviewed)] as const)),
    );
    const unable = reviews.some(one => isConfinedUnasked(one, demand)) ? await whyUnable() : undefined;
    const text = describeLaunches(reviews, review => this.#where(review), {
      packages: review => known.get(review) ?? [],
      sandbox: { ...demand, ...(unable && { unable }) },
    });
    const only = reviews.length === 1 ? reviews[0] : undefined;
    const [allow, deny] = [t('Allow'), t('Deny')];
    const mayBeFree = only && free && !unable && isConfinedUnasked(only, demand) && !demand.isDemanded(only.definition);
    const allowFree = mayBeFree && t('Allow Unconfined');
    const others = [
      deny,
      ...(only?.before && !isNamed(only) ? [t('Show Changes')] : []),
      ...(only ? [t('Open Settings')] : []),
    ];
    const buttons = { allow: [allow, ...(allowFree ? [allowFree] : [])], others };
    const fits = fitsDialog(text) && !isDrawnByOthers();
    const answer = fits
      ? await askDecision(question, text, buttons)
      : await askWhole({ title: only ? launchName(only) : t('MCP servers'), question, content: { text }, ...buttons });
    if (answer === t('Open Settings') && only) await files.reveal(only.definition);
    if (answer === t('Show Changes') && only?.before) {
      await documents.showDiff(
        t('{0}: allowed before ↔ now', launchName(only)),
        launchDocument(only.before.fields, only.fields, t('(before)')),
        launchDocument(only.fields, only.before.fields, t('(changed)')),
      );
      // The diff shortens long values, which have to be seen in full before they are allowed. A notification, because a document
      // has to be readable meanwhile.
      return fits ? answerOf(await window.showWarningMessage(plain(question), allow, deny)) : undefined;
    }
    if (!allowFree || answer !== allowFree) return answerOf(answer);
    await free?.(only.definition);
    return 'allow';
  }

  #where({ definition: { source } }: LaunchReview): string {
    if (source.managed !== undefined) return source.managed;
    if (source.scope === 'extension') return t('the extension {0}', source.folder?.name ?? '');
    if (source.scope === 'machine') return t('remote settings');
    return this.services.files.uriOf(source)?.fsPath ?? t('your user settings');
  }
}

const answerOf = (button: string | undefined): ReviewAnswer =>
  button === t('Allow') ? 'allow' : button === t('Deny') ? 'deny' : undefined;

function questionFor(reviews: readonly LaunchReview[]): string {
  const [first] = reviews;
  if (first && reviews.length === 1 && asksForRoots(first))
    return t('Let the MCP server "{0}" ask for more folders?', launchName(first));
  return reviews.length === 1
    ? t('Allow the MCP server "{0}" to start?', launchName(first!))
    : t('Allow these {0} MCP servers to start?', reviews.length);
}

/** Whether the only news is about shared folders, which the text names. */
const asksForRoots = ({ before, fingerprint, newRoots, newPackages }: LaunchReview) =>
  before?.fingerprint === fingerprint && newRoots.length > 0 && newPackages.length === 0;

/** Whether all that is new in it is named in the text, so that no diff shows it. */
const isNamed = ({ before, fingerprint, newRoots, newPackages }: LaunchReview) =>
  before?.fingerprint === fingerprint && newRoots.length + newPackages.length > 0;
