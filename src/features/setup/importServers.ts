import { homedir } from 'node:os';
import { plain, rowText, visible } from '../../base/text';
import { errorText, localized } from '../../editor/errorText';
import { joined, type PlainRow, t, window } from '../../editor/window';
import type { ServerDefinition } from '../../host/definition';
import { parseServers } from '../../host/settings';
import type { Findings, FoundServers, ImportPlace } from './core/findServers';
import { secretsToInputs } from './core/missingValues';
import {
  type ExistingSettings,
  placementOf,
  planAddition,
  type ServerDraft,
  type SettingsAddition,
  sameServer,
} from './core/serverDraft';
import { findServers, places, readPlace } from './desktop';
import { askAboutLaunch, launchLineOf, launchText, notesOf } from './launchText';
import { hasWorkspace, type SettingsWriter, scopeName, type TargetScope } from './settingsWriter';
import { BACK, OTHER, pickManyOr, pickOne, type WizardAnswer } from './wizard';

import vscode = require('vscode');

/** Imports servers from the files of other hosts. */
export class ImportServers {
  constructor(private readonly list: ImportList) {}

  /** Looks where other hosts keep their servers, and asks which to import. */
  async run(): Promise<void> {
    const { isTrusted, workspaceFolders = [] } = vscode.workspace;
    // An untrusted workspace is not even looked at.
    const folders = isTrusted ? workspaceFolders.map(({ uri }) => uri.fsPath) : [];
    const known = places({ platform: process.platform, home: homedir(), env: process.env, folders });
    const looking = { location: vscode.ProgressLocation.Window, title: t('Looking for MCP servers…') };
    const findings = await window.withProgress(looking, () => findServers(known));
    this.#tellUnreadable(findings);
    if (findings.found.length > 0) return this.#choose(findings.found);
    const chooseFile = t('Choose a File…');
    const none = t('No MCP servers of other hosts were found on this machine.');
    if ((await window.showInformationMessage(none, chooseFile)) === chooseFile) await this.chooseFile();
  }

  /** Asks for a file, in the format of any host. */
  async chooseFile(): Promise<void> {
    const [uri] = (await vscode.window.showOpenDialog({ title: t('Import MCP servers from a file') })) ?? [];
    if (!uri) return;
    const inWorkspace = vscode.workspace.getWorkspaceFolder(uri) !== undefined;
    const place: ImportPlace = { host: t('File'), path: uri.fsPath, dialect: 'unknown', inWorkspace };
    const found = await readPlace(place, uri.fsPath).catch(error => {
      throw new Error(t('{0} could not be read: {1}', uri.fsPath, errorText(error, 200)));
    });
    if (found.every(({ servers }) => servers.length === 0)) {
      throw new Error(t('{0} contains no MCP servers in a known format.', uri.fsPath));
    }
    await this.#choose(found);
  }

  #choose(found: readonly ImportSource[]): Promise<void> {
    return this.list.choose(found, () => this.chooseFile());
  }

  #tellUnreadable({ unreadable }: Findings): void {
    for (const { path, reason } of unreadable.slice(0, 3)) {
      void window.showWarningMessage(t('{0} could not be read and was skipped: {1}.', path, localized(reason)));
    }
  }
}

/** Where the servers go. `each`: those of the workspace into its settings, all others into the user's. */
type Wanted = TargetScope | 'each';
/** The source of an import. */
type ImportSource = Pick<FoundServers, 'path' | 'project' | 'servers'> & {
  place: Pick<ImportPlace, 'host' | 'inWorkspace'>;
};

interface ImportRow extends PlainRow {
  draft?: ServerDraft;
  /** The scope that it is from. */
  scope?: TargetScope;
  /** Why it cannot be written. */
  problem?: string;
}

/** Asks which of the servers found or pasted to import, and where to. */
export class ImportList {
  constructor(private readonly writer: SettingsWriter) {}

  /**
   * Shows what was found and asks which to import, then where to write them, and does so.
   * @param chooseFile lets the person choose a file instead, if that is possible.
   */
  async choose(found: readonly ImportSource[], chooseFile?: () => Promise<void>): Promise<void> {
    const file = { iconPath: new vscode.ThemeIcon('folder-opened'), tooltip: t('Choose a File…') };
    let items = await this.#rows(found);
    for (;;) {
      const chosen = await pickManyOr(
        { title: t('Import MCP Servers'), placeholder: t('Select the servers to import'), items },
        chooseFile && file,
      );
      if (chosen === OTHER) return chooseFile?.();
      if (!chosen || chosen === BACK || chosen.length === 0) return;
      const wanted = hasWorkspace() ? await this.#askWanted() : 'user';
      if (wanted === undefined) return;
      if (wanted !== BACK) return this.#write(chosen, wanted);
      items = items.map(row => ({ ...row, picked: chosen.some(({ draft }) => draft === row.draft) }));
    }
  }

