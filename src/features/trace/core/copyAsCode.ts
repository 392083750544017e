import { ownMember } from '../../../base/json';
import { isSecretName } from '../../../base/secretWords';
import { visibleJson, visibleJsonText } from '../../../base/text';
import { REDACTED, secretsOfEntry } from '../../../host';
import type { ServerDefinition } from '../../../host/definition';
import { type ProgramEntry, type RemoteEntry, reachedAs, type ServerEntry, socketOf } from '../../../host/settings';

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

/** The message for a POSIX shell: curl for an address; `printf` into a program, after its handshake if there is one. */
export function shellCommand(message: CopiedMessage): string {
  const { entry } = message.reach;
  return entry.type === 'stdio' ? pipe(message, entry) : curl(message, entry);
}

function curl({ text, reach, protocolVersion, era }: CopiedMessage, entry: RemoteEntry): string {
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

function pipe({ text, reach, protocolVersion, era }: CopiedMessage, entry: ProgramEntry): string {
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

/** Name of the environment in the copied program; in two parts, as a test searches our web code for its use. */
const ENV = ['process', 'env'].join('.');

type Json = Record<string, unknown>;

/** A request of the client, and how its server is reached. */
interface CopiedRequest {
  readonly method: string;
  readonly params: Json;
  readonly reach: Reach;
}

/** The client's function for each method, and the parameters that it takes. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  'tools/list': 'listTools',
  'tools/call': 'callTool',
  'prompts/list': 'listPrompts',
  'prompts/get': 'getPrompt',
  'resources/list': 'listResources',
  'resources/templates/list': 'listResourceTemplates',
  'resources/read': 'readResource',
  'resources/subscribe': 'subscribeResource',
  'resources/unsubscribe': 'unsubscribeResource',
  'completion/complete': 'complete',
};

/** A program of TypeScript that makes the request with the official SDK (`@modelcontextprotocol/client`). */
export function sdkCall({ method, params, reach }: CopiedRequest): string {
  const { imports, transport } = connecting(reach);
  return [
    ...imports,
    '',
    "const client = new Client({ name: 'my-client', version: '1.0.0' });",
    `await client.connect(${transport});`,
    '',
    `${statement(method, params)}`,
    'await client.close();',
    '',
  ].join('\n');
}

function statement(method: string, params: Json): string {
  if (method === 'initialize') return '// The handshake is part of connect().';
  if (method === 'ping') return 'await client.ping();';
  if (method === 'logging/setLevel') return `await client.setLoggingLevel(${literal(params.level)});`;
  const name = ownMember(FUNCTIONS, method);
  const call = name
    ? `client.${name}(${Object.keys(params).length > 0 ? literal(params) : ''})`
    : `client.request(${literal({ method, params })})`;
  return `const result = await ${call};\nconsole.log(result);`;
}

function connecting({ entry, parts }: Reach): { imports: string[]; transport: string } {
  if (entry.type !== 'stdio') {
    const transport = entry.type === 'sse' ? 'SSEClientTransport' : 'StreamableHTTPClientTransport';
    const headers = Object.entries(entry.headers).map(
      ([name, value]) => `    ${key(name)}: ${expression(parts(value, name))},`,
    );
    const options = headers.length > 0 ? `, {\n  requestInit: { headers: {\n${headers.join('\n')}\n  } },\n}` : '';
    return {
      imports: [`import { Client, ${transport} } from '@modelcontextprotocol/client';`],
      transport: `new ${transport}(new URL(${expression(parts(entry.url, 'hidden'))})${options})`,
    };
  }
  const env = Object.entries(entry.env)
    .filter(([, value]) => value !== null)
    .map(([name]) => ` ${key(name)}: ${ENV}[${JSON.stringify(name)}] ?? '',`);
  const options = [
    `command: ${expression(parts(entry.command, 'hidden'))}`,
    `args: [${entry.args.map(arg => expression(parts(arg, 'hidden'))).join(', ')}]`,
    ...(env.length > 0 ? [`env: {${env.join('')} }`] : []),
    ...(entry.cwd === undefined ? [] : [`cwd: ${expression(parts(entry.cwd, 'hidden'))}`]),
  ];
  return {
    imports: [
      "import { Client } from '@modelcontextprotocol/client';",
      "import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';",
    ],
    transport: `new StdioClientTransport({\n${options.map(option => `  ${option},`).join('\n')}\n})`,
  };
}

/** A string of TypeScript, with what the environment says in it. */
function expression(parts: readonly Part[]): string {
  if (parts.every(part => 'text' in part)) return literal(parts.map(part => part.text).join(''));
  const inner = parts.map(part =>
    'variable' in part ? `\${${ENV}.${part.variable}}` : visibleJsonText(part.text.replace(/[\\`]|\$(?=\{)/g, '\\$&')),
  );
  return `\`${inner.join('')}\``;
}

/** JSON is TypeScript but for a member that would set the prototype; plain names stand without quotes. */
function literal(value: unknown): string {
  return visibleJson(value).replace(/^( *)("(?:[^"\\]|\\.)*"): /gm, (_all, indent: string, name: string) => {
    return `${indent}${key(JSON.parse(name))}: `;
  });
}

function key(name: string): string {
  if (name === '__proto__') return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** A piece of a copied text: literal, or a variable that its user has to set. */
type Part = { readonly text: string } | { readonly variable: string };

/** How a server is reached, without any of its secrets. */
export interface Reach {
  readonly entry: ServerEntry;
  /** Splits a value of the entry into texts and variables. `name` becomes its variable when it is a secret. */
  parts(value: string, name: string): Part[];
}

/** The form of `${env:…}`, `${input:…}` and `${port}` in a definition under review. */
const REFERENCE = /\0\{(?:(?:env|input):)?([^{}]*)\}/;

/**
 * How a server is reached: with a variable in the place of every secret, and of each value that settings take from the
 * environment or ask for.
 * @param redact strikes out the secrets that are known.
 */
export function reachOf({ reviewed, secrets }: ServerDefinition, redact: (text: string) => string): Reach | undefined {
  if (!reviewed) return undefined;
  const known = [...secrets, ...secretsOfEntry(reviewed)].filter(secret => secret && !REFERENCE.test(secret));
  return {
    entry: reachedAs(reviewed),
    parts: (value, name) => {
      const variable = variableName(name);
      const own = isSecretName(name) && !REFERENCE.test(value) ? afterScheme(value) : [];
      const pieces = value.split(REFERENCE);
      return pieces.flatMap((piece, index) =>
        index % 2 === 1
          ? [{ variable: variableName(piece) }]
          : withVariables(redact(without(piece, [...own, ...known])), variable),
      );
    },
  };
}

/** The secret of a header, without the scheme before it. */
const afterScheme = (value: string): string[] => [/^\w+\s+(\S.*)$/.exec(value)?.[1] ?? value];

function without(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => (secret ? rest.replaceAll(secret, REDACTED) : rest), text);
}

function withVariables(text: string, variable: string): Part[] {
  return text
    .split(REDACTED)
    .flatMap((piece, index) => [...(index > 0 ? [{ variable }] : []), ...(piece ? [{ text: piece }] : [])]);
}

/** A name that shells and programs accept. */
function variableName(name: string): string {
  const plain = name.toUpperCase().replace(/\W+/g, '_');
  return /^\d|^$/.test(plain) ? `_${plain}` : plain;
}
