// A person's consent to what a workspace wants to start.
import { attemptMs, check, persist } from './dom';
import type { Workbench } from './workbench';

/** Allows every server of the workspace that waits, through the notification, the list (of several) and the dialog. */
export async function allowServers({ wb }: Pick<Workbench, 'wb'>): Promise<void> {
  const all = wb.quickInput.getByRole('checkbox', { name: 'Toggle all checkboxes' }).first();
  const review = all.or(wb.dialog).first();
  await persist(async () => {
    if (!(await review.isVisible())) {
      const notification = await wb.notification(/MCP server.* needs? your approval to start/);
      await notification.getByRole('button', { name: 'Review' }).click({ timeout: attemptMs });
    }
    await review.waitFor({ timeout: attemptMs });
  }, 'the review of what wants to start');
  // One or several: by what has opened, as more may have come since the notification was read.
  if (await all.isVisible()) {
    await check(all, true);
    await wb.quickInput.getByRole('button', { name: 'OK', exact: true }).click();
  }
  const { buttons } = await wb.modal();
  if (buttons.includes('Allow')) return wb.answerModal('Allow');
  // Paths on this machine are too long for the dialog: the answer is at the end of a page.
  await wb.answerModal('Show All');
  await wb.webview().getByRole('button', { name: 'Allow', exact: true }).click();
}
