// What a person answers in a notification.
import { attemptMs, persist } from './dom';
import type { Workbench } from './workbench';

/**
 * Clicks a button of the notification that contains this text. It goes from the window after ten seconds, which a busy machine
 * may take for a picture or for the look at something else: then it is answered in the list of notifications.
 */
export async function answerNotification(
  { wb, host }: Pick<Workbench, 'wb' | 'host'>,
  text: string | RegExp,
  button: string,
): Promise<void> {
  await persist(async () => {
    const shown = await wb.notification(text);
    await shown.getByRole('button', { name: button, exact: true }).click({ timeout: attemptMs });
  }, `"${button}" of the notification "${text}"`);
  await host.command('notifications.hideList'); // it would lie over what comes next
}

/** Closes the notification that contains this text, wherever it is by then. Its button is drawn while the mouse is over it. */
export async function closeNotification(
  { wb, host }: Pick<Workbench, 'wb' | 'host'>,
  text: string | RegExp,
): Promise<void> {
  await persist(async () => {
    const shown = await wb.notification(text);
    await shown.hover({ timeout: attemptMs });
    await shown.getByRole('button', { name: /^Clear Notification/ }).click({ timeout: attemptMs });
  }, `the notification "${text}" to be closed`);
  await host.command('notifications.hideList');
}
