import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname } from 'node:path';
import { getNodePath, getNodeValue } from 'jsonc-parser';
import { phrase } from '../../base/phrase';
import { type PlainText, rowText } from '../../base/text';
import { type PlainRow, say, t, window } from '../../editor/window';
import { type AppearedPlace, type BlockedAttempt, confinementOf, type ServerConnection } from '../../host';
import type { ServerDefinition } from '../../host/definition';
import type { SandboxRules } from '../../host/settings';
import { askConsent, askDecision } from '../review';
import {
  type EditableFiles,
  editSettings,
  findEntry,
  findNode,
  type LocateOptions,
  optionsFor,
  setValues,
} from '../settings';
import type { ConfinedServers } from './confinedServers';
import { type Allowance, type SandboxRefusal, widened } from './core/refusals';
import { folderName, wishText } from './sandboxRows';

import vscode = require('vscode');

/** The services that changing an entry's policy needs. */
interface SandboxServices {
  readonly confined: ConfinedServers;
  readonly files: EditableFiles;
  /** Shows how an entry would change. */
  readonly documents: { showDiff(title: string, before: string, now: string): Promise<void> };
}

type AllowedAttempts = readonly (readonly [BlockedAttempt, Allowance])[];

/** A row below "Confined", of a server, or a remedy, which has chosen already. */
interface Target {
  /** What the row is about: something that was refused, that appeared, or a folder that was allowed. */
  readonly attempt?: BlockedAttempt;
  readonly place?: AppearedPlace;
  readonly folder?: string;
  readonly choice?: Allowance | 'unconfined';
}

interface Answer extends PlainRow {
  readonly run: () => Promise<unknown>;
}

/** Asks what is to become of what a row is about: something that was blocked, that appeared, a folder, or the sandbox as a whole. */
export async function changeSandbox(
  services: SandboxServices,
  server: ServerConnection,
  argument: unknown,
): Promise<void> {
  const target = (argument ?? {}) as Target;
  const { attempt, choice } = target;
  if (choice === 'unconfined') return runUnconfined(services, server);
  if (attempt && choice) return void (await proposePolicy(services, server, [[attempt, choice]]));
  const { question, answers } = questionOf(services, server, target);
  await (await window.showQuickPick(answers, { title: say`${server.name}`, placeHolder: question }))?.run();
}

function questionOf(
  services: SandboxServices,
  server: ServerConnection,
  { attempt, place, folder }: Target,
): { question: PlainText; answers: Answer[] } {
  const { confined } = services;
  if (place)
    return {
      question: t('{0} appeared in {1}', basename(place.path), folderName(dirname(place.path))),
      answers: [
        { label: t('Keep'), run: () => confined.keepAppeared(server, place) },
        { label: t('Remove'), run: () => confined.removeAppeared(server, place) },
      ],
    };
  if (folder !== undefined)
    return {
      question: t('May write in {0}', folderName(folder)),
      answers: [{ label: t('Take Back'), run: () => confined.closeFolder(server, folder) }],
    };
  const refusals = confined.refusals(server);
  const one = attempt && refusals.find(refusal => isSame(refusal.attempt, attempt));
  return one ? aboutRefusal(services, server, one) : aboutSandbox(services, server, refusals);
}

function aboutRefusal(services: SandboxServices, server: ServerConnection, { attempt, allowances }: SandboxRefusal) {
  const { kind, what } = attempt;
  const { name } = server;
  const details = { this: rowText(what, 300), folder: rowText(dirname(what), 300) };
  const labels = { this: t('Allow'), folder: t('Allow This Folder') };
  const never =
    allowances.length === 0 && t('Files there are run or decide what is run. They can never be made writable.');
  const keep = () => services.confined.keep(server, [attempt]);
  return {
    question: {
      network: t('"{0}" wanted to reach {1}.', name, what),
      read: t('"{0}" wanted to read {1}.', name, what),
      sockets: t('"{0}" wanted to open Unix sockets, as browsers do.', name),
      write: t('"{0}" wanted to write {1}.', name, what),
    }[kind],
    answers: [
      ...allowances.map(choice => ({
        label: labels[choice],
        detail: details[choice],
        run: () => proposePolicy(services, server, [[attempt, choice]]),
      })),
      { label: t('Keep Blocked'), ...(never && { detail: never }), run: keep },
    ],
  };
}

