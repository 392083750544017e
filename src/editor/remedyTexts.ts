import { visible } from '../base/text';
import type { Remedy, ServerConnection } from '../host';
import type { CommandLink } from './markdown';
import { t, verbatim } from './window';

/** The icons of remedies that have rows of their own; all others are at hand on the row of their server. */
const ROW_ICONS: { readonly [K in Remedy['kind']]?: string } = {
  allowRead: 'book',
  appendPath: 'wand',
  enterInputs: 'edit',
  explain: 'comment-discussion',
  install: 'link-external',
  installPackages: 'terminal',
  installUv: 'terminal',
  makeInput: 'wand',
  raiseLimit: 'wand',
  rename: 'wand',
  runUnconfined: 'unlock',
  setCommand: 'wand',
  requestApproval: 'copy',
  review: 'shield',
  setHeader: 'key',
  showRules: 'law',
  signIn: 'account',
};

/** The icon of the row of a remedy. Undefined: it has none. */
export const remedyIcon = ({ kind }: Remedy): string | undefined => ROW_ICONS[kind];

export function remedyTitle(remedy: Remedy, { name }: Pick<ServerConnection, 'name'>): string {
  switch (remedy.kind) {
    case 'review':
      return t('Review…');
    case 'requestApproval':
      return t('Copy Request for Approval');
    case 'showRules':
      return t('Show Organization Rules');
    case 'enterInputs':
      return t('Enter Inputs');
    case 'signIn':
      return t('Sign In');
    case 'setHeader':
      return remedy.isThere ? t('Change the Authorization header…') : t('Add an Authorization header…');
    case 'appendPath':
      return verbatim('Append {0} to the URL', '/mcp');
    case 'makeInput':
      return verbatim('Enter a value for {0}…', remedy.variable);
    case 'rename':
      return verbatim('Rename "{0}" to "{1}"', String(remedy.path.at(-1)), remedy.to);
    case 'setCommand':
      return verbatim('Change the command to "{0}"', remedy.to);
    case 'install':
      return verbatim('Show how to install {0}', remedy.runtime);
    case 'installPackages':
      return verbatim('Run {0}', remedy.command);
    case 'installUv':
      return t('Install uv (opens a terminal with the command)');
    case 'allowRead':
      return verbatim('Allow to Read {0}…', visible(remedy.path, 200));
    case 'runUnconfined':
      return t('Run Unconfined Once…');
    case 'raiseLimit':
      return t('Wait up to {0} s for it to start, and start it again', remedy.ms / 1_000);
    case 'openSettings':
      return verbatim('Open the settings of "{0}"', name);
    case 'start':
      return verbatim('Start "{0}" again', name);
    case 'openLog':
      return verbatim('Show the log of "{0}"', name);
    case 'showHealth':
      return verbatim('Show the health of "{0}"', name);
    case 'explain':
      return t('Explain in Chat');
  }
}

/** Runs a remedy: see `ApplyRemedy`. The server is named, not passed, as links hold only text. */
export function remedyCommand(remedy: Remedy, server: ServerConnection) {
  const title = remedyTitle(remedy, server);
  return { command: 'mcpHost.applyRemedy', title, arguments: [server.id, remedy] } satisfies CommandLink;
}
