import { t } from '../../../editor/window';

/** What stands on buttons and above sections of the page. */
export function pageTexts(): Record<string, string> {
  return {
    arguments: t('Arguments'),
    asJson: t('As JSON'),
    optional: t('optional'),
    required: t('required'),
    leaveOut: t('(not sent)'),
    moreFields: t('Optional arguments'),
    run: t('Run'),
    runKey: t('Run (Ctrl+Enter)'),
    sendAnyway: t('Send Anyway'),
    cancel: t('Cancel'),
    inSteps: t('Step by Step…'),
    result: t('Result'),
    noResult: t('Not run yet.'),
    runs: t('Earlier runs'),
    show: t('Show'),
    again: t('Run Again'),
    use: t('Use These Arguments'),
    openDocument: t('Open as Document'),
    openResource: t('Open'),
    openWebsite: t('Open Website…'),
    uri: t('Resulting URI'),
    suggestions: t('Suggestions'),
    forSuggestions: t('Press ↓ for suggestions.'),
    moreLines: t('Show all lines'),
    more: t('Show more'),
    asTable: t('Table'),
    asTree: t('Tree'),
    badPicture: t('This picture cannot be shown. Open the document of the result instead.'),
  };
}
