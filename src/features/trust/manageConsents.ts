import vscode = require('vscode');

import { type PlainText, rowText } from '../../base/text';
import { joined, type PlainRow, t, window } from '../../editor/window';
import type { CommandConsents } from './core/commandConsents';
import { type Consents, type RememberedConsent, revokeShared } from './core/consent';

type Row = PlainRow & { revoke?: () => Promise<void> };

/**
 * Lists which servers were allowed or denied, and which commands inputs may always run. Whatever is unchecked asks again; a
 * server is stopped until then.
 */
export async function manageConsents(consents: Consents, commands: CommandConsents): Promise<void> {
  const servers = consents.all.map(
    (consent): Row => ({
      label: rowText(consent.server, 100),
      description: joined(
        [answerOf(consent), consent.scope === 'user' ? t('everywhere') : t('in this workspace')],
        ' · ',
      ),
      detail: rowText(launchOf(consent), 300),
      picked: true,
      revoke: () => revokeShared(consents, consent),
    }),
  );
  const inputs = commands.all.map(
    (command): Row => ({
      label: rowText(command.id, 100),
      description: joined(
        [t('always runs its command, allowed {0}', on(command.at)), rowText(command.where, 200)],
        ' · ',
      ),
      detail: rowText(command.text, 300),
      picked: true,
      revoke: () => commands.revoke(command),
    }),
  );
  if (servers.length === 0 && inputs.length === 0) {
    void window.showInformationMessage(t('You have not allowed or denied any MCP server in this workspace.'));
    return;
  }
  const separator: Row = { label: t('Inputs'), kind: vscode.QuickPickItemKind.Separator };
  const kept = await window.showQuickPick([...servers, ...(inputs.length > 0 ? [separator] : []), ...inputs], {
    canPickMany: true,
    title: t('Consents to start MCP servers'),
    placeHolder: t('Clear a consent to stop the server and to be asked again'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (!kept) return;
  for (const item of [...servers, ...inputs]) if (!kept.includes(item)) await item.revoke?.();
}

const on = (at: number) => new Date(at).toLocaleDateString(vscode.env.language);

function answerOf({ allowed, denied }: RememberedConsent): PlainText {
  if (allowed && denied) return t('allowed {0}, a later change denied {1}', on(allowed.at), on(denied.at));
  return denied ? t('denied {0}', on(denied.at)) : t('allowed {0}', on(allowed?.at ?? 0));
}

function launchOf({ allowed }: RememberedConsent): string {
  const parts = allowed?.fields.filter(({ kind }) => kind === 'command' || kind === 'argument' || kind === 'url') ?? [];
  return parts.map(({ text }) => text).join(' ');
}
