import { visible, withoutIcons } from '../../base/text';
import { type PlainRow, t, window } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';

type Row = PlainRow & { server: ServerConnection };

/**
 * Lists who is signed in to which server, and lets one be signed out of. This is not done by an authentication provider,
 * because any extension could ask one for a session and would be handed its token.
 */
export async function manageAccounts(
  servers: ServerSet,
  signOut: (server: ServerConnection) => Promise<void>,
): Promise<void> {
  const rows = servers.all.flatMap(rowOf);
  if (rows.length === 0) {
    void window.showInformationMessage(t('You are not signed in to any MCP server.'));
    return;
  }
  const chosen = await window.showQuickPick(rows, {
    title: t('MCP server accounts'),
    placeHolder: t('Select an MCP server to sign out of'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (!chosen) return;
  const yes = t('Sign Out');
  const detail = t('Your sign-in is deleted here and revoked where possible. You are asked before you sign in again.');
  const question = t('Sign out of MCP server "{0}"?', chosen.server.name);
  const answer = await window.showWarningMessage(question, { modal: true, detail }, yes);
  if (answer === yes) await signOut(chosen.server);
}

/** The row of a server that the person is signed in to. */
function rowOf(server: ServerConnection): Row[] {
  const { signedIn } = server.account;
  if (!signedIn) return [];
  const { issuer, account, scopes } = signedIn;
  const host = visible(URL.canParse(issuer) ? new URL(issuer).host : issuer, 200);
  const description = account === undefined ? host : t('{0} at {1}', visible(account, 100), host);
  const permissions = scopes.map(scope => visible(scope, 80)).join(', ');
  return [
    {
      label: withoutIcons(server.id),
      description: withoutIcons(description),
      ...(permissions && { detail: withoutIcons(t('Permissions: {0}', permissions)) }),
      server,
    },
  ];
}
