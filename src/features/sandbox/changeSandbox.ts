import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { getNodePath, getNodeValue } from 'jsonc-parser';

import vscode = require('vscode');

import { rowText } from '../../editor/rowText';
import { t, window } from '../../editor/window';
import { type BlockedAttempt, type SandboxRules, type ServerConnection, sandboxWriteProblem } from '../../host';
import { editSettings, findEntry, findNode, type LocateOptions, type SettingsFiles, setValues } from '../settings';
import { widened } from './core/proposal';

/** What shows how an entry would change. */
interface Documents {
  showDiff(title: string, before: string, now: string): Promise<void>;
}

/**
 * Asks what is to become of something that a confined server was refused, shows the change of its entry as a diff, and makes it.
 * Then the change of the launch is reviewed as any other.
 */
export async function changeSandbox(
  files: Pick<SettingsFiles, 'documentOf'>,
  documents: Documents,
  argument: unknown,
): Promise<void> {
  const { server, attempt } = argument as { server: ServerConnection; attempt: BlockedAttempt };
  const choice = await choose(server, attempt);
  if (choice === undefined || choice === 'keep') return;
  const { name, source } = server.definition;
  const change = (text: string, options: LocateOptions) => {
    const entry = findEntry(text, name, options);
    if (!entry) return undefined;
    const node = findNode(entry, ['sandbox']);
    const before = (node && getNodeValue(node)) as boolean | SandboxRules | undefined;
    const rules = widened(before, attempt, { home: homedir(), roots: rootsAsWritten(server) }, choice === 'folder');
    const after = setValues(text, [[[...getNodePath(entry), 'sandbox'], rules]]);
    return {
      before: JSON.stringify({ sandbox: before ?? true }, null, 2),
      now: JSON.stringify({ sandbox: rules }, null, 2),
      after,
    };
  };
  const document = await files.documentOf(source);
  const options = { codeWorkspace: document?.uri.path.endsWith('.code-workspace') ?? false };
  const proposed = document && change(document.getText(), options);
  if (!proposed) throw new Error(t('The settings entry for "{0}" was not found. Change its "sandbox" manually.', name));
  await documents.showDiff(t('{0}: what it may do, before ↔ proposed', name), proposed.before, proposed.now);
  const allow = t('Allow');
  const answer = await window.showInformationMessage(
    t('Change what "{0}" may do as shown? It restarts then.', name),
    allow,
    t('Keep Blocked'),
  );
  if (answer !== allow) return;
  // What is not there can't be opened to it.
  if (choice === 'folder') await mkdir(dirname(attempt.what), { recursive: true });
  const changed = await editSettings(files, source, (text, found) => change(text, found)?.after);
  if (!changed) throw new Error(t('The settings entry for "{0}" was not found. Change its "sandbox" manually.', name));
}

type Choice = 'this' | 'folder' | 'keep';

async function choose(server: ServerConnection, attempt: BlockedAttempt): Promise<Choice | undefined> {
  const { kind, what } = attempt;
  const place = rowText(what, 300);
  const home = homedir();
  const isNever = kind === 'write' && sandboxWriteProblem(what, home) !== undefined;
  const folder = dirname(what);
  const isFolderOffered = kind === 'write' && !isNever && sandboxWriteProblem(folder, home) === undefined;
  const items = [
    ...(isNever || (kind === 'write' && !existsSync(what))
      ? []
      : [{ label: t('Allow'), detail: place, choice: 'this' as const }]),
    ...(isFolderOffered
      ? [{ label: t('Allow this folder'), detail: rowText(folder, 300), choice: 'folder' as const }]
      : []),
    {
      label: t('Keep Blocked'),
      ...(isNever && { detail: t('What is there runs, or decides what runs. No policy makes it writable.') }),
      choice: 'keep' as const,
    },
  ];
  const placeHolder =
    kind === 'network'
      ? t('"{0}" wanted to reach {1}.', server.name, what)
      : t('"{0}" wanted to write {1}.', server.name, what);
  return (await window.showQuickPick(items, { placeHolder }))?.choice;
}

/** The roots of a server, as its entry would name them. */
function rootsAsWritten({ definition }: ServerConnection): string[] {
  const roots = definition.entry?.roots ?? 'workspace';
  if (roots === 'none') return [];
  if (roots !== 'workspace') return [...roots];
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length === 1) return ['${workspaceFolder}'];
  return folders.filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
}
