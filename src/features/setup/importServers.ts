import { homedir } from 'node:os';

import vscode = require('vscode');

import { type PlainText, plain, rowText, visible } from '../../base/text';
import { localized, summaryText } from '../../editor/errorText';
import { joined, type PlainRow, t, verbatim, window } from '../../editor/window';
import type { ServerDefinition } from '../../host/definition';
import { parseServers } from '../../host/settings';
import { offerUndo, type Undo } from '../settings';
import type { AddServices } from './addServer';
import { askValues } from './askValues';
import type { FoundServers } from './core/findServers';
import { secretsToInputs } from './core/missingValues';
import {
  inputIdsIn,
  placementOf,
  planAddition,
  type ServerDraft,
  type SettingsAddition,
  sameServer,
} from './core/serverDraft';
import { findServers, places } from './desktop';
import { askAboutLaunch, countsOf, launchLineOf, launchText, notesOf } from './launchText';
import { hasWorkspace, SCOPES, type SettingsWriter, scopeName, type TargetScope } from './settingsWriter';
import { type Trial, tryServers } from './tryServer';

type ImportSource = Pick<FoundServers, 'path' | 'project' | 'servers' | 'left'> & {
  place: Pick<FoundServers['place'], 'host' | 'inWorkspace'>;
};

interface ImportRow extends PlainRow {
  draft?: ServerDraft;
  /** Where it goes: servers of the workspace into its settings, all others into the user's. */
  scope?: TargetScope;
  problem?: string;
}

/** Asks which servers of other hosts to import. @param chooseFile lets the person choose a file instead. */
export async function importServers(services: AddServices, chooseFile: () => Promise<void>): Promise<void> {
  const { isTrusted, workspaceFolders = [] } = vscode.workspace;
  // An untrusted workspace is not even looked at.
  const folders = isTrusted ? workspaceFolders.map(({ uri }) => uri.fsPath) : [];
  const known = places({ platform: process.platform, home: homedir(), env: process.env, folders });
  const looking = { location: vscode.ProgressLocation.Window, title: t('Looking for MCP servers…') };
  const { found, unreadable } = await window.withProgress(looking, () => findServers(known));
  for (const { path, reason } of unreadable.slice(0, 3))
    void window.showWarningMessage(t('{0} could not be read and was skipped: {1}.', path, localized(reason)));
  if (found.length > 0) return importFound(services, found);
  const choose = t('Choose a File…');
  const none = t('No MCP servers of other hosts were found on this machine.');
  if ((await window.showInformationMessage(none, choose)) === choose) await chooseFile();
}

/** The most servers whose test a notification tells: it is of a few lines. */
const MAX_RESULTS = 8;

/** Servers that go into one settings file, and the text of their review. */
interface Batch {
  readonly scope: TargetScope;
  readonly addition: SettingsAddition;
  readonly shown: readonly ServerDefinition[];
}

/** Asks which of the servers of other hosts to import, and writes them. */
export async function importFound(services: AddServices, found: readonly ImportSource[]): Promise<void> {
  const batches = await chooseBatches(services, found, {
    title: t('Import MCP Servers'),
    placeHolder: t('Select the servers to import'),
  });
  if (!batches) return;
  // Rows show only a part. The rest was written by other programs and people, so all of it is shown before it counts as
  // allowed.
  const go = t('Import and Allow');
  const question = t('Import these MCP servers and allow them to start?');
  if ((await askAboutLaunch({ question, text: reviewText(batches) }, [go])) !== go) return;
  const names = batches.flatMap(({ addition }) => Object.keys(addition.servers));
  const shown = namesText(names);
  const what =
    names.length === 1
      ? t('Imported MCP server {0}.', shown)
      : t('Imported {0} MCP servers: {1}.', names.length, shown);
  const where = t('They are in your {0}.', batches.map(({ scope }) => scopeName(scope)).join(', '));
  const hasSecrets = batches.some(({ addition }) => addition.values.size > 0);
  const kept = hasSecrets ? ` ${t('Their secrets are kept in secret storage, not in settings.')}` : '';
  await write(services, batches, plain(`${what} ${where}${kept}`));
}

