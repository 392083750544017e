import vscode = require('vscode');

import { numberText } from '../../base/numberText';
import { visible } from '../../base/text';
import { errorText, localized } from '../../editor/errorText';
import { tooltipWithRemedies } from '../../editor/markdown';
import { remedyCommand } from '../../editor/remedyTexts';
import { t, verbatim } from '../../editor/window';
import { remediesOf, type ServerConnection } from '../../host';
import { stateText } from './stateText';

/**
 * Everything that is known about a server at this moment.
 * @param toolTokens what the definitions of its tools take of a model's window, if it has any.
 * @param notes more lines on it.
 */
export function serverTooltip(
  server: ServerConnection,
  toolTokens = 0,
  notes: readonly string[] = [],
): vscode.MarkdownString {
  const { state, definition } = server;
  const { entry, source } = definition;
  const where = {
    user: source.managed === undefined ? t('user settings') : verbatim('{0}, by your organization', source.managed),
    workspace: t('workspace settings'),
    workspaceFolder: t('folder settings'),
    extension: verbatim('the extension {0}', source.folder?.name ?? ''),
  }[source.scope];
  const launch = entry && (entry.type === 'stdio' ? [entry.command, ...entry.args].join(' ') : entry.url);
  const info = state.kind === 'ready' ? state.info : undefined;
  const warnings = definition.problems.map(({ message }) => localized(message));
  const paragraphs = [
    `${server.name}: ${stateText(server)}`,
    'error' in state ? errorText(state.error, 1_000) : undefined,
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
    verbatim('Configured in {0}', where),
    state.kind === 'ready' && state.pid !== undefined ? t('Process {0}', state.pid) : undefined,
    toolTokens > 0 ? verbatim('Definitions of tools: about {0} tokens', numberText(toolTokens)) : undefined,
    ...notes,
    healthText(server),
    endsText(server),
    state.kind === 'ready' && warnings.length > 0 ? warnings.join('\n') : undefined,
    info?.instructions?.slice(0, 600),
  ];
  return tooltipWithRemedies(
    paragraphs.map(paragraph => paragraph && server.redact(paragraph)),
    remediesOf(server).map(remedy => remedyCommand(remedy, server)),
  );
}

function healthText({ health }: ServerConnection): string | undefined {
  if (!health) return undefined;
  const { lastContact, roundTripMs } = health;
  const last = verbatim('Last response {0}', timeOf(lastContact));
  return roundTripMs === undefined ? last : verbatim('{0}, ping {1} ms', last, numberText(roundTripMs, 1));
}

function endsText({ vitals: { lastExit, restarts: count } }: ServerConnection): string | undefined {
  const restarts =
    count === 0
      ? undefined
      : count === 1
        ? t('Restarted automatically once')
        : t('Restarted automatically {0} times', count);
  const how =
    lastExit &&
    (lastExit.signal ? verbatim('by {0}', lastExit.signal) : verbatim('with code {0}', String(lastExit.code)));
  const exit = lastExit && verbatim('Last process ended {0} at {1}', how!, timeOf(lastExit.at));
  return [restarts, exit].filter(Boolean).join('\n') || undefined;
}

function signInText({ account: { signedIn } }: ServerConnection): string | undefined {
  if (!signedIn) return undefined;
  const host = URL.canParse(signedIn.issuer) ? new URL(signedIn.issuer).host : signedIn.issuer;
  const at = visible(host, 200);
  return signedIn.account === undefined
    ? verbatim('Signed in at {0}', at)
    : verbatim('Signed in as {0} at {1}', visible(signedIn.account, 100), at);
}

function timeOf(time: number): string {
  return new Date(time).toLocaleTimeString(vscode.env.language);
}
