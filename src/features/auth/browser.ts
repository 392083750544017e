import vscode = require('vscode');

import { visible } from '../../base/text';
import { t, window } from '../../editor/window';
import type { AuthorizationRequest } from '../../host/definition';

/** How a person is asked, and sent to the authorization server. */
export interface Browser {
  /** Resolves with whether the person agrees. */
  consent(request: AuthorizationRequest): Promise<boolean>;
  open(url: URL): Promise<void>;
}

export const browser: Browser = {
  async consent(request) {
    const open = t('Open Browser');
    const question = t('Sign in to MCP server "{0}"?', request.server.name);
    const answer = await window.showInformationMessage(question, { modal: true, detail: describe(request) }, open);
    return answer === open;
  },
  async open({ href }) {
    // As a string, which the editor's code accepts as well as a `Uri` (`ExtHostWindow.openUri`) although its type does not
    // say so, and opens as it is: a `Uri` would lose what is encoded twice, such as the address to return to
    // (microsoft/vscode#85930).
    await vscode.env.openExternal(href as unknown as vscode.Uri);
  },
};

/** Says who would get what. Hosts are shown as they are requested, international ones in ASCII. */
export function describe({ server, issuer, scopes, url, isShared }: AuthorizationRequest): string {
  const { entry } = server;
  const address = entry && entry.type !== 'stdio' ? new URL(entry.url) : undefined;
  const asked = URL.canParse(issuer) ? new URL(issuer).host : issuer;
  return [
    address && t('Server: {0}', visible(address.origin + address.pathname, 200)),
    t('Authorization server: {0}', visible(asked, 200)),
    url.host === asked ? undefined : t('Opens in your browser: {0}', visible(url.host, 200)),
    scopes.length > 0
      ? t('Permissions: {0}', scopes.map(scope => visible(scope, 80)).join(', '))
      : t("Permissions: the server's defaults"),
    isShared ? t('This sign-in is used for all servers whose settings name the same identity provider.') : undefined,
    t('Continue only if you recognize these names.'),
  ]
    .filter(line => line !== undefined)
    .join('\n');
}
