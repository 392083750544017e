import type { ElicitResult } from '@modelcontextprotocol/client';
import { exact, type PlainText, visible, visibleLines } from '../../base/text';
import { t, verbatim, window } from '../../editor/window';
import type { ServerConnection } from '../../host';
import { askDecision, askWhole } from '../review';
import { cancelled, declined, type Question } from './core/questionQueue';
import { reviewUrl, type UrlReview, type UrlWarning } from './core/urlReview';

/** Longer ones are shown on a page, as a dialog would hide their end. */
const FITS = 1_000;

interface UrlQuestion extends Question {
  readonly review: UrlReview;
  /** The person has visited it before, for the same server. */
  readonly isRepeated: boolean;
}

interface UrlServices {
  readonly open: (href: string) => Thenable<boolean>;
  /** Shows a dialog once no other is open. Undefined: the question was withdrawn before that. */
  readonly inTurn: (dialog: () => Thenable<string | undefined>) => Promise<string | undefined>;
}

/**
 * Asks whether a page may be opened, showing who asks, why, which host, and the whole address (spec:
 * client/elicitation#safe-url-handling). Opens only by its button, in the person's own browser.
 */
export async function askUrl(question: UrlQuestion, { open, inTurn }: UrlServices): Promise<ElicitResult> {
  const { server, client, review, signal, isRepeated } = question;
  const host = visible(review.host, 120);
  const title =
    client === undefined
      ? t('MCP server "{0}" asks you to open a page on {1}', server.name, host)
      : t('MCP server "{0}" asks you, for {1}, to open a page on {2}', server.name, visible(client, 60), host);
  const text = describe(question);
  const fits = text.length <= FITS * 2 && review.href.length <= FITS;
  const [openIt, decline, goOn, showAll] = [t('Open'), t('Decline'), t('Continue'), t('Show All')];
  const allow = [...(isRepeated ? [goOn] : []), openIt];
  const detail = fits ? text : `${text.slice(0, FITS)}…`;
  const buttons = fits ? { allow, others: [decline] } : { allow: [], others: [showAll, decline] };
  let answer = await inTurn(() => askDecision(title, detail, buttons, signal));
  if (answer === showAll && !signal.aborted) {
    // Not queued: a page may never be answered, and other servers' dialogs would wait for it.
    answer = await askWhole({ title, question: title, content: { text }, allow, others: [decline] }, signal);
  }
  if (answer === decline) return declined;
  // A dialog can't be closed from here; what is pressed in it afterwards opens nothing.
  if (signal.aborted || (answer !== openIt && answer !== goOn)) return cancelled;
  if (answer === openIt && !(await open(review.href))) return cancelled;
  return { action: 'accept' };
}

/** Asks whether a server's website may be opened, showing where that leads as for any address of a server. */
export async function askWebsite(
  { name }: Pick<ServerConnection, 'name'>,
  url: string,
  open: UrlServices['open'],
): Promise<void> {
  const { review, why } = openable(url);
  if (!review)
    return void window.showWarningMessage(t('The website of MCP server "{0}" is not opened: {1}', name, why));
  const title = t('Open the website of MCP server "{0}", a page of {1}?', name, visible(review.host, 120));
  await askToOpen(title, review, open);
}

/** Asks whether a page that an app wants to have opened may be. True: it was. */
export async function askAppLink(
  { name }: Pick<ServerConnection, 'name'>,
  url: string,
  app: string,
  open: UrlServices['open'],
): Promise<boolean> {
  const { review, why } = openable(url);
  if (!review) {
    void window.showWarningMessage(t('A link in the app "{0}" was not opened: {1}', visible(app, 80), why));
    return false;
  }
  const host = visible(review.host, 120);
  return askToOpen(t('The app "{0}" of MCP server "{1}" wants to open a page of {2}.', app, name, host), review, open);
}

function openable(url: string): { review: UrlReview; why?: undefined } | { review?: undefined; why: string } {
  const review = reviewUrl(url);
  if ('refused' in review) return { why: visible(review.refused, 200) };
  return review.href.length > FITS ? { why: t('the address has more than {0} characters', FITS) } : { review };
}

async function askToOpen(title: PlainText, review: UrlReview, open: UrlServices['open']): Promise<boolean> {
  const [refuse, openIt] = [t("Don't Open"), t('Open')];
  const detail = describeAddress(review);
  const answer = await askDecision(title, detail, { allow: [openIt], others: [refuse] });
  return answer === openIt && open(review.href);
}

/** Everything that helps the person to judge the page. */
function describe({ message, review, isRepeated }: UrlQuestion): string {
  return [
    ...(isRepeated ? [t('The server is asking for this page again. It may be waiting for you to finish there.')] : []),
    visibleLines(message, 2_000),
    describeAddress(review),
  ].join('\n\n');
}

/** Where an address leads, and what is odd about it. */
function describeAddress({ host, unicodeHost, href, warnings }: UrlReview): string {
  return [
    [
      verbatim('Host: {0}', exact(host)),
      ...(unicodeHost ? [verbatim('may be shown as: {0}', exact(unicodeHost))] : []),
      ...warnings.map(warning => `⚠ ${warningText(warning)}`),
    ].join('\n'),
    verbatim('Address: {0}', exact(href)),
  ].join('\n\n');
}

function warningText(warning: UrlWarning): string {
  return {
    unicode: t('The host name contains letters that are unusual in host names.'),
    mixedScripts: t('The host name mixes letters from several alphabets.'),
    lookAlike: t('The host looks like {0}, but is a different one.', 'of' in warning ? warning.of : ''),
    userinfo: t('There is a user name before the host ("…@"). What comes before the @ is not where the address leads.'),
    ip: t('The host is an IP address, not a name.'),
    port: t('The port is not the usual one.'),
    loopback: t('The page is on this machine.'),
  }[warning.kind];
}
