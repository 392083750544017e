import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { getNodePath, getNodeValue } from 'jsonc-parser';
import { phrase } from '../../base/phrase';
import { rowText } from '../../base/text';
import { t, window } from '../../editor/window';
import { type AppearedPlace, type BlockedAttempt, confinementOf, type ServerConnection } from '../../host';
import type { ServerDefinition } from '../../host/definition';
import type { SandboxRules } from '../../host/settings';
import { editSettings, findEntry, findNode, type LocateOptions, type SettingsFiles, setValues } from '../settings';
import type { ConfinedServers } from './confinedServers';
import { type Allowance, type SandboxRefusal, widened } from './core/refusals';
import { wishText } from './sandboxRows';

import vscode = require('vscode');

/** The services that changing an entry's policy needs. */
interface SandboxServices {
  readonly confined: ConfinedServers;
  readonly files: Pick<SettingsFiles, 'documentOf'>;
  /** Shows how an entry would change. */
  readonly documents: { showDiff(title: string, before: string, now: string): Promise<void> };
}

type Allowed = readonly (readonly [BlockedAttempt, Allowance])[];

/** The target of a row, a notification or the row of a server. */
const targetOf = (argument: unknown) => argument as { server: ServerConnection; attempt?: BlockedAttempt };

/** Asks what is to become of what a confined server was refused: of one thing, or of all that is still open. */
async function changeSandbox(services: SandboxServices, argument: unknown): Promise<void> {
  const { server, attempt } = targetOf(argument);
  const refusals = services.confined.refusals(server);
  const one = attempt && refusals.find(refusal => isSame(refusal.attempt, attempt));
  if (!one) return chooseOfAll(services, server);
  const choice = await choose(server, one);
  if (choice === 'keep') await services.confined.keep(server, [one.attempt]);
  else if (choice) await proposePolicy(services, server, [[one.attempt, choice]]);
}

/** Allows what the row of an attempt names, or its folder, once the person has seen what that changes. */
async function allowRefused(services: SandboxServices, argument: unknown, allowance: Allowance): Promise<void> {
  const { server, attempt } = targetOf(argument);
  if (attempt) await proposePolicy(services, server, [[attempt, allowance]]);
}

/** Keeps the attempt of a row blocked. */
async function keepRefused({ confined }: SandboxServices, argument: unknown): Promise<void> {
  const { server, attempt } = targetOf(argument);
  if (attempt) await confined.keep(server, [attempt]);
}

/** Starts a server without its sandbox, once the person has seen what that means. */
async function runUnconfined({ confined }: SandboxServices, server: ServerConnection): Promise<void> {
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
async function proposePolicy(
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

/**
 * Runs a server confined, notes all that it is refused and lets it reach every host meanwhile; then proposes the least that it
 * needs. Of files no more can be known: bubblewrap refuses without a word, and would have to open what is secret to see who
 * reads it. Called again while it runs, it goes on to the proposal.
 */
async function watchNeeds(services: SandboxServices, argument: unknown): Promise<void> {
  const { server } = (argument ?? {}) as { server?: ServerConnection };
  if (!server) return;
  const { confined } = services;
  if (!confined.isWatched(server.definition) && !(await begin(services, server))) return;
  const propose = t('Propose Rules');
  const end = t('Stop Watching');
  const text = t('Watching what "{0}" needs. Use its tools as usual, then choose "Propose Rules".', server.name);
  const answer = await window.showInformationMessage(text, propose, end);
  // Dismissed: its row still leads here.
  if (answer === undefined || !confined.isWatched(server.definition)) return;
  confined.watch(server, false);
  const open = confined.refusals(server).filter(({ isKept }) => !isKept);
  const allowed = open.flatMap(({ attempt, allowances: [first] }) => (first ? [[attempt, first] as const] : []));
  const isChanged = answer === propose && (await proposePolicy(services, server, allowed));
  // A changed entry restarts it anyway.
  if (!isChanged) await server.restart(phrase('it is no longer watched'));
}

async function begin({ confined }: SandboxServices, server: ServerConnection): Promise<boolean> {
  if (confinementOf(server.definition, 'off', process, true).kind !== 'confined') {
    void window.showWarningMessage(
      t('"{0}" cannot be watched. Only programs on Linux and macOS that run outside containers can be.', server.name),
    );
    return false;
  }
  const watch = t('Watch');
  const answer = await window.showInformationMessage(
    t('Watch what "{0}" needs?', server.name),
    {
      modal: true,
      detail: t(
        'It restarts in a sandbox: it can change only what its entry names, and cannot read places that may hold secrets. Until you stop watching, it can reach every host. What was blocked and the hosts that it reached become proposed rules for its entry. You see them before they are written.',
      ),
    },
    watch,
  );
  if (answer !== watch) return false;
  confined.watch(server, true);
  await server.restart(phrase('you are watching what it needs'));
  return true;
}

/** Of a row. */
interface Row {
  readonly server: ServerConnection;
  readonly place?: AppearedPlace;
  readonly folder?: string;
}

/**
 * The person's commands about the confinement of a server.
 * @param services made when a command is run
 */
export function sandboxCommands(services: () => SandboxServices) {
  return {
    allowRefused: (row?: unknown) => allowRefused(services(), row, 'this'),
    allowRefusedFolder: (row?: unknown) => allowRefused(services(), row, 'folder'),
    changeSandbox: (argument?: unknown) => changeSandbox(services(), argument),
    closeFolder: async (row?: unknown) => {
      const { server, folder } = (row ?? {}) as Partial<Row>;
      if (server && folder !== undefined) await services().confined.closeFolder(server, folder);
    },
    keepAppeared: async (row?: unknown) => {
      const { server, place } = (row ?? {}) as Partial<Row>;
      if (server && place) await services().confined.keepAppeared(server, place);
    },
    removeAppeared: async (row?: unknown) => {
      const { server, place } = (row ?? {}) as Partial<Row>;
      if (server && place) await services().confined.removeAppeared(server, place);
    },
    runUnconfined: async (row?: unknown) => {
      const { server } = (row ?? {}) as Partial<Row>;
      if (server) await runUnconfined(services(), server);
    },
    keepRefused: (row?: unknown) => keepRefused(services(), row),
    watchNeeds: (argument?: unknown) => watchNeeds(services(), argument),
  };
}
