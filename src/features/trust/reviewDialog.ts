import { plain } from '../../base/text';
import { askDecision } from '../../editor/dialogs';
import { t, window } from '../../editor/window';
import { whyUnable } from '../../host';
import type { ServerDefinition } from '../../host/definition';
import type { ServerEntry } from '../../host/settings';
import type { SettingsFiles } from '../settings';
import type { LaunchReview } from './core/consent';
import { askWhole } from './review/askWhole';
import { fitsDialog } from './review/dialogText';
import type { ReviewDocuments } from './reviewDocuments';
import { describeLaunches, launchDocument, launchName } from './reviewText';
import { isConfinedBySetting } from './sandboxText';

type ReviewAnswer = 'allow' | 'deny' | undefined;

/**
 * Asks a person whether launches may be made. Everything that would be launched is shown: in the dialog, or, if that is too
 * long, on a page that workspace settings cannot affect and that allows it only at its end. Only pressing a button is an
 * answer.
 */
export class ReviewDialog {
  constructor(
    private readonly documents: ReviewDocuments,
    private readonly files: Pick<SettingsFiles, 'reveal' | 'uriOf'>,
    /** Lines about the packages that an entry fetches. */
    private readonly packageLines: (entry: ServerEntry) => Promise<readonly string[]>,
    /** The person wants no sandbox for a server that only the setting confines. Absent: they are not offered that. */
    private readonly free?: (definition: ServerDefinition) => Promise<void>,
  ) {}

  async ask(reviews: readonly LaunchReview[]): Promise<ReviewAnswer> {
    const question = questionFor(reviews);
    const known = new Map(
      await Promise.all(reviews.map(async one => [one, await this.packageLines(one.reviewed)] as const)),
    );
    const unable = reviews.some(isConfinedBySetting) ? await whyUnable() : undefined;
    const text = describeLaunches(reviews, review => this.#where(review), {
      packages: review => known.get(review) ?? [],
      unable,
    });
    const only = reviews.length === 1 ? reviews[0] : undefined;
    const [allow, deny] = [t('Allow'), t('Deny')];
    const allowFree = only && this.free && !unable && isConfinedBySetting(only) && t('Allow Unconfined');
    const others = [
      ...(only?.before && !isNamed(only) ? [t('Show Changes')] : []),
      ...(only ? [t('Open Settings')] : []),
    ];
    const allowing = [allow, ...(allowFree ? [allowFree] : [])];
    const fits = fitsDialog(text);
    const answer = fits
      ? // The first has the focus.
        await askDecision(question, text, deny, ...allowing, ...others)
      : await askWhole({
          title: only ? launchName(only) : t('MCP servers'),
          question,
          content: { text },
          buttons: [...allowing, deny, ...others].map(title => ({
            answer: title,
            title,
            allows: allowing.includes(title),
          })),
        });
    if (answer === t('Open Settings') && only) await this.files.reveal(only.definition);
    if (answer === t('Show Changes') && only?.before) {
      await this.documents.showDiff(
        t('{0}: allowed before ↔ now', launchName(only)),
        launchDocument(only.before.fields, only.fields, t('(before)')),
        launchDocument(only.fields, only.before.fields, t('(changed)')),
      );
      // The diff shortens long values, which have to be seen in full before they are allowed.
      return fits ? this.#askBeside(question) : undefined;
    }
    if (allowFree && answer === allowFree) return this.#allowFree(only);
    return answer === allow ? 'allow' : answer === deny ? 'deny' : undefined;
  }

  async #allowFree({ definition }: LaunchReview): Promise<ReviewAnswer> {
    await this.free?.(definition);
    return 'allow';
  }

  /** A notification, because a document has to be readable meanwhile. */
  async #askBeside(question: string): Promise<ReviewAnswer> {
    const [allow, deny] = [t('Allow'), t('Deny')];
    const answer = await window.showWarningMessage(plain(question), allow, deny);
    return answer === allow ? 'allow' : answer === deny ? 'deny' : undefined;
  }

  #where({ definition: { source } }: LaunchReview): string {
    if (source.managed !== undefined) return source.managed;
    if (source.scope === 'extension') return t('the extension {0}', source.folder?.name ?? '');
    return this.files.uriOf(source)?.fsPath ?? t('your user settings');
  }
}

function questionFor(reviews: readonly LaunchReview[]): string {
  const [first] = reviews;
  if (first && reviews.length === 1 && asksForRoots(first))
    return t('Let the MCP server "{0}" ask for more folders?', launchName(first));
  return reviews.length === 1
    ? t('Allow the MCP server "{0}" to start?', launchName(first!))
    : t('Allow these {0} MCP servers to start?', reviews.length);
}

/** Whether the only news is about shared folders, which the text names. */
const asksForRoots = ({ before, fingerprint, newRoots, newPackages }: LaunchReview) =>
  before?.fingerprint === fingerprint && newRoots.length > 0 && newPackages.length === 0;

/** Whether all that is new in it is named in the text, so that no diff shows it. */
const isNamed = ({ before, fingerprint, newRoots, newPackages }: LaunchReview) =>
  before?.fingerprint === fingerprint && newRoots.length + newPackages.length > 0;
