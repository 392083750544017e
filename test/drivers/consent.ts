// A person's consent to what a workspace wants to start.
import { attemptMs, check, persist, soon } from './dom';
import type { Workbench } from './workbench';

/** Allows every server of the workspace that waits, through the notification, the list (of several) and the dialog. */
export async function allowServers({ wb }: Pick<Workbench, 'wb'>): Promise<void> {
  const all = wb.quickInput.getByRole('checkbox', { name: 'Toggle all checkboxes' }).first();
  // Paths on this machine may be too long for the dialog: then the answer is at the end of a page.
  const onPage = wb.webview().getByRole('button', { name: 'Allow', exact: true });
  const isAsked = async () => (await wb.dialog.isVisible()) || (await onPage.isVisible());
  await persist(async () => {
    if (!(await all.isVisible()) && !(await isAsked())) {
      const notification = await wb.notification(/MCP server.* needs? your approval to start/);
      await notification.getByRole('button', { name: 'Review' }).click({ timeout: attemptMs });
    }
    await soon(async () => (await all.isVisible()) || (await isAsked()), 'the list or the question');
  }, 'the review of what wants to start');
  // One or several: by what has opened, as more may have come since the notification was read.
  if (await all.isVisible()) {
    await check(all, true);
    await wb.quickInput.getByRole('button', { name: 'OK', exact: true }).click();
  }
  await persist(() => soon(isAsked, 'the question'), 'the question about what is checked');
  if (await wb.dialog.isVisible()) await wb.answerModal('Allow');
  else await onPage.click();
}
