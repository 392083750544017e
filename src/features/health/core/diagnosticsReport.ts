import { indentedJson, isObject } from '../../../base/json';
import { english } from '../../../base/phrase';
import { hasKnownToken, isCommonValue, isRandom, withoutKnownTokens } from '../../../base/secretWords';
import { parseUrl, visible } from '../../../base/text';
import { Needles, OTHER_TOOLS, type ServerConnection } from '../../../host';
import { isPackageProgram, MASK } from '../../../host/launch';
import { type FieldReport, fieldOf, programIn, type ServerEntry } from '../../../host/settings';

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
  return `# MCP Host diagnostics\n\nWhat is needed to find a fault. More: *Show Server Log*, *Show Protocol Trace*, *Show Server Health*.\n\n${facts}\n- Configured: ${count}\n\n${parts.join('\n')}`;
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
      [definition.entry ? indentedJson(maskedEntry(definition.entry)) : 'invalid'],
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
    .map(kind => `${catalog.knownItems(kind).length} ${kind} (${catalog.list(kind).status})`)
    .join(', ');
}

function timing(latencies: ServerConnection['vitals']['calls']): string {
  const [p50, p95] = latencies.percentiles([0.5, 0.95]) ?? [];
  return p50 === undefined ? 'none' : `${latencies.count}, p50 ${p50.toFixed(1)} ms, p95 ${p95!.toFixed(1)} ms`;
}