/** Adds the servers of one text as one of them would be: after a review, with their inputs, and a test if the person wants it. */
export async function addPasted(services: AddServices, servers: readonly ServerDraft[]): Promise<void> {
  const place = { host: t('Pasted'), inWorkspace: false };
  const asking = { title: t('Add MCP Server'), placeHolder: t('Select the servers to add') };
  const [batch] = (await chooseBatches(services, [{ place, path: t('text'), servers }], asking)) ?? [];
  if (!batch) return;
  const [test, untested] = [t('Test and Add'), t('Add without Testing')];
  const { shown } = batch;
  const question =
    shown.length === 1
      ? t('Add the MCP server "{0}" and allow it to start?', visible(shown[0]!.name, 60))
      : t('Add these MCP servers and allow them to start?');
  const { isLinked } = services;
  const answer = await askAboutLaunch({ question, text: reviewText([batch]), isLinked }, [test, untested]);
  if (answer !== test && answer !== untested) return;
  if (!(await askValues(services, batch.scope, batch.addition, shown))) return;
  const tested = answer === test ? await testBatch(services, batch) : { batch, results: [] };
  if (!tested) return;
  const names = Object.keys(tested.batch.addition.servers);
  const where = scopeName(batch.scope);
  const results = tested.results.slice(0, MAX_RESULTS).map(({ text }) => text);
  await write(services, [tested.batch], plain(addedText(names, where, results)));
}

function addedText(names: readonly string[], where: string, results: readonly string[]): string {
  // The row of a single server has its result.
  if (names.length === 1) return t('"{0}" was added to your {1}.', namesText(names), where);
  if (results.length === 0) return t('{0} were added to your {1}.', namesText(names), where);
  return [t('{0} MCP servers were added to your {1}.', names.length, where), ...results].join(' ');
}

/** Tests servers together. @returns those that the person still wants, with a sentence each; undefined: cancelled. */
async function testBatch({ ports, version }: AddServices, batch: Batch) {
  for (;;) {
    const trials = await tryServers(batch.shown, batch.addition.values, ports, version);
    if (!trials) return undefined;
    const results = trials.map((trial, index) => resultOf(batch.shown[index]!.name, trial));
    const failed = results.filter(({ isFailed }) => isFailed);
    const others = results.filter(({ isFailed }) => !isFailed);
    if (failed.length === 0) return { batch, results };
    const [again, rest, all] = [t('Try Again'), t('Add the Others'), t('Add Anyway')];
    const question = t('{0} of {1} servers could not be reached.', failed.length, results.length);
    const detail = [...failed, ...others].map(({ text }) => text).join('\n');
    const buttons = others.length > 0 ? [again, rest, all] : [again, all];
    const answer = await window.showWarningMessage(question, { modal: true, detail }, ...buttons);
    if (answer === all) return { batch, results: [] };
    if (answer === rest) return { batch: partOf(batch, new Set(others.map(({ name }) => name))), results: others };
    if (answer !== again) return undefined;
  }
}

function resultOf(name: string, trial: Trial) {
  return { name, text: resultText(visible(name, 60), trial), isFailed: trial.kind === 'failed' };
}

function resultText(name: string, trial: Trial) {
  if (trial.kind === 'ready') return t('"{0}" responded and offers {1}.', name, countsOf(trial));
  if (trial.kind === 'needsAuth') return t('"{0}" requires you to sign in.', name);
  return verbatim('"{0}": {1}', name, summaryText(trial.error));
}

/** The servers of these names, and what they need. */
function partOf({ scope, addition, shown }: Batch, names: ReadonlySet<string>): Batch {
  const servers = Object.fromEntries(Object.entries(addition.servers).filter(([name]) => names.has(name)));
  const ids = inputIdsIn(servers);
  const inputs = addition.inputs.filter(({ id }) => ids.has(id));
  const values = new Map([...addition.values].filter(([id]) => ids.has(id)));
  return { scope, addition: { servers, inputs, values }, shown: shown.filter(({ name }) => names.has(name)) };
}

const namesText = (names: readonly string[]) => plain(names.map(name => visible(name, 60)).join(', '));

const reviewText = (batches: readonly Batch[]) =>
  batches
    .map(({ scope, addition, shown }) => launchText(shown, scopeName(scope), addition.values, addition.inputs))
    .join('\n\n');

/** Writes servers, shows the first of them, and says so, with a way back. */
async function write({ writer, reveal }: AddServices, batches: readonly Batch[], message: PlainText): Promise<void> {
  const undos: Undo[] = [];
  for (const { scope, addition, shown } of batches) undos.push(await writer.write(scope, addition, shown));
  const [first] = batches.flatMap(({ shown }) => shown);
  const show = async () => first && reveal(first.id);
  await show();
  const undo = async () => {
    const undone = [];
    for (const one of undos) undone.push(await one());
    return undone.every(Boolean);
  };
  void offerUndo(message, undo, show);
}

