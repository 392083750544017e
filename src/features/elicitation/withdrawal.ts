import { whenAborted } from '../../base/queue';
import { t, window } from '../../editor/window';
import type { ServerDefinition } from '../../host/definition';
import type { Question } from './core/questionQueue';

/** The choice in a notification; undefined once the question is withdrawn. Later choices say that it is too late. */
export async function unlessWithdrawn(
  { server, signal }: Question,
  shown: Thenable<string | undefined>,
): Promise<string | undefined> {
  const chosen = await Promise.race([shown, whenAborted(signal)]);
  if (!signal.aborted) return chosen;
  void shown.then(late => late !== undefined && tellWithdrawn(server));
  return undefined;
}

export const withdrawnText = ({ name }: ServerDefinition) =>
  t('MCP server "{0}" is no longer waiting for your answer.', name);

export function tellWithdrawn(server: ServerDefinition): void {
  void window.showInformationMessage(withdrawnText(server));
}