/** A text of a server as code: nothing in it is markup, whatever it says. */
const inline = (text: string): string => (text ? `\`${visible(text, 600).replaceAll('`', "'")}\`` : '');

function fenced(title: string, lines: readonly string[], language = 'text'): string {
  if (lines.length === 0) return '';
  const body = lines.map(line => (language === 'json' ? line : visible(line, 600))).join('\n');
  const longest = [...body.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `\n<details><summary>${title}</summary>\n\n${fence}${language}\n${body}\n${fence}\n\n</details>\n`;
}

/** The editor's part of a report, and what has to be removed from it. */
export interface ReportSurroundings {
  /** Lines such as `Extension: 0.1.0`. */
  readonly facts: readonly string[];
  readonly homeFolder: string;
  readonly workspaceFolders: readonly string[];
}

/** Takes out of a text what others are not to read. */
type Scrub = (text: string) => string;

/** A package or an image: `@scope/name@1.2`, `ghcr.io/owner/name:tag`. */
const PACKAGE = /^@?[a-z\d][\w.-]*(\/[\w.-]+){0,3}([@:][\w.-]+)?$/i;
/** Shorter values stand in texts for other reasons: replacing them would only tell what they are. */
const MIN_VALUE = 4;

/** For a server's texts: secrets and what looks like one, values of variables and headers, the person's folders. */
export function scrubber(
  server: Pick<ServerConnection, 'redact' | 'definition'>,
  { homeFolder, workspaceFolders }: Pick<ReportSurroundings, 'homeFolder' | 'workspaceFolders'>,
): Scrub {
  const { entry } = server.definition;
  const values = valuesOf(entry)
    .flatMap(value => [value, ...value.split(/\s+/)])
    .filter(value => value.length >= MIN_VALUE);
  const places = [
    // A folder of the workspace may lie in the home folder: the longer ones go first.
    ...workspaceFolders.map(folder => [folder, '<workspace>'] as const),
    [homeFolder, '~'] as const,
  ];
  const replaced = [
    ...places.map(([path, word]) => [new Needles(writings(path).map(lowerCase)), word] as const),
    [new Needles(values.map(lowerCase)), MASK] as const,
  ];
  return text => replaceAnyCase(withoutKnownTokens(server.redact(text), MASK), replaced);
}

/** A server's settings as others may read them: names stay, values go. */
export function maskedEntry(entry: ServerEntry | undefined): Record<string, unknown> | undefined {
  return (
    entry &&
    Object.fromEntries(
      Object.entries(entry).map(([name, value]) => [name, maskedField(fieldOf(name)?.report, value, entry)]),
    )
  );
}

function maskedField(report: FieldReport, value: unknown, entry: ServerEntry): unknown {
  switch (report) {
    case 'whole':
      return value;
    case 'names':
      return isObject(value) ? masked(value) : value;
    case 'program': {
      const program = String(value).split(/[\\/]/).at(-1)!;
      return program === value ? value : `${MASK}/${program}`;
    }
    case 'options':
      return entry.type === 'stdio' ? maskedArguments(entry.command, entry.args) : MASK;
    case 'address': {
      const address = parseUrl(String(value));
      return address ? `${address.protocol}//${MASK}` : MASK;
    }
    case undefined:
      return MASK;
  }
}

/** Names of options stay, and the package that a program such as `npx` runs. */
function maskedArguments(command: string, args: readonly string[]): string[] {
  const first = isPackageProgram(command)
    ? args.findIndex(arg => !arg.startsWith('-') && !['run', 'exec', 'dlx'].includes(arg))
    : -1;
  return args.map((arg, index) => {
    const [, option] = /^(--?[a-z][\w-]{0,40})(=|$)/i.exec(arg) ?? [];
    // A short option may have its value attached, as in `-psecret`.
    if (option && !option.startsWith('--') && arg.length > 2) return arg.slice(0, 2) + MASK;
    if (option) return option === arg ? arg : `${option}=${MASK}`;
    if (['run', 'exec', 'dlx'].includes(arg)) return arg;
    const followsOption = args[index - 1]?.startsWith('--') === true;
    const isPackage = index === first && !followsOption && isPackageName(arg);
    return isPackage ? arg : MASK;
  });
}

/** A token may have the form of a package's name, but not its words. */
function isPackageName(text: string): boolean {
  return PACKAGE.test(text) && !hasKnownToken(text) && !text.split(/[@:/.-]/).some(isRandom);
}

function masked(values: object): Record<string, string> {
  return Object.fromEntries(Object.keys(values).map(name => [name, MASK]));
}

function valuesOf(entry: ServerEntry | undefined): string[] {
  if (!entry) return [];
  const values = [
    ...Object.values(entry.type === 'stdio' ? {} : entry.headers),
    ...Object.values(programIn(entry)?.env ?? {}),
  ];
  // An environment says `true` and `localhost` too: those stand everywhere.
  return values.filter(value => value !== null).filter(value => !isCommonValue(value) || /[\\/]/.test(value));
}

/** The spellings of a path in texts: plain, in JSON, with slashes, in a URI. */
function writings(path: string): string[] {
  if (path.length < MIN_VALUE) return [];
  const slashes = path.replaceAll('\\', '/');
  return [...new Set([path, slashes, JSON.stringify(path).slice(1, -1), encodeURI(slashes)])];
}

/** Replaces matches in any case; of overlapping ones, the longest decides the word. */
function replaceAnyCase(text: string, replaced: readonly (readonly [what: Needles, word: string])[]): string {
  const spans: { start: number; end: number; word: string }[] = [];
  const lower = lowerCase(text);
  for (const [what, word] of replaced) what.find(lower, (start, end) => spans.push({ start, end, word }));
  spans.sort((a, b) => a.start - b.start || b.end - a.end);
  const parts: string[] = [];
  let done = 0;
  for (let at = 0; at < spans.length; ) {
    let longest = spans[at]!;
    const { start } = longest;
    let { end } = spans[at++]!;
    for (; at < spans.length && spans[at]!.start < end; at++) {
      const next = spans[at]!;
      if (next.end - next.start > longest.end - longest.start) longest = next;
      end = Math.max(end, next.end);
    }
    parts.push(text.slice(done, start), longest.word);
    done = end;
  }
  return parts.join('') + text.slice(done);
}

/** Unit by unit where that changes how long a text is, so that places in it stay. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return Array.from({ length: text.length }, (_, n) => {
    const unit = text[n]!.toLowerCase();
    return unit.length === 1 ? unit : text[n]!;
  }).join('');
}