/** Asks which servers to add. Undefined: none, which a message has said if they are there already. */
async function chooseBatches(
  { writer }: AddServices,
  found: readonly ImportSource[],
  asking: { readonly title: PlainText; readonly placeHolder: PlainText },
): Promise<Batch[] | undefined> {
  const options = { ...asking, canPickMany: true, ignoreFocusOut: true, matchOnDescription: true } as const;
  const chosen = await window.showQuickPick(await rowsOf(writer, found), options);
  if (!chosen || chosen.length === 0) return undefined;
  const wrong = chosen.find(({ problem }) => problem !== undefined);
  if (wrong) throw new Error(`${t('"{0}" cannot be added.', wrong.label)} ${wrong.problem}`);
  const batches: Batch[] = [];
  for (const scope of ['workspace', 'user'] as const) {
    const drafts = chosen.flatMap(row => (row.scope === scope && row.draft ? [row.draft] : []));
    const addition = planAddition(drafts, await writer.existingWithValues(scope));
    if (Object.keys(addition.servers).length > 0)
      batches.push({ scope, addition, shown: writer.reviewOf(scope, addition) });
  }
  if (batches.length > 0) return batches;
  void window.showInformationMessage(t('All of these servers are already in your settings.'));
  return undefined;
}

async function rowsOf(writer: SettingsWriter, found: readonly ImportSource[]): Promise<ImportRow[]> {
  const existing = {
    user: await writer.existingWithValues('user'),
    project: await writer.existingWithValues('project'),
    workspace: await writer.existingWithValues('workspace'),
  };
  const listed: { host: string; draft: ServerDraft }[] = [];
  return found.flatMap(({ place, path, project, servers, left = 0 }): ImportRow[] => {
    const isOfWorkspace = project === undefined ? place.inWorkspace : isOpen(project);
    const scope = isOfWorkspace && hasWorkspace() ? 'workspace' : 'user';
    const where = rowText(shortPath(project ?? path), 100);
    // Servers of another project are usually not wanted here.
    const isWanted = project === undefined || isOpen(project);
    const rows = servers.map((raw): ImportRow => {
      const draft = secretsToInputs(raw, { byName: true });
      const same = listed.find(other => other.draft.name === draft.name && sameServer(draft, other.draft));
      listed.push({ host: place.host, draft });
      const there = SCOPES.find(one => placementOf(draft, existing[one]).kind === 'there');
      const state = there ? t('already in your {0}', scopeName(there)) : same && t('same as in {0}', same.host);
      const [read] = parseServers({ [draft.name]: draft.entry }).servers;
      const problem = read?.entry ? undefined : localized(read?.problems[0]?.message ?? '');
      return {
        label: rowText(draft.name, 100),
        description: rowText(launchLineOf(draft.entry), 120),
        detail: rowText(problem ?? [...(state ? [state] : []), ...notesOf(draft)].join(' · '), 300),
        picked: isWanted && !state && problem === undefined,
        draft,
        scope,
        ...(problem !== undefined && { problem }),
      };
    });
    const isCut = left > 0 && t('{0} more are too many or too large to be read', left);
    const label = joined([rowText(place.host), where, isCut], ' · ');
    return [{ label, kind: vscode.QuickPickItemKind.Separator }, ...rows];
  });
}

/** Other hosts write Windows paths in several ways. */
function isOpen(folder: string): boolean {
  const same = (path: string) => (process.platform === 'win32' ? path.toLowerCase() : path);
  const wanted = same(vscode.Uri.file(folder).fsPath);
  return (vscode.workspace.workspaceFolders ?? []).some(({ uri }) => same(uri.fsPath) === wanted);
}

/** The space that a separator may take, as it shares the line of the first row below it. */
const MAX_PATH = 32;

function shortPath(path: string): string {
  const relative = vscode.workspace.asRelativePath(path, false);
  const home = homedir();
  const shown = relative !== path ? relative : path.startsWith(home) ? `~${path.slice(home.length)}` : path;
  return shown.length <= MAX_PATH ? shown : `…${shown.slice(-MAX_PATH).replace(/^[^\\/]*/, '')}`;
}
