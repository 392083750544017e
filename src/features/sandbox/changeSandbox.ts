import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { getNodePath, getNodeValue } from 'jsonc-parser';

import vscode = require('vscode');

import { rowText } from '../../base/text';
import { t, window } from '../../editor/window';
import type { BlockedAttempt, ServerConnection } from '../../host';
import type { ServerDefinition } from '../../host/definition';
import type { SandboxRules } from '../../host/settings';
import { editSettings, findEntry, findNode, type LocateOptions, type SettingsFiles, setValues } from '../settings';
import type { ConfinedServers } from './confinedServers';
import { type Allowance, type SandboxRefusal, widened } from './core/proposal';
import { wishText } from './sandboxRows';

/** The services that changing an entry's policy needs. */
export interface SandboxServices {
  readonly confined: ConfinedServers;
  readonly files: Pick<SettingsFiles, 'documentOf'>;
  /** Shows how an entry would change. */
  readonly documents: { showDiff(title: string, before: string, now: string): Promise<void> };
}

type Allowed = readonly (readonly [BlockedAttempt, Allowance])[];

/** The target of a row, a notification or the row of a server. */
const targetOf = (argument: unknown) => argument as { server: ServerConnection; attempt?: BlockedAttempt };

/** Asks what is to become of what a confined server was refused: of one thing, or of all that is still open. */
export async function changeSandbox(services: SandboxServices, argument: unknown): Promise<void> {
  const { server, attempt } = targetOf(argument);
  const refusals = services.confined.refusals(server);
  const one = attempt && refusals.find(refusal => isSame(refusal.attempt, attempt));
  if (!one) return chooseOfAll(services, server);
  const choice = await choose(server, one);
  if (choice === 'keep') await services.confined.keep(server, [one.attempt]);
  else if (choice) await proposePolicy(services, server, [[one.attempt, choice]]);
}

/** Allows what the row of an attempt names, or its folder, once the person has seen what that changes. */
export async function allowRefused(services: SandboxServices, argument: unknown, allowance: Allowance): Promise<void> {
  const { server, attempt } = targetOf(argument);
  if (attempt) await proposePolicy(services, server, [[attempt, allowance]]);
}

/** Keeps the attempt of a row blocked. */
export async function keepRefused({ confined }: SandboxServices, argument: unknown): Promise<void> {
  const { server, attempt } = targetOf(argument);
  if (attempt) await confined.keep(server, [attempt]);
}

/** Starts a server without its sandbox, once the person has seen what that means. */
export async function runUnconfined({ confined }: SandboxServices, server: ServerConnection): Promise<void> {
  const run = t('Run Unconfined Once');
  const detail = t(
    'It then has all your rights: it can read and change your files and reach every host. It is confined again at its next start.',
  );
  const question = t('Run "{0}" without its sandbox?', server.name);
  if ((await window.showWarningMessage(question, { modal: true, detail }, run)) === run)
    await confined.runUnconfined(server);
}

async function chooseOfAll(services: SandboxServices, server: ServerConnection): Promise<void> {
  const { confined } = services;
  const open = confined.refusals(server).filter(({ isKept, allowances }) => !isKept && allowances.length > 0);
  const rows = open.map(({ attempt, allowances }) => ({
    label: rowText(wishText(attempt), 300),
    detail: allowances[0] === 'folder' ? t('Allow This Folder') : rowText(attempt.what, 300),
    attempt,
    allowance: allowances[0]!,
  }));
  const chosen = await window.showQuickPick(rows, {
    canPickMany: true,
    title: t('What was blocked for "{0}"', server.name),
    placeHolder: t('Select what it may do. Everything else stays blocked.'),
  });
  if (!chosen) return;
  const rest = rows.filter(row => !chosen.includes(row)).map(({ attempt }) => attempt);
  if (rest.length > 0) await confined.keep(server, rest);
  const allowed = chosen.map(({ attempt, allowance }) => [attempt, allowance] as const);
  if (allowed.length > 0) await proposePolicy(services, server, allowed);
}

