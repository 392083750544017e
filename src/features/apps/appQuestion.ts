import { diffText } from '../../base/diffText';
import { visible } from '../../base/text';
import { askDecision } from '../../editor/dialogs';
import { t, window } from '../../editor/window';
import type { ServerConnection } from '../../host';
import { askWhole, type ReviewDocuments } from '../trust';
import { type Agreement, readableDeclaration } from './core/agreements';
import { type AppDeclaration, type AppPermission, grantedOf, hasReach } from './core/appDeclaration';
import type { AppPage } from './core/appPage';

/** A dialog shows so many addresses; what declares more is shown on a page. */
const MAX_IN_DIALOG = 12;

/** An app that wants to be shown, with the tools that only apps of its server can call. */
interface AskedApp {
  readonly server: ServerConnection;
  readonly title: string;
  readonly page: AppPage;
  readonly tools: readonly string[];
}

/**
 * Asks whether an app may be shown: before the first time, and when it is no longer what the person agreed to. Says what it can
 * reach and call, and shows what has changed.
 */
export async function askForApp(
  { server, title, page, tools }: AskedApp,
  agreement: Agreement,
  documents: Pick<ReviewDocuments, 'showDiff'>,
): Promise<boolean> {
  const { declaration } = page;
  const question = t('Show the app "{0}" of MCP server "{1}"?', title, server.name);
  const notes = agreement.state === 'changed' ? [t('The app has changed since you allowed it.')] : [];
  const lines = [...describe(declaration), ...describeTools(tools)];
  const [refuse, show] = [t("Don't Show"), t('Show App')];
  if (lines.length > MAX_IN_DIALOG + 3) {
    const buttons = [
      { answer: 'show', title: show, allows: true },
      { answer: 'no', title: refuse, allows: false },
    ];
    return (await askWhole({ title, question, notes, content: { text: lines.join('\n') }, buttons })) === 'show';
  }
  const detail = [...notes, ...lines].join('\n');
  if (agreement.state !== 'changed') {
    return (await askDecision(question, detail, refuse, show)) === show;
  }
  const changes = t('Show Changes');
  const answer = await askDecision(question, detail, refuse, show, changes);
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

function describeTools(tools: readonly string[]): string[] {
  if (tools.length === 0) return [];
  return [
    t('While it is open, it calls these tools without a question. Only apps can call them:'),
    ...tools.map(name => `• ${visible(name, 100)}`),
  ];
}

/** The same in a few words, for the line above the app. */
export function reachOf(declaration: AppDeclaration): string {
  if (!hasReach(declaration)) return t('no network, no permissions');
  const [first, ...others] = new Set(Object.values(declaration.domains).flat());
  const site = first === undefined ? t('no network') : visible(first, 80);
  const sites = others.length > 0 ? t('{0} and {1} more', site, others.length) : site;
  return [sites, ...grantedOf(declaration).map(wordsFor)].join(' · ');
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
