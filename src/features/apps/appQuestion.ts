import { diffText } from '../../base/diffText';
import { visible } from '../../base/text';
import { t, window } from '../../editor/window';
import type { ServerConnection } from '../../host';
import { askWhole, type ReviewDocuments } from '../trust';
import { type Agreement, readableDeclaration } from './core/agreements';
import { type AppDeclaration, type AppPermission, grantedOf } from './core/appDeclaration';
import type { AppPage } from './core/appPage';

/** A dialog shows so many addresses; what declares more is shown on a page. */
const MAX_IN_DIALOG = 12;

/**
 * Asks whether an app may be shown: before the first time, and when it is no longer what the person agreed to. Says what it can
 * reach, and shows what has changed.
 */
export async function askForApp(
  { server, title, page }: { server: ServerConnection; title: string; page: AppPage },
  agreement: Agreement,
  documents: Pick<ReviewDocuments, 'showDiff'>,
): Promise<boolean> {
  const { declaration } = page;
  const question = t('Show the app "{0}" of MCP server "{1}"?', title, server.name);
  const notes = agreement.state === 'changed' ? [t('The app has changed since you allowed it.')] : [];
  const lines = describe(declaration);
  const show = t('Show App');
  if (lines.length > MAX_IN_DIALOG + 3) {
    const buttons = [
      { answer: 'show', title: show, allows: true },
      { answer: 'no', title: t('Cancel'), allows: false },
    ];
    return (await askWhole({ title, question, notes, content: { text: lines.join('\n') }, buttons })) === 'show';
  }
  const detail = [...notes, ...lines].join('\n');
  // The first has the focus.
  const refuse = t("Don't Show");
  if (agreement.state !== 'changed') {
    return (await window.showWarningMessage(question, { modal: true, detail }, refuse, show)) === show;
  }
  const changes = t('Show Changes');
  const answer = await window.showWarningMessage(question, { modal: true, detail }, refuse, show, changes);
  if (answer !== changes) return answer === show;
  const { declared, html = t('The page is too long to be compared.') } = agreement.before;
  await documents.showDiff(
    t('{0} of {1}: allowed before ↔ now', title, server.name),
    `${diffText(declared)}\n\n${html}`,
    `${diffText(readableDeclaration(page))}\n\n${server.redact(page.html)}`,
  );
  return (await window.showWarningMessage(question, show, refuse)) === show;
}

/** The abilities of an app, one line each. */
export function describe(declaration: AppDeclaration): string[] {
  const { connectDomains, resourceDomains, frameDomains, baseUriDomains } = declaration.domains;
  const lists: [string, readonly string[]][] = [
    [t('It exchanges data with:'), connectDomains],
    [t('It loads scripts, styles and pictures from:'), resourceDomains],
    [t('It shows pages of:'), frameDomains],
    [t('Its links start at:'), baseUriDomains],
  ];
  const reached = lists.flatMap(([label, sources]) =>
    sources.length > 0 ? [label, ...sources.map(source => `• ${visible(source, 200)}`)] : [],
  );
  const granted = grantedOf(declaration);
  const abilities = declaration.permissions.map(name =>
    granted.includes(name) ? `• ${wordsFor(name)}` : `• ${t('{0} (not available in the editor)', wordsFor(name))}`,
  );
  const { leftOut } = declaration;
  return [
    t('It runs in a frame of its own, away from the editor, your files and other apps.'),
    ...(reached.length > 0 ? reached : [t('It can reach nothing on the network.')]),
    ...(abilities.length > 0 ? [t('It asks for:'), ...abilities] : []),
    ...(leftOut.length > 0 ? [t('Left out, because it is not the address of a single site:')] : []),
    ...leftOut.slice(0, 5).map(item => `• ${visible(item, 100)}`),
  ];
}

/** The same in a few words, for the line above the app. */
export function reachOf({ domains }: AppDeclaration): string {
  const all = [...new Set(Object.values(domains).flat())];
  if (all.length === 0) return t('no network');
  const [first = ''] = all;
  return all.length === 1 ? visible(first, 80) : t('{0} and {1} more', visible(first, 80), all.length - 1);
}

function wordsFor(permission: AppPermission): string {
  switch (permission) {
    case 'camera':
      return t('the camera');
    case 'microphone':
      return t('the microphone');
    case 'geolocation':
      return t('your location');
    case 'clipboardWrite':
      return t('writing to the clipboard');
  }
}
