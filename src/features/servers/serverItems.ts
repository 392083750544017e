import { numberText } from '../../base/numberText';
import { parseUrl, visible } from '../../base/text';
import { errorText, localized, reasonText } from '../../editor/errorText';
import { plainTooltip } from '../../editor/markdown';
import { remedyCommand, remedyIcon } from '../../editor/remedyTexts';
import { countText, listIcon, type MessageIcon, type ServerNode, treeItem } from '../../editor/serverRows';
import { fileText, stateIcon, stateText, themeIcon, warningText } from '../../editor/stateText';
import { t, verbatim } from '../../editor/window';
import { remediesOf, type ServerConnection } from '../../host';
import { CATALOG_KINDS, type CatalogKind, type CatalogList } from '../../host/catalog';
import { runsPackage } from '../../host/launch';

import vscode = require('vscode');

interface ServerMarks {
  readonly changes: number;
  /** What runs on it, or news for its author. */
  readonly dev: string | undefined;
}

/**
 * The row of one server. Its name is the configured one; the server's own name is in the hover. The tooltip is left to
 * `resolveTreeItem`: it shows health, which changes while the row does not, and facts that are determined on demand.
 */
export function serverItem(server: ServerConnection, { changes, dev }: ServerMarks): vscode.TreeItem {
  const { state, definition } = server;
  const isKnown = CATALOG_KINDS.some(kind => server.catalog.knownItems(kind).length > 0);
  const expandable = state.kind === 'ready' || 'error' in state || isKnown;
  const item = new vscode.TreeItem(
    server.name,
    expandable ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None,
  );
  item.id = server.id;
  const news = changes === 0 ? '' : changes === 1 ? t('1 change to review') : t('{0} changes to review', changes);
  const warning = state.kind === 'ready' ? warningText(definition) : '';
  const missing = failedListsText(server);
  const others = [definition.source.folder?.name, dev, news, missing, warning];
  const facts = stateDescription(server);
  // Why it is not there comes first: a narrow view cuts what is behind.
  item.description = ('error' in state ? [...facts, ...others] : [...others, ...facts]).filter(Boolean).join(' · ');
  item.iconPath = stateIcon(state, changes === 0 && warning === '' && missing === '');
  const disabled = definition.entry?.enabled === false ? '.disabled' : '';
  const isRefused = state.kind === 'failed' && state.error.code === 'NOT_ALLOWED';
  const runs = `${definition.entry?.type === 'stdio' ? '.code' : ''}${runsPackage(definition) ? '.package' : ''}`;
  item.contextValue = `server.${isRefused ? 'refused' : state.kind}${disabled}${runs}${changes > 0 ? '.changes' : ''}${server.account.signedIn ? '.signedIn' : ''}`;
  const parts = [
    server.name,
    // The reason says it again.
    state.kind === 'needsTrust' ? '' : stateText(server),
    ...others,
    ...facts,
  ];
  item.accessibilityInformation = { label: [...new Set(parts)].filter(Boolean).join(', ') };
  return item;
}

/** The row of one kind: "Tools 13". */
export function listItem(server: ServerConnection, kind: CatalogKind): vscode.TreeItem {
  const list = server.catalog.list(kind);
  const collapsibleState =
    list.items.length > 0 || list.excluded || list.status === 'failed'
      ? vscode.TreeItemCollapsibleState.Collapsed
      : vscode.TreeItemCollapsibleState.None;
  return treeItem(KIND_LABELS[kind], {
    id: `${server.id}\n${kind}`,
    collapsibleState,
    description: countText(list),
    iconPath: listIcon(list.status === 'failed' ? 'error' : KIND_ICONS[kind], list),
    contextValue: `list.${kind}`,
  });
}

/** A row with a message; a click shows the server's log, which has the details, or the settings entry that is to be mended. */
export function messageItem({ server, text, icon, opens }: Extract<ServerNode, { type: 'message' }>): vscode.TreeItem {
  // A line of a process is looked for in the log.
  const row = icon === 'terminal' ? { server, line: text } : { server };
  const command =
    opens === 'settings'
      ? { command: 'mcpHost.openServerSettings', title: t('Open Server Settings'), arguments: [{ server }] }
      : { command: 'mcpHost.showServerLog', title: t('Show Server Log'), arguments: [row] };
  const iconPath = themeIcon(icon, ICON_COLORS[icon]);
  const shown = server.redact(text);
  return treeItem(visible(shown, 1_000), { iconPath, tooltip: tooltipWithRemedies(server, [shown]), command });
}

/** A row with what can be done about a server; a click does it. */
export function remedyItem({ server, remedy }: Extract<ServerNode, { type: 'remedy' }>): vscode.TreeItem {
  const command = remedyCommand(remedy, server);
  const iconPath = new vscode.ThemeIcon(remedyIcon(remedy) ?? 'wand');
  return treeItem(visible(command.title, 300), { iconPath, contextValue: 'remedy', command });
}

const ICON_COLORS: { readonly [K in MessageIcon]?: string } = {
  error: 'testing.iconFailed',
  warning: 'testing.iconQueued',
};

const KIND_LABELS: Record<CatalogKind, string> = {
  tools: t('Tools'),
  prompts: t('Prompts'),
  resources: t('Resources'),
  resourceTemplates: t('Templates'),
};

export const KIND_ICONS: Record<CatalogKind, string> = {
  tools: 'tools',
  prompts: 'comment',
  resources: 'files',
  resourceTemplates: 'symbol-snippet',
};

