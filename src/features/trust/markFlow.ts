import { visible } from '../../base/text';
import { type PlainRow, t, window } from '../../editor/window';
import type { ServerConnection } from '../../host';
import { FLOW_MARKS, type Flow, type FlowMark } from './core/flow';

type Row = PlainRow & { readonly mark: FlowMark };

/**
 * Asks what data does at a server, and keeps the answer. Marks that settings add are checked again afterwards: only settings
 * can take them away.
 */
export async function markFlow(flow: Flow, argument: unknown): Promise<void> {
  const server = (argument as { server?: ServerConnection } | undefined)?.server;
  if (!server) return;
  const marks = flow.marks(server);
  const by = { person: '', settings: t('from settings'), proposal: t('proposed') } as const;
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
  if (!chosen) return;
  const said = FLOW_MARKS.filter(mark => chosen.some(row => row.mark === mark));
  const proposed = flow.proposed(server);
  const isProposed = said.length === proposed.size && said.every(mark => proposed.has(mark));
  await flow.mark(server, isProposed ? undefined : said.filter(mark => marks.get(mark) !== 'settings'));
}

/** One line on what data does at a server. Undefined: nothing is known. */
export function flowText(flow: Flow, server: ServerConnection): string | undefined {
  const marks = flow.marks(server);
  if (marks.size === 0) return undefined;
  const words = FLOW_MARKS.filter(mark => marks.has(mark)).map(mark => WORDS[mark]().label);
  return [...marks.values()].every(by => by === 'proposal')
    ? t('Data flow (proposed): {0}', words.join(', '))
    : t('Data flow: {0}', words.join(', '));
}

const WORDS: Readonly<Record<FlowMark, () => Pick<Row, 'label' | 'detail'>>> = {
  private: () => ({
    label: t('Private data'),
    detail: t('Its results may contain private data: files, mail, databases, accounts.'),
  }),
  untrusted: () => ({
    label: t('Untrusted content'),
    detail: t('Its results may contain text that others wrote: web pages, issues, incoming mail.'),
  }),
  sends: () => ({
    label: t('Can send data out'),
    detail: t('Its arguments may be sent to others: web requests, posts, mail.'),
  }),
};
