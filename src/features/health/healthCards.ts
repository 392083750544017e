import { formatSize, numberText } from '../../base/numberText';
import { visible } from '../../base/text';
import { momentText } from '../../editor/dialogs';
import { errorText, localized } from '../../editor/errorText';
import { remedyIcon, remedyTitle } from '../../editor/remedyTexts';
import { stateName, stateText } from '../../editor/stateText';
import { t, verbatim } from '../../editor/window';
import { type Latencies, OTHER_TOOLS, type Remedy, remediesOf, type ServerConnection } from '../../host';
import type { ProcessUsage } from '../../host/launch';
import { confinementTables, confinementText } from './confinedText';
import type { Card, HealthPage, HealthTable, Stretch } from './core/healthMessages';

const SPARK_VALUES = 60;
/** Tools that are named as the most expensive ones. */
const MAX_NAMED = 3;

/** The share of a model's window that the definitions of a server's tools take. */
export type ToolCost = (server: ServerConnection) => {
  readonly tokens: number;
  readonly tools: readonly { readonly tool: { readonly name: string }; readonly tokens: number }[];
  readonly isCounted: boolean;
};

/** The health page of a server. Texts from servers are redacted, on one line, with hidden characters visible. */
export function describeHealth(
  server: ServerConnection,
  usage: ProcessUsage | undefined,
  cost: ReturnType<ToolCost>,
  notes: readonly string[] = [],
): Omit<HealthPage, 'chooser' | 'actions'> {
  const { state, vitals } = server;
  const safe = (text: string, maxLength = 500) => visible(server.redact(text), maxLength);
  const error = 'error' in state ? state.error : undefined;
  const stderr = error?.stderrTail.length ? error.stderr(12) : error ? vitals.lastStderr.slice(-12) : [];
  return {
    state: {
      kind: state.kind,
      text: verbatim('{0}: {1}', safe(server.name, 100), stateText(server)),
      about:
        vitals.starts > 0
          ? t('How this server is doing, in numbers.')
          : t('This server has not been started in this window, so there is nothing to show yet.'),
      details: [...identity(server), confinementText(server) ?? [], ...notes].flat().map(text => safe(text)),
    },
    problem: error && {
      text: safe(errorText(error, 1_000), 1_000),
      remedies: healthRemedies(server).map(remedy => safe(remedyTitle(remedy, server))),
      linesLabel: t('Last lines of stderr'),
      lines: stderr.map(line => safe(line)),
    },
    bar: { label: t('State history, newest on the right'), stretches: stretches(server), legend: legend(server) },
    cards: vitals.starts === 0 ? [] : [...cards(server, usage), definitionsCard(cost, safe)],
    tables: vitals.starts === 0 ? [] : [tools(server, safe), ...confinementTables(server, safe), history(server, safe)],
  };
}

/** Those that the page has no button for anyway. */
export function healthRemedies(server: ServerConnection): readonly Remedy[] {
  return remediesOf(server).filter(remedy => remedyIcon(remedy) !== undefined);
}

const MAX_EXTENSIONS = 20;
/** Official extensions whose protocol may still change (SEP-3392): these entered Beta on 2026-10-29. */
const BETA = new Set(['io.modelcontextprotocol/events', 'io.modelcontextprotocol/skills']);

const withStage = (extension: string) => (BETA.has(extension) ? `${extension} (Beta)` : extension);

function identity(server: ServerConnection): string[] {
  const { state, definition } = server;
  if (state.kind !== 'ready') {
    const { entry } = definition;
    if (!entry) return [];
    return [entry.type === 'stdio' ? t('Local program (stdio)') : verbatim('Remote server ({0})', entry.type)];
  }
  const { implementation, protocolVersion, transport, capabilities } = state.info;
  const extensions = Object.keys(capabilities.extensions ?? {}).slice(0, MAX_EXTENSIONS);
  return [
    implementation
      ? `${implementation.title ?? implementation.name} ${implementation.version}`
      : t('An unnamed server'),
    verbatim('MCP {0} over {1}', protocolVersion, transport),
    ...(extensions.length > 0 ? [t('Extensions: {0}', extensions.map(withStage).join(', '))] : []),
    ...(implementation?.description ? [implementation.description] : []),
    ...(implementation?.websiteUrl ? [verbatim('Website: {0}', implementation.websiteUrl)] : []),
  ];
}

function definitionsCard(
  { tokens, tools, isCounted }: ReturnType<ToolCost>,
  safe: (text: string, maxLength: number) => string,
): Card {
  const most = [...tools].sort((one, other) => other.tokens - one.tokens).slice(0, MAX_NAMED);
  return {
    id: 'definitions',
    label: t('Tool definitions'),
    value: verbatim('{0} tokens', numberText(tokens)),
    details: [
      isCounted ? t('counted by the model asked last') : t('estimated'),
      ...most.map(one => `${safe(one.tool.name, 60)} ${numberText(one.tokens)}`),
    ],
  };
}

function cards(server: ServerConnection, usage: ProcessUsage | undefined): Card[] {
  const { state, vitals } = server;
  const since = vitals.history.at(-1)?.at ?? Date.now();
  const isReady = state.kind === 'ready';
  const { received, sent } = vitals.traffic;
  const errors = [...vitals.tools.values()].reduce((sum, tool) => sum + tool.errors, 0);
  return [
    {
      id: 'uptime',
      label: t('Uptime'),
      value: isReady ? durationText(Date.now() - since) : '–',
      details: isReady ? [verbatim('since {0}', momentText(since))] : [],
    },
    {
      id: 'restarts',
      label: t('Automatic restarts'),
      value: String(vitals.restarts),
      details: [t('Starts in this window: {0}', vitals.starts)],
    },
    latency('calls', t('Tool calls'), vitals.calls, errors === 0 ? undefined : t('{0} with an error', errors)),
    latency('pings', t('Pings'), vitals.pings, undefined),
    {
      id: 'traffic',
      label: t('Traffic'),
      value: formatSize(received + sent),
      details: [verbatim('{0} received', formatSize(received)), verbatim('{0} sent', formatSize(sent))],
    },
    ...(server.definition.entry?.type === 'stdio' ? [processCard(server, usage), exitCard(server)] : []),
  ];
}

