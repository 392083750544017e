import { t, window } from './window';

/**
 * Asks in a modal dialog in which the person can refuse, such as with "Deny". The first of the buttons has the focus, so it is
 * one that allows nothing. What closes the dialog decides nothing either and is called "Not Now": the editor's own "Cancel" would
 * leave open how it differs from the refusal. Undefined: not decided.
 */
export async function askDecision(
  message: string,
  detail: string,
  ...buttons: readonly string[]
): Promise<string | undefined> {
  const later = { title: t('Not Now'), isCloseAffordance: true };
  const answer = await window.showWarningMessage(message, { modal: true, detail }, ...buttons, later);
  return typeof answer === 'string' ? answer : undefined;
}
