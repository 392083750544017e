import type { Consents, RememberedConsent } from '../../host/consent';
import type { PlainText } from '../../host/text';
import { rowText } from '../completion/rowText';
import { joined, t, window } from '../window';

/** Lists which servers were allowed or denied; what is unchecked is asked about again, and stopped meanwhile. */
export async function manageConsents(consents: Consents): Promise<void> {
  const items = consents.all.map(consent => ({
    label: rowText(consent.server, 100),
    description: joined(
      [answerOf(consent), consent.scope === 'user' ? t('everywhere') : t('in this workspace')],
      ' · ',
    ),
    detail: rowText(launchOf(consent), 300),
    picked: true,
    consent,
  }));
  if (items.length === 0) {
    void window.showInformationMessage(t('No MCP server was allowed or denied in this workspace.'));
    return;
  }
  const kept = await window.showQuickPick(items, {
    canPickMany: true,
    title: t('Consents to start MCP servers'),
    placeHolder: t('Uncheck what is to be stopped and asked about again'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (!kept) return;
  for (const item of items) if (!kept.includes(item)) await consents.revoke(item.consent);
}

function answerOf({ allowed, denied }: RememberedConsent): PlainText {
  const on = (at: number) => new Date(at).toLocaleDateString();
  if (allowed && denied) return t('allowed {0}, a change of it denied {1}', on(allowed.at), on(denied.at));
  return denied ? t('denied {0}', on(denied.at)) : t('allowed {0}', on(allowed?.at ?? 0));
}

function launchOf({ allowed }: RememberedConsent): string {
  const parts = allowed?.fields.filter(({ kind }) => kind === 'command' || kind === 'argument' || kind === 'url') ?? [];
  return parts.map(({ text }) => text).join(' ');
}
