import vscode = require('vscode');

import { plain } from '../../base/text';
import { t, window } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';
import type { Consents, LaunchReview } from './core/consent';
import { waitingReviews } from './launchNotices';
import type { ReviewDialog } from './reviewDialog';
import { showReviewList } from './reviewList';

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
      if (waiting.length === 0) {
        void window.showInformationMessage(t('No MCP server needs approval to start.'));
        return;
      }
      if (waiting.length === 1) {
        await this.#ask([waiting[0]!]);
        return;
      }
      const answer = await showReviewList(waiting, checked);
      if (!answer) return;
      if (answer.kind === 'checked') {
        if (answer.reviews.length > 0) await this.#ask(answer.reviews);
        return;
      }
      checked = answer.checked;
      // Not answered: the person went to read a document or the settings, or will reopen the list with the command.
      if (!(await this.#ask([answer.review]))) return;
    }
  }

  async #reviewOne(server: ServerConnection): Promise<void> {
    const review = this.consents.review(server.definition);
    if (review && review.answer !== 'allowed') await this.#ask([review]);
    else if (server.state.kind === 'needsTrust') await vscode.commands.executeCommand('workbench.trust.manage');
    else void window.showInformationMessage(t('"{0}" does not need approval to start.', plain(server.id)));
  }

  /** @returns whether the person answered. */
  async #ask(reviews: readonly LaunchReview[]): Promise<boolean> {
    const answer = await this.dialog.ask(reviews);
    if (!answer) return false;
    for (const review of reviews) await this.consents[answer](review);
    const changed = reviews.filter(review => !this.consents.isCurrent(review, this.#definitionOf(review)));
    if (answer === 'allow' && changed.length > 0) void this.#tellChanged(changed);
    return true;
  }

  #definitionOf({ definition }: LaunchReview) {
    return this.servers.get(definition.id)?.definition;
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
