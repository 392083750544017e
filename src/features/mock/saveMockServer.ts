import vscode = require('vscode');

import { plain, visible } from '../../base/text';
import { askWhereToSave } from '../../editor/dialogs';
import { serverOf } from '../../editor/pickServer';
import { joined, t, window } from '../../editor/window';
import type { ServerSet } from '../../host';
import { mockServer } from './core/mockServer';

/** *Save Session as Mock Server…*: writes what the trace has of a server as a program that answers the same. */
export async function saveMockServer(servers: ServerSet, argument: unknown): Promise<void> {
  const { trace } = servers;
  const records = trace?.records() ?? [];
  const id = serverOf(argument)?.id ?? (await askServer([...new Set(records.map(({ server }) => server))]));
  if (!trace || id === undefined) return;
  const own = records.filter(({ server }) => server === id);
  const { program, answers, cut, struckOut } = await mockServer(
    own,
    record => trace.readable(record),
    visible(id, 100),
  );
  if (answers === 0) {
    await window.showInformationMessage(
      t('The trace has no answers of "{0}". Use the server first, then try again.', id),
    );
    return;
  }
  const name = `${id.replace(/[^\p{L}\p{N}._-]+/gu, '-')}-mock.mjs`;
  const destination = await askWhereToSave(t('Save Session as Mock Server'), name, { JavaScript: ['mjs'] });
  if (!destination) return;
  await vscode.workspace.fs.writeFile(destination, Buffer.from(program));
  await vscode.window.showTextDocument(destination);
  const notes = [
    t(
      'Saved {0} answers from "{1}". Read the file before you share it: it contains what the server really answered.',
      answers,
      id,
    ),
    struckOut > 0 && t('Secrets were removed in {0} places, so answers that depend on them will differ.', struckOut),
    cut > 0 && t('{0} answers are missing, because the trace has only their beginning.', cut),
  ];
  await window.showWarningMessage(joined(notes));
}

async function askServer(ids: readonly string[]): Promise<string | undefined> {
  if (ids.length <= 1) {
    if (ids.length === 0) await window.showInformationMessage(t('The trace has no messages yet.'));
    return ids[0];
  }
  const rows = ids.map(id => ({ label: plain(visible(id, 100)), id }));
  return (await window.showQuickPick(rows, { placeHolder: t('Select the server whose session you want to save') }))?.id;
}
