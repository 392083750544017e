import vscode = require('vscode');

import { type PlainText, rowText } from '../../base/text';
import { joined, type PlainRow, t, window } from '../../editor/window';
import type { LaunchReview } from './core/consent';
import { launchLine } from './reviewText';

/** The row shows even less; the dialog that follows shows everything. */
const MAX_DETAIL = 300;

interface Row extends PlainRow {
  review: LaunchReview;
}

/** The choice: the checked servers, or one server to look at, along with what was checked so far. */
type ListAnswer =
  | { readonly kind: 'checked'; readonly reviews: LaunchReview[] }
  | { readonly kind: 'details'; readonly review: LaunchReview; readonly checked: readonly LaunchReview[] };

/** Lists all servers that wait for consent, with none checked initially. */
export function showReviewList(
  reviews: readonly LaunchReview[],
  checked: readonly LaunchReview[],
): Promise<ListAnswer | undefined> {
  const pick = window.createQuickPick<Row>();
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
  return new Promise(resolve => {
    const end = (answer?: ListAnswer) => {
      resolve(answer);
      pick.dispose();
    };
    pick.onDidAccept(() => end({ kind: 'checked', reviews: pick.selectedItems.map(({ review }) => review) }));
    pick.onDidTriggerItemButton(({ item }) =>
      end({ kind: 'details', review: item.review, checked: pick.selectedItems.map(({ review }) => review) }),
    );
    pick.onDidHide(() => end());
    pick.show();
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