/**
 * Shows the change of an entry that allows something as a diff against the written entry, and applies it once the person
 * agrees. The changed launch is then reviewed like any other.
 * @returns whether it was changed.
 */
export async function proposePolicy(
  { files, documents }: Pick<SandboxServices, 'files' | 'documents'>,
  server: ServerConnection,
  allowed: Allowed,
): Promise<boolean> {
  const { name, source } = server.definition;
  const places = { home: homedir(), workspaceFolder: folderOf(server.definition) };
  const change = (text: string, options: LocateOptions) => {
    const entry = findEntry(text, name, options);
    if (!entry) return undefined;
    const node = findNode(entry, ['sandbox']);
    const rules = widened(node && (getNodeValue(node) as boolean | SandboxRules), allowed, places);
    const sandbox = Object.keys(rules).length > 0 ? rules : true;
    return setValues(text, [[[...getNodePath(entry), 'sandbox'], sandbox]]);
  };
  const unknown = () =>
    new Error(t('The settings entry for "{0}" was not found. Change its "sandbox" manually.', name));
  const document = await files.documentOf(source);
  const options = { codeWorkspace: document?.uri.path.endsWith('.code-workspace') ?? false };
  const before = document?.getText() ?? '';
  const now = change(before, options);
  if (now === undefined) throw unknown();
  const entryOf = (text: string) => {
    const entry = findEntry(text, name, options)!;
    return outdented(text, entry.offset, entry.length);
  };
  await documents.showDiff(t('{0}: its entry, before ↔ proposed', name), entryOf(before), entryOf(now));
  const allow = t('Allow');
  const answer = await window.showInformationMessage(
    t('Change what "{0}" may do as shown? It restarts then.', name),
    allow,
    t('Keep Blocked'),
  );
  if (answer !== allow) return false;
  for (const [{ kind, what }, allowance] of allowed) {
    // What is not there can't be opened to it.
    if (kind === 'write' && allowance === 'folder') await mkdir(dirname(what), { recursive: true });
  }
  if (!(await editSettings(files, source, change))) throw unknown();
  return true;
}

/** A part of a text as if it began the line. */
function outdented(text: string, offset: number, length: number): string {
  const line = text.lastIndexOf('\n', offset - 1) + 1;
  const [indent = ''] = /^[ \t]*/.exec(text.slice(line)) ?? [];
  return text.slice(offset, offset + length).replaceAll(`\n${indent}`, '\n');
}

async function choose(
  { name }: ServerConnection,
  { attempt, allowances }: SandboxRefusal,
): Promise<Allowance | 'keep' | undefined> {
  const { kind, what } = attempt;
  const details = { this: rowText(what, 300), folder: rowText(dirname(what), 300) };
  const labels = { this: t('Allow'), folder: t('Allow This Folder') };
  const never =
    allowances.length === 0 && t('Files there are run or decide what is run. They can never be made writable.');
  const rows = [
    ...allowances.map(choice => ({ label: labels[choice], detail: details[choice], choice })),
    { label: t('Keep Blocked'), ...(never && { detail: never }), choice: 'keep' as const },
  ];
  const wanted = {
    network: t('"{0}" wanted to reach {1}.', name, what),
    read: t('"{0}" wanted to read {1}.', name, what),
    sockets: t('"{0}" wanted to open Unix sockets, as browsers do.', name),
    write: t('"{0}" wanted to write {1}.', name, what),
  };
  return (await window.showQuickPick(rows, { placeHolder: wanted[kind] }))?.choice;
}

const isSame = (one: BlockedAttempt, other: BlockedAttempt) => one.kind === other.kind && one.what === other.what;

/** The workspace folder, where an entry is written in its settings and so stays with it. */
function folderOf({ source }: ServerDefinition): string | undefined {
  const [folder, other] = vscode.workspace.workspaceFolders ?? [];
  if (source.scope === 'workspaceFolder') return source.folder?.path;
  return source.scope === 'workspace' && folder?.uri.scheme === 'file' && !other ? folder.uri.fsPath : undefined;
}