function latency(id: string, label: string, latencies: Latencies, more: string | undefined): Card {
  const percentiles = latencies.percentiles([0.5, 0.95]);
  if (!percentiles) return { id, label, value: '–', details: [t('not measured yet')] };
  const [p50, p95] = percentiles.map(durationText) as [string, string];
  const values = latencies.last(SPARK_VALUES);
  return {
    id,
    label,
    value: p50,
    details: [t('median of {0}', latencies.count), verbatim('p95 {0}', p95), ...(more === undefined ? [] : [more])],
    spark: {
      values,
      label: verbatim('The last {0}. Median of all: {1}, 95th percentile: {2}', values.length, p50, p95),
    },
  };
}

function processCard({ state }: ServerConnection, usage: ProcessUsage | undefined): Card {
  const pid = state.kind === 'ready' ? state.pid : undefined;
  const label = t('Memory and CPU');
  if (pid === undefined) return { id: 'process', label, value: '–', details: [t('no process')] };
  const of = t('process {0}', pid);
  if (!usage) return { id: 'process', label, value: t('unknown'), details: [of] };
  const cpu = usage.cpu === undefined ? t('measuring…') : verbatim('{0}% of one core', numberText(usage.cpu * 100, 1));
  const many = usage.processes > 1 ? [t('{0} processes together', usage.processes)] : [];
  return { id: 'process', label, value: formatSize(usage.memoryBytes), details: [cpu, of, ...many] };
}

function exitCard({ vitals: { lastExit } }: ServerConnection): Card {
  const label = t('Last exit');
  if (!lastExit) return { id: 'exit', label, value: '–', details: [t('none yet')] };
  return { id: 'exit', label, value: exitText(lastExit), details: [verbatim('at {0}', momentText(lastExit.at))] };
}

function tools({ vitals }: ServerConnection, safe: (text: string) => string): HealthTable {
  return {
    id: 'tools',
    caption: t('Called tools'),
    columns: [
      { label: t('Tool') },
      { label: t('Calls'), isNumber: true },
      { label: t('Errors'), isNumber: true },
      { label: t('Average'), isNumber: true },
      { label: t('Last call'), isNumber: true },
    ],
    rows: [...vitals.tools].map(([name, { calls, errors, totalMs, lastAt }]) => [
      { text: name === OTHER_TOOLS ? t('all others') : safe(name), sort: name },
      { text: String(calls), sort: calls },
      { text: String(errors), sort: errors, isBad: errors > 0 },
      { text: durationText(totalMs / calls), sort: totalMs / calls },
      { text: momentText(lastAt), sort: lastAt },
    ]),
    empty: t('None of its tools has been called in this window.'),
    isSortable: true,
  };
}

function history(server: ServerConnection, safe: (text: string, maxLength?: number) => string): HealthTable {
  const ends = lasted(server);
  const rows = server.vitals.history.map(({ kind, at, reason }, index) => [
    { text: momentText(at), sort: at },
    { text: stateName(kind), sort: kind, isBad: kind === 'failed' },
    { text: durationText(ends[index]!), sort: ends[index]! },
    { text: safe(localized(reason ?? '')), sort: localized(reason ?? '') },
  ]);
  return {
    id: 'history',
    caption: t('State history, newest first'),
    columns: [
      { label: t('Time') },
      { label: t('State') },
      { label: t('Duration'), isNumber: true },
      { label: t('Reason') },
    ],
    rows: rows.reverse(),
    empty: '',
  };
}

/** How long each state of the history was or has been, in milliseconds. */
function lasted({ vitals: { history } }: ServerConnection): number[] {
  return history.map(({ at }, index) => Math.max(0, (history[index + 1]?.at ?? Date.now()) - at));
}

function stretches(server: ServerConnection): Stretch[] {
  const durations = lasted(server);
  return server.vitals.history.map(({ kind }, index) => ({ kind, ms: durations[index]! }));
}

function legend({ vitals: { history } }: ServerConnection): HealthPage['bar']['legend'] {
  return [...new Set(history.map(({ kind }) => kind))].map(kind => ({ kind, name: stateName(kind) }));
}

/** A duration for people: `0.4 ms`, `12 ms`, `3.2 s`, `4 min 5 s`, `2 h 3 min`, `1 d 2 h`. */
function durationText(ms: number): string {
  if (ms < 10) return verbatim('{0} ms', numberText(ms, 1));
  if (ms < 1_000) return t('{0} ms', Math.round(ms));
  if (ms < 10_000) return verbatim('{0} s', numberText(ms / 1_000, 1));
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return t('{0} s', seconds);
  if (seconds < 3_600) return t('{0} min {1} s', Math.floor(seconds / 60), seconds % 60);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1_440) return t('{0} h {1} min', Math.floor(minutes / 60), minutes % 60);
  const hours = Math.floor(minutes / 60);
  return t('{0} d {1} h', Math.floor(hours / 24), hours % 24);
}

/** How a process ended. */
function exitText({ code, signal }: { code: number | null; signal: string | null }): string {
  return signal ? verbatim('ended by {0}', signal) : verbatim('exit code {0}', String(code));
}
