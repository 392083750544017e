import { english } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { OTHER_TOOLS, type ServerConnection } from '../../../host';
import { maskedEntry, type ReportSurroundings, type Scrub, scrubber } from './reportScrubber';

const STATES = 20;
const TOOLS = 20;
const STDERR_LINES = 20;
const LOG_LINES = 200;

/**
 * A report on a fault for the authors of this extension or of a server, as Markdown in English. Without secrets, values of
 * variables, headers and arguments, and the paths of the person.
 * @param logOf lines of a server's log that go with it.
 */
export function diagnosticsReport(
  servers: readonly ServerConnection[],
  surroundings: ReportSurroundings,
  logOf: (server: ServerConnection) => readonly string[] = () => [],
): string {
  const parts = servers.map(server => serverReport(server, scrubber(server, surroundings), logOf(server)));
  const facts = surroundings.facts.map(fact => `- ${fact}`).join('\n');
  const count = servers.length === 1 ? '1 server' : `${servers.length} servers`;
  return `# MCP Host diagnostics\n\n${facts}\n- Configured: ${count}\n\n${parts.join('\n')}`;
}

function serverReport(server: ServerConnection, scrub: Scrub, log: readonly string[]): string {
  const { state, vitals, definition, startPolicy } = server;
  const line = (text: string) => inline(scrub(text));
  const info = state.kind === 'ready' ? state.info : undefined;
  const { received, sent } = vitals.traffic;
  const { lastExit } = vitals;
  const facts = [
    `State: ${state.kind}, ${vitals.starts} starts, ${vitals.restarts} automatic restarts`,
    `Configured in: ${definition.source.scope} settings; starts ${startPolicy}`,
    info?.implementation && `Implementation: ${line(`${info.implementation.name} ${info.implementation.version}`)}`,
    info && `Protocol: MCP ${line(info.protocolVersion)} over ${info.transport}`,
    info && `Capabilities: ${line(Object.keys(info.capabilities).sort().join(', ')) || 'none'}`,
    info && `Lists: ${counts(server)}`,
    `Tool calls: ${timing(vitals.calls)}; pings: ${timing(vitals.pings)}`,
    `Bytes: ${received} received, ${sent} sent`,
    server.attempts &&
      `Confined: ${server.attempts.blocked.length} blocked, ${server.attempts.hosts.size} hosts reached`,
    lastExit && `Last exit: ${lastExit.signal ?? `code ${lastExit.code}`} at ${new Date(lastExit.at).toISOString()}`,
    'error' in state && `Error (${state.error.code}): ${line(state.error.message)}`,
    ...definition.problems
      .slice(0, 10)
      .map(({ severity, message }) => `Settings ${severity}: ${line(english(message))}`),
  ];
  const history = vitals.history
    .slice(-STATES)
    .map(
      ({ kind, at, reason }) => `${new Date(at).toISOString()} ${kind}${reason ? `: ${scrub(english(reason))}` : ''}`,
    );
  const tools = [...vitals.tools].slice(0, TOOLS).map(([name, { calls, errors, totalMs }]) => {
    const label = name === OTHER_TOOLS ? '(all others)' : scrub(name);
    return `${label}: ${calls} calls, ${errors} errors, ${(totalMs / calls).toFixed(1)} ms each`;
  });
  const tail = 'error' in state && state.error.stderrTail.length > 0 ? state.error.stderrTail : vitals.lastStderr;
  const sections = [
    fenced(
      'Settings entry, values masked',
      [JSON.stringify(maskedEntry(definition.entry), null, 2) ?? 'invalid'],
      'json',
    ),
    fenced('States', history),
    fenced('Tools', tools),
    fenced('Last lines of stderr', tail.slice(-STDERR_LINES).map(scrub)),
    fenced('Log', log.slice(-LOG_LINES).map(scrub)),
  ];
  const list = facts.filter(Boolean).map(fact => `- ${fact}`);
  return `## Server ${line(server.id)}\n\n${list.join('\n')}\n${sections.join('')}`;
}

function counts({ catalog }: ServerConnection): string {
  return (['tools', 'prompts', 'resources', 'resourceTemplates'] as const)
    .map(kind => `${catalog.known(kind).length} ${kind} (${catalog.list(kind).status})`)
    .join(', ');
}

function timing(latencies: ServerConnection['vitals']['calls']): string {
  const [p50, p95] = latencies.percentiles([0.5, 0.95]) ?? [];
  return p50 === undefined ? 'none' : `${latencies.count}, p50 ${p50.toFixed(1)} ms, p95 ${p95!.toFixed(1)} ms`;
}

/** A text of a server as code: nothing in it is markup, whatever it says. */
function inline(text: string): string {
  return text ? `\`${visible(text, 600).replaceAll('`', "'")}\`` : '';
}

function fenced(title: string, lines: readonly string[], language = 'text'): string {
  if (lines.length === 0) return '';
  const body = lines.map(line => (language === 'json' ? line : visible(line, 600))).join('\n');
  const longest = [...body.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `\n<details><summary>${title}</summary>\n\n${fence}${language}\n${body}\n${fence}\n\n</details>\n`;
}