  async #askWanted(): Promise<WizardAnswer<Wanted>> {
    type Row = PlainRow & { wanted: Wanted };
    const items: Row[] = [
      {
        label: t('Keep Each in Its Scope'),
        detail: t('Servers of this workspace go into its settings, all others into your user settings'),
        wanted: 'each',
      },
      { label: t('User Settings'), detail: t('Available in all windows'), wanted: 'user' },
      {
        label: t('Workspace Settings'),
        detail: t('In this workspace only, for everyone who shares this folder'),
        wanted: 'workspace',
      },
    ];
    const picked = await pickOne({ title: t('Import MCP Servers'), placeholder: t('Save to'), items, canGoBack: true });
    return picked === BACK ? BACK : picked?.wanted;
  }

  async #rows(found: readonly ImportSource[]): Promise<ImportRow[]> {
    const existing = {
      user: await this.writer.existingWithValues('user'),
      workspace: await this.writer.existingWithValues('workspace'),
    };
    const listed: { host: string; draft: ServerDraft }[] = [];
    return found.flatMap(({ place, path, project, servers }): ImportRow[] => {
      const isOfWorkspace = project === undefined ? place.inWorkspace : isOpen(project);
      const scope = isOfWorkspace && hasWorkspace() ? 'workspace' : 'user';
      const where = rowText(shortPath(project ?? path), 100);
      const rows = servers.map(raw => {
        const draft = secretsToInputs(raw, { byName: true });
        const same = listed.find(other => other.draft.name === draft.name && sameServer(draft, other.draft));
        listed.push({ host: place.host, draft });
        const row = { ...rowOf(draft, existing, same?.host), scope } as const;
        const [read] = parseServers({ [draft.name]: draft.entry }).servers;
        const problem = read?.entry ? undefined : localized(read?.problems[0]?.message ?? '');
        if (problem !== undefined) return { ...row, detail: rowText(problem, 300), picked: false, problem };
        // Servers of another project are usually not wanted here.
        return { ...row, picked: row.picked && (project === undefined || isOpen(project)) };
      });
      return [
        { label: joined([rowText(place.host), where], ' · '), kind: vscode.QuickPickItemKind.Separator },
        ...rows,
      ];
    });
  }

  async #write(chosen: readonly ImportRow[], wanted: Wanted): Promise<void> {
    const wrong = chosen.find(({ problem }) => problem !== undefined);
    if (wrong) throw new Error(`${t('"{0}" cannot be added.', wrong.label)} ${wrong.problem}`);
    const [names, secrets]: [string[], string[]] = [[], []];
    const additions: { scope: TargetScope; addition: SettingsAddition; shown: readonly ServerDefinition[] }[] = [];
    for (const scope of ['workspace', 'user'] as const) {
      const drafts = chosen.flatMap(row => {
        const goesTo = wanted === 'each' ? row.scope : wanted;
        return goesTo === scope && row.draft ? [row.draft] : [];
      });
      if (drafts.length === 0) continue;
      const addition = planAddition(drafts, await this.writer.existingWithValues(scope));
      if (Object.keys(addition.servers).length === 0) continue;
      additions.push({ scope, addition, shown: this.writer.reviewOf(scope, addition) });
    }
    // Rows show only a part. The rest was written by other programs and people, so all of it is shown before it counts as
    // allowed.
    if (additions.length > 0 && !(await this.#confirm(additions.map(textOf).join('\n\n')))) return;
    for (const { scope, addition, shown } of additions) {
      await this.writer.write(scope, addition, shown);
      names.push(...Object.keys(addition.servers));
      secrets.push(...addition.values.keys());
    }
    if (names.length === 0) {
      void window.showInformationMessage(t('All of these servers are already in your settings.'));
      return;
    }
    await vscode.commands.executeCommand('mcpHost.servers.focus');
    const shown = plain(names.map(name => visible(name, 60)).join(', '));
    const what =
      names.length === 1
        ? t('Imported MCP server {0}.', shown)
        : t('Imported {0} MCP servers: {1}.', names.length, shown);
    const kept = secrets.length > 0 ? ` ${t('Their secrets are kept in secret storage, not in settings.')}` : '';
    const scopes = additions.map(({ scope }) => scopeName(scope)).join(', ');
    void window.showInformationMessage(plain(`${what} ${t('They are in your {0}.', scopes)}${kept}`));
  }

  async #confirm(text: string): Promise<boolean> {
    const go = t('Import and Allow');
    const question = t('Import these MCP servers and allow them to start?');
    return (await askAboutLaunch(question, text, [go])) === go;
  }
}

const textOf = ({
  scope,
  addition,
  shown,
}: {
  scope: TargetScope;
  addition: SettingsAddition;
  shown: readonly ServerDefinition[];
}) => launchText(shown, scopeName(scope), addition.values, addition.inputs);

/** Other hosts write Windows paths in several ways. */
function isOpen(folder: string): boolean {
  const same = (path: string) => (process.platform === 'win32' ? path.toLowerCase() : path);
  const wanted = same(vscode.Uri.file(folder).fsPath);
  return (vscode.workspace.workspaceFolders ?? []).some(({ uri }) => same(uri.fsPath) === wanted);
}

function rowOf(
  draft: ServerDraft,
  existing: Readonly<Record<TargetScope, ExistingSettings>>,
  sameAs: string | undefined,
): ImportRow & { picked: boolean } {
  const there = (['user', 'workspace'] as const).find(scope => placementOf(draft, existing[scope]).kind === 'there');
  const state = there ? t('already in your {0}', scopeName(there)) : sameAs && t('same as in {0}', sameAs);
  return {
    label: rowText(draft.name, 100),
    description: rowText(launchLineOf(draft.entry), 120),
    detail: rowText([...(state ? [state] : []), ...notesOf(draft)].join(' · '), 300),
    picked: !state,
    draft,
  };
}

/** The space that a separator may take, as it shares the line of the first row below it. */
const MAX_PATH = 32;

function shortPath(path: string): string {
  const relative = vscode.workspace.asRelativePath(path, false);
  const home = homedir();
  const shown = relative !== path ? relative : path.startsWith(home) ? `~${path.slice(home.length)}` : path;
  return shown.length <= MAX_PATH ? shown : `…${shown.slice(-MAX_PATH).replace(/^[^\\/]*/, '')}`;
}
