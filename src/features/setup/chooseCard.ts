import vscode = require('vscode');

import { plain, rowText, visible } from '../../base/text';
import { t, window } from '../../editor/window';
import { cardChoices, findServerCards } from './core/serverCards';
import type { ServerDraft } from './core/serverDraft';
import { BACK, pickOne, type WizardAnswer } from './wizard';

/**
 * What the server at an address says about itself, if the setting is on: the draft with that filled in. The person chooses when
 * its card names several ways, or another address than theirs.
 */
export async function withCard(draft: ServerDraft, title: string): Promise<WizardAnswer<ServerDraft>> {
  const address = draft.entry.url;
  const isOn = vscode.workspace.getConfiguration('mcpHost').get('experimental.serverCards') === true;
  if (!isOn || typeof address !== 'string') return draft;
  const location = vscode.ProgressLocation.Window;
  const asking = { location, title: t('Asking {0} for its server card', visible(address, 100)) };
  const choices = cardChoices(await window.withProgress(asking, () => findServerCards(address)));
  const [first, ...more] = choices;
  if (!first) return draft;
  if (more.length === 0 && first.address === address) return first.draft;
  const items = [
    ...choices.map(choice => ({
      iconPath: new vscode.ThemeIcon('globe'),
      label: rowText(choice.server.title ?? choice.server.name, 80),
      description: rowText(choice.address, 150),
      detail: rowText(choice.server.description, 200),
      draft: choice.draft,
    })),
    {
      iconPath: new vscode.ThemeIcon('edit'),
      label: t('As you entered it'),
      description: rowText(address, 150),
      draft,
    },
  ];
  const placeholder = t('The site describes these servers. Which do you want to add?');
  const answer = await pickOne({ title: plain(title), placeholder, items, canGoBack: true });
  return answer === BACK || !answer ? answer : answer.draft;
}
