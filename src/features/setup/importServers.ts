import { homedir } from 'node:os';

import vscode = require('vscode');

import { plain, rowText, visible } from '../../base/text';
import { localized } from '../../editor/errorText';
import { joined, type PlainRow, t, window } from '../../editor/window';
import { parseServers } from '../../host/settings';
import type { FoundServers } from './core/findServers';
import { secretsToInputs } from './core/missingValues';
import { placementOf, planAddition, type ServerDraft, sameServer } from './core/serverDraft';
import { findServers, places } from './desktop';
import { askAboutLaunch, launchLineOf, launchText, notesOf } from './launchText';
import { hasWorkspace, SCOPES, type SettingsWriter, scopeName, type TargetScope } from './settingsWriter';

type ImportSource = Pick<FoundServers, 'path' | 'project' | 'servers' | 'left'> & {
  place: Pick<FoundServers['place'], 'host' | 'inWorkspace'>;
};

interface ImportRow extends PlainRow {
  draft?: ServerDraft;
  /** Where it goes: servers of the workspace into its settings, all others into the user's. */
  scope?: TargetScope;
  problem?: string;
}

/**
 * Looks where other hosts keep their servers, and asks which to import.
 * @param chooseFile lets the person choose a file instead.
 */
export async function importServers(writer: SettingsWriter, chooseFile: () => Promise<void>): Promise<void> {
  const { isTrusted, workspaceFolders = [] } = vscode.workspace;
  // An untrusted workspace is not even looked at.
  const folders = isTrusted ? workspaceFolders.map(({ uri }) => uri.fsPath) : [];
  const known = places({ platform: process.platform, home: homedir(), env: process.env, folders });
  const looking = { location: vscode.ProgressLocation.Window, title: t('Looking for MCP servers…') };
  const { found, unreadable } = await window.withProgress(looking, () => findServers(known));
  for (const { path, reason } of unreadable.slice(0, 3))
    void window.showWarningMessage(t('{0} could not be read and was skipped: {1}.', path, localized(reason)));
  if (found.length > 0) return importFound(writer, found);
  const choose = t('Choose a File…');
  const none = t('No MCP servers of other hosts were found on this machine.');
  if ((await window.showInformationMessage(none, choose)) === choose) await chooseFile();
}

/** Asks which of the servers that were found or pasted to import, and writes them. */
export async function importFound(writer: SettingsWriter, found: readonly ImportSource[]): Promise<void> {
  const chosen = await window.showQuickPick(await rowsOf(writer, found), {
    title: t('Import MCP Servers'),
    placeHolder: t('Select the servers to import'),
    canPickMany: true,
    ignoreFocusOut: true,
    matchOnDescription: true,
  });
  if (!chosen || chosen.length === 0) return;
  const wrong = chosen.find(({ problem }) => problem !== undefined);
  if (wrong) throw new Error(`${t('"{0}" cannot be added.', wrong.label)} ${wrong.problem}`);
  const additions = [];
  for (const scope of ['workspace', 'user'] as const) {
    const drafts = chosen.flatMap(row => (row.scope === scope && row.draft ? [row.draft] : []));
    const addition = planAddition(drafts, await writer.existingWithValues(scope));
    if (Object.keys(addition.servers).length === 0) continue;
    const shown = writer.reviewOf(scope, addition);
    const text = launchText(shown, scopeName(scope), addition.values, addition.inputs);
    additions.push({ scope, addition, shown, text });
  }
  if (additions.length === 0) {
    void window.showInformationMessage(t('All of these servers are already in your settings.'));
    return;
  }
  // Rows show only a part. The rest was written by other programs and people, so all of it is shown before it counts as
  // allowed.
  const go = t('Import and Allow');
  const question = t('Import these MCP servers and allow them to start?');
  if ((await askAboutLaunch(question, additions.map(({ text }) => text).join('\n\n'), [go])) !== go) return;
  for (const { scope, addition, shown } of additions) await writer.write(scope, addition, shown);
  await vscode.commands.executeCommand('mcpHost.servers.focus');
  const names = additions.flatMap(({ addition }) => Object.keys(addition.servers));
  const shown = plain(names.map(name => visible(name, 60)).join(', '));
  const what =
    names.length === 1
      ? t('Imported MCP server {0}.', shown)
      : t('Imported {0} MCP servers: {1}.', names.length, shown);
  const where = t('They are in your {0}.', additions.map(({ scope }) => scopeName(scope)).join(', '));
  const hasSecrets = additions.some(({ addition }) => addition.values.size > 0);
  const kept = hasSecrets ? ` ${t('Their secrets are kept in secret storage, not in settings.')}` : '';
  void window.showInformationMessage(plain(`${what} ${where}${kept}`));
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
