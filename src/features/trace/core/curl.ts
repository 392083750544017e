import { visibleJsonText } from '../../../base/text';
import { socketOf } from '../../../host/settings';
import type { Part, Reach } from './secretPlaceholders';

/** A message to send, and how its server is spoken to. */
export interface CopiedMessage {
  /** JSON without secrets. */
  readonly text: string;
  readonly reach: Reach;
  readonly protocolVersion: string;
  /** Only after a handshake, in a session (spec: basic/lifecycle); else each message stands for itself. */
  readonly era: 'legacy' | 'modern';
}

/** The id under which a session goes on (spec: basic/transports#session-management). */
const SESSION: Part = { variable: 'MCP_SESSION_ID' };

/**
 * The message as a command line for a POSIX shell: curl for a server with an address; for a program `printf`, which writes
 * it to the program's input, after the handshake where there is one.
 */
export function shellCommand(message: CopiedMessage): string {
  const { entry } = message.reach;
  return 'url' in entry ? curl(message, entry) : pipe(message, entry);
}

type Entry<K extends string> = Extract<Reach['entry'], Record<K, unknown>>;

function curl({ text, reach, protocolVersion, era }: CopiedMessage, entry: Entry<'url'>): string {
  const headers: [string, Part[]][] = [
    ['Content-Type', [{ text: 'application/json' }]],
    ['Accept', [{ text: 'application/json, text/event-stream' }]],
    ['MCP-Protocol-Version', [{ text: protocolVersion }]],
    ...(era === 'legacy' ? [['Mcp-Session-Id', [SESSION]] as [string, Part[]]] : []),
    ...Object.entries(entry.headers).map(([name, value]): [string, Part[]] => [name, reach.parts(value, name)]),
  ];
  const socket = socketOf(entry.url);
  const target = socket
    ? `--unix-socket ${word(reach.parts(socket.path, 'hidden'))} ${word(reach.parts(socket.url.href, 'hidden'))}`
    : word(reach.parts(entry.url, 'hidden'));
  return [
    `curl -N ${target}`,
    ...headers.map(([name, value]) => `-H ${word([{ text: `${name}: ` }, ...value])}`),
    `--data-raw ${word([{ text: oneLine(text) }])}`,
  ].join(' \\\n  ');
}

function pipe({ text, reach, protocolVersion, era }: CopiedMessage, entry: Entry<'command'>): string {
  const clientInfo = { name: 'shell', version: '1.0.0' };
  const params = { protocolVersion, capabilities: {}, clientInfo };
  const handshake = [
    { jsonrpc: '2.0', id: 'initialize', method: 'initialize', params },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
  ].map(sent => JSON.stringify(sent));
  const lines = [...(era === 'legacy' && !/"method"\s*:\s*"initialize"/.test(text) ? handshake : []), oneLine(text)];
  const names = Object.entries(entry.env);
  const variables = [
    ...names.filter(([, value]) => value === null).map(([name]) => `-u ${word([{ text: name }])}`),
    ...names
      .filter(([, value]) => value !== null)
      .map(([name]) => `${word([{ text: `${name}=` }])}"$${name.replace(/\W/g, '_')}"`),
  ];
  const program = [
    ...(variables.length > 0 ? ['env', ...variables] : []),
    word(reach.parts(entry.command, 'hidden')),
    ...entry.args.map(arg => word(reach.parts(arg, 'hidden'))),
  ].join(' ');
  const folder = entry.cwd === undefined ? '' : `cd ${word(reach.parts(entry.cwd, 'hidden'))} && `;
  // The input stays open a while: many servers end with it, before they have answered.
  const input = [`printf '%s\\n'`, ...lines.map(line => word([{ text: line }]))].join(' \\\n  ');
  return `${folder}{ ${input}; sleep 5; } | ${program}`;
}

const oneLine = (text: string) => visibleJsonText(text.replace(/[\r\n]+/g, ' '));

/** One word for the shell, whatever is in it. */
function word(parts: readonly Part[]): string {
  let [out, text] = ['', ''];
  for (const part of [...parts, { variable: '' }]) {
    if ('text' in part) text += part.text;
    else {
      if (text) out += quoted(text);
      if (part.variable) out += `"$${part.variable}"`;
      text = '';
    }
  }
  return out || "''";
}

const quoted = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
