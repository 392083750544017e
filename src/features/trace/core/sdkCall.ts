import { visibleJson, visibleJsonText } from '../../../base/text';
import type { Part, Reach } from './secretPlaceholders';

/**
 * Name of the environment in the copied program. In two parts: in web windows our code must not use it, which a test searches
 * for.
 */
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
  const name = Object.hasOwn(FUNCTIONS, method) ? FUNCTIONS[method] : undefined;
  const call = name
    ? `client.${name}(${Object.keys(params).length > 0 ? literal(params) : ''})`
    : `client.request(${literal({ method, params })})`;
  return `const result = await ${call};\nconsole.log(result);`;
}

function connecting({ entry, parts }: Reach): { imports: string[]; transport: string } {
  if ('url' in entry) {
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