/** What can be done about the sandbox of a server as a whole. */
function aboutSandbox(services: SandboxServices, server: ServerConnection, refusals: readonly SandboxRefusal[]) {
  const open = refusals.filter(({ isKept, allowances }) => !isKept && allowances.length > 0);
  const isWatched = services.confined.isWatched(server.definition);
  const all = { label: t('Allow What Was Blocked…'), run: () => chooseOfAll(services, server, open) };
  const free = { label: t('Run Unconfined Once…'), run: () => runUnconfined(services, server) };
  const watched = [
    { label: t('Propose Rules'), run: () => endWatching(services, server, true) },
    { label: t('Stop Watching'), run: () => endWatching(services, server, false) },
  ];
  const watch = [{ label: t('Watch What It Needs…'), run: () => watchNeeds(services, server) }];
  return {
    question: server.attempts ? t('This server runs in a sandbox.') : t('This server does not run in a sandbox.'),
    answers: [...(open.length > 0 ? [all] : []), ...(isWatched ? watched : watch), ...(server.attempts ? [free] : [])],
  };
}

/** Starts a server without its sandbox, once the person has seen what that means. */
async function runUnconfined({ confined }: SandboxServices, server: ServerConnection): Promise<void> {
  const run = t('Run Unconfined Once');
  const detail = t(
    'It then has all your rights: it can read and change your files and reach every host. It is confined again at its next start.',
  );
  const question = t('Run "{0}" without its sandbox?', server.name);
  if ((await askDecision(question, detail, { allow: [run], others: [] })) === run) await confined.runUnconfined(server);
}

async function chooseOfAll(
  services: SandboxServices,
  server: ServerConnection,
  open: readonly SandboxRefusal[],
): Promise<void> {
  const { confined } = services;
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
  allowed: AllowedAttempts,
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
  const options = document ? optionsFor(document) : {};
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
 * reads it.
 */
async function watchNeeds(services: SandboxServices, server: ServerConnection): Promise<void> {
  const { confined } = services;
  if (confinementOf(server.definition, 'off', process, true).kind !== 'confined') {
    void window.showWarningMessage(
      t('"{0}" cannot be watched. Only programs on Linux and macOS that run outside containers can be.', server.name),
    );
    return;
  }
  const watch = t('Watch');
  const detail = t(
    'It restarts in a sandbox: it can change only what its entry names, and cannot read places that may hold secrets. Until you stop watching, it can reach every host. What was blocked and the hosts that it reached become proposed rules for its entry. You see them before they are written.',
  );
  const question = t('Watch what "{0}" needs?', server.name);
  if ((await askConsent(question, detail, { allow: [watch], others: [] })) !== watch) return;
  confined.watch(server, true);
  await server.restart(phrase('you are watching what it needs'));
  const [propose, end] = [t('Propose Rules'), t('Stop Watching')];
  const text = t('Watching what "{0}" needs. Use its tools as usual, then choose "Propose Rules".', server.name);
  const answer = await window.showInformationMessage(text, propose, end);
  // Dismissed: its row still leads here.
  if (answer !== undefined) await endWatching(services, server, answer === propose);
}

async function endWatching(services: SandboxServices, server: ServerConnection, proposes: boolean): Promise<void> {
  const { confined } = services;
  if (!confined.isWatched(server.definition)) return;
  confined.watch(server, false);
  const open = confined.refusals(server).filter(({ isKept }) => !isKept);
  const allowed = open.flatMap(({ attempt, allowances: [first] }) => (first ? [[attempt, first] as const] : []));
  const isChanged = proposes && (await proposePolicy(services, server, allowed));
  // A changed entry restarts it anyway.
  if (!isChanged) await server.restart(phrase('it is no longer watched'));
}