function stateDescription(server: ServerConnection): string[] {
  const { state, catalog } = server;
  if (state.kind === 'failed' || state.kind === 'reconnecting' || state.kind === 'needsTrust') {
    const isComing = state.kind === 'reconnecting' && !state.isDown;
    return [...(isComing ? [stateText(server)] : []), visible(reasonText(state.error), 120)];
  }
  if (state.kind !== 'ready') return [stateText(server)];
  // What it calls itself and the version of the protocol are in the hover: in a narrow view they would hide the counts.
  const counts = CATALOG_KINDS.map(kind => countOf(kind, catalog.list(kind)));
  const newer = state.newer && t('version {0} from the next start', visible(state.newer, 40));
  return [server.attempts ? t('confined') : '', newer ?? '', ...counts].filter(text => text !== '');
}

function failedListsText({ state, catalog }: ServerConnection): string {
  const { length } = state.kind === 'ready' ? catalog.failures : [];
  return length === 0 ? '' : length === 1 ? t('1 list failed') : t('{0} lists failed', length);
}

function countOf(kind: CatalogKind, { items: { length }, more }: CatalogList<unknown>): string {
  if (length === 0) return '';
  const count = more ? `${length}+` : length;
  const [one, many] = {
    tools: [t('1 tool'), verbatim('{0} tools', count)],
    prompts: [t('1 prompt'), verbatim('{0} prompts', count)],
    resources: [t('1 resource'), verbatim('{0} resources', count)],
    resourceTemplates: [t('1 template'), verbatim('{0} templates', count)],
  }[kind] as [string, string];
  return count === 1 ? one : many;
}

/** Everything known of a server now. @param toolTokens of a model's window. @param notes more lines. */
export function serverTooltip(
  server: ServerConnection,
  toolTokens = 0,
  notes: readonly string[] = [],
): vscode.MarkdownString {
  const { state, definition } = server;
  const { entry } = definition;
  const launch = entry && (entry.type === 'stdio' ? [entry.command, ...entry.args].join(' ') : entry.url);
  const info = state.kind === 'ready' ? state.info : undefined;
  const warnings = definition.problems.map(({ message }) => localized(message));
  const head = [`${server.name}: ${stateText(server)}`, 'error' in state ? errorText(state.error, 1_000) : undefined];
  const facts = [
    ...(state.kind === 'ready' ? server.catalog.failures.map(error => errorText(error, 500)) : []),
    'error' in state && state.error.stderrTail.length > 0 ? `stderr:\n${state.error.stderr(8).join('\n')}` : undefined,
    state.kind === 'starting' && state.isSlow && entry
      ? t(
          'It times out after {0} s, as set by "timeouts": { "startMs": … } in its settings entry.',
          entry.timeouts.startMs / 1_000,
        )
      : undefined,
    info?.implementation && `${info.implementation.title ?? info.implementation.name} ${info.implementation.version}`,
    info && verbatim('MCP {0} over {1}', info.protocolVersion, info.transport),
    info?.implementation?.description?.slice(0, 600),
    info?.implementation?.websiteUrl && verbatim('Website: {0}', visible(info.implementation.websiteUrl, 300)),
    launch && visible(server.redact(launch), 300),
    state.kind === 'ready' && server.attempts
      ? t('This server runs in a sandbox. It can access only what its settings allow.')
      : undefined,
    signInText(server),
    verbatim('Configured in {0}', fileText(definition)),
    state.kind === 'ready' && state.pid !== undefined ? t('Process {0}', state.pid) : undefined,
    toolTokens > 0 ? verbatim('Tool definitions: about {0} tokens', numberText(toolTokens)) : undefined,
    ...notes,
    healthText(server),
    endsText(server),
    state.kind === 'ready' && warnings.length > 0 ? warnings.join('\n') : undefined,
    info?.instructions?.slice(0, 600),
  ];
  return tooltipWithRemedies(server, head, facts);
}

type Paragraphs = readonly (string | undefined)[];

/** Each hover that says why a server is not there has all that can be done about it, below the reason: a hover may have to be scrolled. */
function tooltipWithRemedies(server: ServerConnection, reason: Paragraphs, facts: Paragraphs = []) {
  const remedies = remediesOf(server).map(remedy => remedyCommand(remedy, server));
  const redacted = (paragraphs: Paragraphs) => paragraphs.map(paragraph => paragraph && server.redact(paragraph));
  return plainTooltip(redacted(reason), remedies, redacted(facts));
}

function healthText({ health }: ServerConnection): string | undefined {
  if (!health) return undefined;
  const { lastContact, roundTripMs } = health;
  const last = verbatim('Last response {0}', timeOf(lastContact));
  return roundTripMs === undefined ? last : verbatim('{0}, ping {1} ms', last, numberText(roundTripMs, 1));
}

function endsText({ vitals: { lastExit, restarts: count } }: ServerConnection): string | undefined {
  const often = count === 1 ? t('Restarted automatically once') : t('Restarted automatically {0} times', count);
  const how =
    lastExit &&
    (lastExit.signal ? verbatim('by {0}', lastExit.signal) : verbatim('with code {0}', String(lastExit.code)));
  const exit = lastExit && verbatim('Last process ended {0} at {1}', how!, timeOf(lastExit.at));
  return [count > 0 && often, exit].filter(Boolean).join('\n') || undefined;
}

function signInText({ account: { signedIn } }: ServerConnection): string | undefined {
  if (!signedIn) return undefined;
  const at = visible(parseUrl(signedIn.issuer)?.host ?? signedIn.issuer, 200);
  return signedIn.account === undefined
    ? verbatim('Signed in at {0}', at)
    : verbatim('Signed in as {0} at {1}', visible(signedIn.account, 100), at);
}

const timeOf = (time: number): string => new Date(time).toLocaleTimeString(vscode.env.language);
