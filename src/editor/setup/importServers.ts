import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { messageOf } from '../../host/errors';
import type { ServerDraft } from '../../host/setup/draft';
import { type Findings, type FoundServers, findServers, readPlace } from '../../host/setup/find';
import { type Place, places } from '../../host/setup/places';
import {
  type ExistingSettings,
  placementOf,
  planAddition,
  type SettingsAddition,
  sameServer,
} from '../../host/setup/plan';
import { secretsToInputs } from '../../host/setup/secrets';
import { visible, withoutLinks } from '../../host/text';
import type { HostModule } from '../../loadHost';
import { rowText } from '../completion/rowText';
import type { ReviewDocuments } from '../trust/reviewDocuments';
import { notesOf } from './draftText';
import { askAboutLaunch, launchLineOf, launchText } from './launchText';
import { hasWorkspace, type SettingsWriter, scopeName, type TargetScope } from './settingsWriter';
import { BACK, pickMany, pickOne } from './wizard';

const { t } = vscode.l10n;

/** Where the person wants it: `each` is what belongs to the workspace there, all else in the user settings. */
type Wanted = TargetScope | 'each';
/** What to import from. */
export type ImportSource = Pick<FoundServers, 'path' | 'project' | 'servers'> & {
  place: Pick<Place, 'host' | 'inWorkspace'>;
  /** Somebody else may have written it. Default: what lies in the workspace. */
  isForeign?: boolean;
};

interface ImportRow extends vscode.QuickPickItem {
  draft?: ServerDraft;
  scope?: TargetScope;
  isForeign?: boolean;
}

/** Takes over servers that other hosts have in their files. */
export class ImportServers {
  constructor(
    private readonly writer: SettingsWriter,
    private readonly host: () => HostModule,
    private readonly documents: ReviewDocuments,
  ) {}

  /** Looks where other hosts keep their servers, and asks which to take over. */
  async run(): Promise<void> {
    const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
    const known = places({ platform: process.platform, home: homedir(), env: process.env, folders });
    const looking = { location: vscode.ProgressLocation.Window, title: t('Looking for MCP servers…') };
    const findings = await vscode.window.withProgress(looking, () => findServers(known));
    this.#tellUnreadable(findings);
    // What an untrusted workspace brings is left alone here too.
    const found = findings.found.filter(({ place }) => vscode.workspace.isTrusted || !place.inWorkspace);
    if (found.length > 0) return this.choose(found);
    const chooseFile = t('Choose a File…');
    const none = t('No MCP servers of other hosts were found on this machine.');
    if ((await vscode.window.showInformationMessage(none, chooseFile)) === chooseFile) await this.chooseFile();
  }

  /** Asks for a file, in the format of any host. */
  async chooseFile(): Promise<void> {
    const [uri] = (await vscode.window.showOpenDialog({ title: t('Import MCP servers from a file') })) ?? [];
    if (!uri) return;
    const inWorkspace = vscode.workspace.getWorkspaceFolder(uri) !== undefined;
    const place: Place = { host: t('File'), path: uri.fsPath, dialect: 'unknown', inWorkspace };
    const found = await readPlace(place, uri.fsPath).catch(error => {
      throw new Error(t('{0} could not be read: {1}', uri.fsPath, messageOf(error, 200)));
    });
    if (found.every(({ servers }) => servers.length === 0)) {
      throw new Error(t('{0} has no MCP servers in a format that is known here.', uri.fsPath));
    }
    await this.choose(found);
  }

  /** Asks where to and which, then writes them. */
  async choose(found: readonly ImportSource[]): Promise<void> {
    for (;;) {
      const wanted = hasWorkspace() ? await this.#askWanted() : 'user';
      if (wanted === undefined) return;
      if (wanted === 'file') return this.chooseFile();
      const chosen = await pickMany({
        title: t('Import MCP Servers'),
        placeholder: t('Which servers are to be written into your settings?'),
        items: await this.#rows(found, wanted),
        canGoBack: hasWorkspace(),
      });
      if (chosen === BACK) continue;
      if (chosen && chosen.length > 0) await this.#write(chosen);
      return;
    }
  }

