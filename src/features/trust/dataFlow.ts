import { ownMember } from '../../base/json';
import { visible } from '../../base/text';
import { settingValue } from '../../editor/settingValues';
import { type Mementos, type PlainState, ScopedStorage } from '../../editor/storage';
import { type PlainRow, t, window } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';
import { noteProgram } from '../../host/definition';
import { FLOW_MARKS, Flow, type FlowMark, type FlowSettings } from './core/flow';

import vscode = require('vscode');

const READS_KEY = 'mcpHost.flowReads';

/** Creates the tracking of what models read and send: the entry point of its own bundle. */
export function dataFlow(context: Mementos, servers: Pick<ServerSet, 'get'>): Flow {
  const state: PlainState = context.workspaceState;
  const store = {
    marks: new ScopedStorage(context, 'mcpHost.flow'),
    keptReads: state.get(READS_KEY),
    keepReads: (reads: object) => void state.update(READS_KEY, reads),
  };
  return new Flow(store, flowSettings, id => servers.get(id));
}

/** Settings for data flow. Only the person can turn the tracking off; any settings can add marks. */
function flowSettings(): FlowSettings {
  return {
    isOn: settingValue('flow') !== 'off',
    added: ({ name, source }) => {
      const folder = source.folder && vscode.Uri.file(source.folder.path);
      const found = vscode.workspace.getConfiguration('mcpHost', folder).inspect('flowMarks');
      const values: unknown[] = [found?.globalValue, found?.workspaceValue, found?.workspaceFolderValue];
      return values.flatMap(value => {
        const marks = ownMember(value, name);
        return Array.isArray(marks) ? marks : [];
      });
    },
  };
}

type Row = PlainRow & { readonly mark: FlowMark };

/** Asks what data does at a server. Marks that settings add are checked again: only settings take them away. */
export async function markFlow(flow: Flow, server: ServerConnection): Promise<void> {
  const marks = flow.marks(server);
  const isSame = noteProgram(server);
  const suggested = t('proposed');
  const by = { person: '', settings: t('from settings'), fact: suggested, hint: suggested } as const;
  const rows = FLOW_MARKS.map(mark => {
    const made = marks.get(mark);
    const row: Row = { mark, ...WORDS[mark](), picked: made !== undefined, ...(made && { description: by[made] }) };
    return row;
  });
  const chosen = await window.showQuickPick(rows, {
    canPickMany: true,
    title: t('Data flow of {0}', visible(server.id, 80)),
    placeHolder: t('Check what applies. You are asked before data can flow from the first two to the third.'),
  });
  if (!chosen || !isSame()) return;
  const said = FLOW_MARKS.filter(mark => chosen.some(row => row.mark === mark));
  const proposed = flow.proposed(server);
  const isProposed = said.length === proposed.size && said.every(mark => proposed.has(mark));
  await flow.mark(server, isProposed ? undefined : said.filter(mark => marks.get(mark) !== 'settings'));
}

/** One line on what data does at a server. Undefined: nothing is known. */
export function flowText(flow: Flow, server: ServerConnection): string | undefined {
  const marks = flow.marks(server);
  if (marks.size === 0) return undefined;
  const words = FLOW_MARKS.filter(mark => marks.has(mark)).map(mark => WORDS[mark]().does);
  return [...marks.values()].every(by => by === 'fact' || by === 'hint')
    ? t('Probably {0}', words.join(', '))
    : t('Data flow: {0}', words.join(', '));
}

/** `does`: what a server with the mark does, within a sentence. */
const WORDS: Readonly<Record<FlowMark, () => Pick<Row, 'label' | 'detail'> & { readonly does: string }>> = {
  private: () => ({
    label: t('Private data'),
    does: t('handles private data'),
    detail: t('Its results may contain private data: files, mail, databases, accounts.'),
  }),
  untrusted: () => ({
    label: t('Untrusted content'),
    does: t('reads untrusted content'),
    detail: t('Its results may contain text that others wrote: web pages, issues, incoming mail.'),
  }),
  sends: () => ({
    label: t('Can send data out'),
    does: t('can send data out'),
    detail: t('Its arguments may be sent to others: web requests, posts, mail.'),
  }),
};