  async #askWanted(): Promise<Wanted | 'file' | undefined> {
    const items: (vscode.QuickPickItem & { wanted?: Wanted | 'file' })[] = [
      {
        label: t('Each Where It Belongs'),
        detail: t('Servers of this workspace into its settings, all others into your user settings'),
        wanted: 'each',
      },
      { label: t('User Settings'), detail: t('They are there in every window'), wanted: 'user' },
      {
        label: t('Workspace Settings'),
        detail: t('Only here, and for everybody who shares this folder'),
        wanted: 'workspace',
      },
      { label: '', kind: vscode.QuickPickItemKind.Separator },
      { iconPath: new vscode.ThemeIcon('folder-opened'), label: t('Choose a File…'), wanted: 'file' },
    ];
    const picked = await pickOne({
      title: t('Import MCP Servers'),
      placeholder: t('Where are they to be written?'),
      items,
    });
    return picked === BACK ? undefined : picked?.wanted;
  }

  async #rows(found: readonly ImportSource[], wanted: Wanted): Promise<ImportRow[]> {
    const existing = {
      user: await this.writer.existingWithValues('user'),
      workspace: await this.writer.existingWithValues('workspace'),
    };
    const listed: { host: string; draft: ServerDraft }[] = [];
    return found.flatMap(({ place, path, project, servers, isForeign = place.inWorkspace }): ImportRow[] => {
      const isOfWorkspace = project === undefined ? place.inWorkspace : isOpen(project);
      const scope = wanted === 'each' ? (isOfWorkspace && hasWorkspace() ? 'workspace' : 'user') : wanted;
      const where = rowText(shortPath(project ?? path), 100);
      const rows = servers.map(raw => {
        const draft = secretsToInputs(raw, this.host().settingsReading, { byName: true });
        const same = listed.find(other => other.draft.name === draft.name && sameServer(draft, other.draft));
        listed.push({ host: place.host, draft });
        const row = rowOf(draft, scope, existing[scope], same?.host);
        // Those of another project are not wanted here, as a rule.
        return { ...row, isForeign, picked: row.picked && (project === undefined || isOpen(project)) };
      });
      return [{ label: `${place.host} · ${where}`, kind: vscode.QuickPickItemKind.Separator }, ...rows];
    });
  }

  async #write(chosen: readonly ImportRow[]): Promise<void> {
    const [names, secrets]: [string[], string[]] = [[], []];
    const additions: { scope: TargetScope; addition: SettingsAddition }[] = [];
    for (const scope of ['workspace', 'user'] as const) {
      const drafts = chosen.flatMap(row => (row.scope === scope && row.draft ? [row.draft] : []));
      if (drafts.length === 0) continue;
      const addition = planAddition(drafts, await this.writer.existingWithValues(scope));
      if (Object.keys(addition.servers).length > 0) additions.push({ scope, addition });
    }
    // What came with the workspace is somebody else's: all of it is shown before it counts as allowed.
    const launched = chosen.some(({ isForeign }) => isForeign)
      ? additions.flatMap(({ scope, addition }) => this.writer.definitionsOf(scope, addition))
      : [];
    if (launched.length > 0 && !(await this.#confirm(launchText(launched, t('your settings'))))) return;
    for (const { scope, addition } of additions) {
      await this.writer.write(scope, addition);
      names.push(...Object.keys(addition.servers));
      secrets.push(...addition.values.keys());
    }
    if (names.length === 0) {
      void vscode.window.showInformationMessage(t('All of these servers are in your settings already.'));
      return;
    }
    await vscode.commands.executeCommand('mcpHost.servers.focus');
    const shown = withoutLinks(names.map(name => visible(name, 60)).join(', '));
    const what =
      names.length === 1
        ? t('Imported the MCP server {0}.', shown)
        : t('Imported {0} MCP servers: {1}.', names.length, shown);
    const kept = secrets.length > 0 ? ` ${t('Their secrets are in the secret storage, not in the settings.')}` : '';
    const scopes = additions.map(({ scope }) => scopeName(scope)).join(', ');
    void vscode.window.showInformationMessage(withoutLinks(`${what} ${t('They are in your {0}.', scopes)}${kept}`));
  }

  async #confirm(text: string): Promise<boolean> {
    const go = t('Import and Allow');
    const question = t('Import these MCP servers and allow them to start?');
    return (await askAboutLaunch(question, text, [go], this.documents)) === go;
  }

  #tellUnreadable({ unreadable }: Findings): void {
    for (const { path, reason } of unreadable.slice(0, 3)) {
      void vscode.window.showWarningMessage(
        withoutLinks(t('{0} could not be read and is left out: {1}.', path, reason)),
      );
    }
  }
}

const isOpen = (folder: string) => (vscode.workspace.workspaceFolders ?? []).some(({ uri }) => uri.fsPath === folder);

function rowOf(
  draft: ServerDraft,
  scope: TargetScope,
  existing: ExistingSettings,
  sameAs: string | undefined,
): ImportRow & { picked: boolean } {
  const placement = placementOf(draft, existing);
  const goes = {
    new: t('→ {0}', scopeName(scope)),
    renamed: t('→ {0}, as "{1}"', scopeName(scope), placement.name),
    there: t('already in your {0}', scopeName(scope)),
  }[placement.kind];
  const same = sameAs !== undefined && placement.kind !== 'there' ? [t('the same as that of {0}', sameAs)] : [];
  return {
    label: rowText(draft.name, 100),
    description: rowText(launchLineOf(draft.entry), 120),
    detail: rowText([goes, ...same, ...notesOf(draft)].join(' · '), 300),
    picked: placement.kind !== 'there' && sameAs === undefined,
    draft,
    scope,
  };
}

/** Room that a separator may take: it stands in the line of the first row below it. */
const MAX_PATH = 32;

function shortPath(path: string): string {
  const relative = vscode.workspace.asRelativePath(path, false);
  const home = homedir();
  const shown = relative !== path ? relative : path.startsWith(home) ? `~${path.slice(home.length)}` : path;
  return shown.length <= MAX_PATH ? shown : `…${shown.slice(-MAX_PATH).replace(/^[^\\/]*/, '')}`;
}
