import * as z from 'zod'; // the namespace form: with `{ z }` a bundler would keep all of zod, including its fifty locales
import { MAX_TIMER_MS } from '../../base/numberText';
import { english, phrase } from '../../base/phrase';
import { parseUrl, visible } from '../../base/text';
import { isSocket, socketOf } from './entryTexts';
import type { Complaint } from './fieldProblems';
import { isHost, placeProblem } from './sandboxRules';

/** The levels of `notifications/message` (spec: server/utilities/logging), least severe first. */
export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

export const START_POLICIES = ['onStartup', 'onDemand', 'never'] as const;

const withoutNul = (text: string) => !text.includes('\0');
const complaint = (says: Complaint['says']) => ({ params: { says } satisfies Complaint });
const nul = complaint(name => phrase('{0} contains a NUL character, which no program accepts. Remove it.', name));
const filled = (description: string) =>
  z.string().trim().min(1, { abort: true }).refine(withoutNul, nul).meta({ description });

// An address with a variable can be checked only after the variable is resolved; `resolveVariables` checks it again.
const isHttp = (url: string) => url.includes('${') || /^https?:$/.test(parseUrl(url)?.protocol ?? '');
const isWholeSocket = (url: string) => !isSocket(url) || url.includes('${') || socketOf(url) !== undefined;
const hasNoUser = (url: string) => {
  const { username, password } = parseUrl(url) ?? {};
  return !(username || password);
};

const timeoutMs = (defaultMs: number, description: string) =>
  z.int({ abort: true }).min(1).max(MAX_TIMER_MS).default(defaultMs).describe(`${description} Default: ${defaultMs}.`);

const type = z.enum(['stdio', 'http', 'sse', 'streamable-http', 'streamableHttp']).meta({
  description:
    'How the server is reached. Can be omitted: "stdio" if there is a "command", "http" if there is a "url".',
  enumDescriptions: [
    'A program on this machine, reached through its standard input and output.',
    'Streamable HTTP. HTTP+SSE is tried if the server refuses it.',
    'The older HTTP+SSE, superseded by Streamable HTTP.',
    'The same as "http".',
    'The same as "http".',
  ],
});

export const timeouts = z.object({
  startMs: timeoutMs(
    60_000,
    'Milliseconds until the server must be ready. The first run of `npx` downloads the package.',
  ),
  requestMs: timeoutMs(30_000, 'Milliseconds until any other request must be answered.'),
  toolCallMs: timeoutMs(120_000, 'Milliseconds until a tool call must be answered.'),
});

const common = {
  enabled: z.boolean().default(true).describe('Whether the server is started. A disabled one stays in the list.'),
  start: z
    .enum(START_POLICIES)
    .meta({
      description: 'When the server is started. Default: the setting "mcpHost.start".',
      enumDescriptions: [
        'As soon as the window opens.',
        'When it is first used, for example to call a tool or read a resource.',
        'Only with the command "Start Server".',
      ],
    })
    .optional(),
  timeouts: timeouts.prefault({}).describe('How long to wait for the server, in milliseconds.'),
  logLevel: z
    .enum(LOG_LEVELS)
    .meta({
      description:
        'The least severe log messages that the server is asked to send and that its log shows, until you set the level of that log yourself. Default: the level of the log.',
    })
    .optional(),
  roots: z
    .union([
      z.enum(['workspace', 'none']).meta({
        enumDescriptions: ['All folders of the workspace.', 'No folder.'],
      }),
      z.array(filled('A file or folder of the workspace, for example "${workspaceFolder}/src".')),
    ])
    .meta({
      description:
        'Which folders the server can ask for. Default: "workspace". Folders outside the workspace are never shared.',
    })
    .optional(),
};

const places = (description: string) =>
  z
    .array(
      z
        .string()
        .trim()
        .min(1)
        .refine(withoutNul, nul)
        .check(({ value, issues }) => {
          const says = placeProblem(value);
          if (says) issues.push({ code: 'custom', input: value, params: { says } satisfies Complaint, continue: true });
        }),
    )
    .describe(description)
    .optional();

/** The permissions of a confined program: see `docs/sandbox.md`. */
export const sandboxRules = z.object({
  read: places(
    'Further files and folders that it may read, for example "~/notes". Installed programs, its roots and what it is started with are always readable. Default: nothing else.',
  ),
  write: places('Files and folders that it may change, for example "${workspaceFolder}/out". Default: none.'),
  network: z
    .array(
      z
        .string()
        .trim()
        .refine(
          isHost,
          complaint(name =>
            phrase(
              '{0} is not a host. Write it as {1}, {2} or {3}.',
              name,
              'example.com',
              '*.example.com',
              'example.com:8443',
            ),
          ),
        ),
    )
    .describe(
      'Hosts that it may reach, for example "api.example.com", "*.example.com" or "example.com:8443". "*" is all of them. Default: you are asked about each host, except those from which a package manager downloads at start.',
    )
    .optional(),
  env: z
    .array(z.string().regex(/^[^=\0]+$/))
    .describe(
      'Names of environment variables that it inherits from the editor, beside basic ones such as PATH and HOME.',
    )
    .optional(),
  sockets: z
    .boolean()
    .describe(
      'Whether it may open Unix sockets, as browsers do. Sockets that other programs have opened before it starts stay hidden. Default: false.',
    )
    .optional(),
});

const watched = z
  .string()
  .trim()
  .refine(
    glob => glob !== '' && withoutNul(glob),
    complaint(name => phrase('{0} is not a pattern of files.', name)),
  );

/** The reaction to changed files of a server under development: see `docs/developing.md`. */
export const devRules = z.object({
  watch: z
    .union([watched, z.array(watched)])
    .transform(globs => [globs].flat())
    .meta({
      description:
        'Files that restart the server when they change, for example "src/**/*.ts". Relative patterns start at the folder that the program runs in. "node_modules" and ".git" are left out.',
    })
    .optional(),
  build: filled(
    'Program to run before each of these restarts, with its arguments, for example "npm run build". If it fails, the server keeps running unchanged.',
  ).optional(),
  debug: z
    .union([z.enum(['node', 'python']), z.looseObject({ type: z.string().trim().min(1) })])
    .meta({
      description:
        'Debugger for the command "Debug Server", or the members of its attach configuration. Default: chosen by the program.',
    })
    .optional(),
  sandbox: sandboxRules
    .describe(
      'What the build may read, change and reach. Default: the same as the server. It can also change files in the folder that it runs in.',
    )
    .optional(),
  lint: z
    .record(z.string(), z.string().trim().min(1))
    .describe(
      'Findings of "Check Server…" that are not shown, each with the reason: by rule, such as "missing-title", or by rule and place, such as "alike tools/get_user".',
    )
    .optional(),
});

/** A server that the editor launches. */
export const stdioServer = z.object({
  type: type.optional().transform(() => 'stdio' as const),
  command: filled(
    'Program to run: its name, looked up in PATH, or its path. A relative path is resolved against "cwd"; without one, against the workspace folder, or in user settings against the home folder. Arguments go in "args".',
  ),
  args: z.array(z.string().refine(withoutNul, nul)).default([]).describe('Arguments for the program, one string each.'),
  env: z
    .record(
      z.string().regex(/^[^=\0]+$/),
      z
        .union([z.string().refine(withoutNul, nul), z.number(), z.boolean(), z.null()])
        .transform(value => (value === null ? null : String(value))),
    )
    .default({})
    .describe(
      'Environment variables added to those of the editor. null removes one. For secrets use ${input:id} or ${env:NAME}.',
    ),
  envFile: filled(
    'Path of a .env file with further environment variables. Those in "env" take precedence. A relative path is resolved against the workspace folder, or in user settings against the home folder.',
  ).optional(),
  cwd: filled(
    "Folder to run the program in. Default: the workspace folder. In user settings: a folder of the server's own, because files in a workspace could change what it runs; a program or script that lies in the workspace runs there. A relative path is resolved against the workspace folder, or in user settings against the home folder.",
  ).optional(),
  sandbox: z
    .union([z.boolean(), sandboxRules])
    .meta({
      description:
        'Runs the program in a sandbox: true with the default rules, an object with what it may read, change and reach. Default: the setting "mcpHost.sandbox", which entries in workspace settings cannot switch off.',
    })
    .optional(),
  dev: devRules
    .describe(
      'For a server that you are working on: what restarts it, and what debugs it. Ignored in untrusted workspaces.',
    )
    .optional(),
  ...common,
});

const text = (description: string) => filled(description).optional();

const isAddress = [
  (url: string | undefined) => url === undefined || isHttp(url),
  complaint(name => phrase('{0} is not an address. Enter one that starts with https://.', name)),
] as const;

/** How to sign in to a server. Everything can be omitted if the server itself says where to sign in. */
export const oauth = z.object({
  clientId: text('Client ID of the editor at the authorization server. Default: the editor registers itself.'),
  clientSecret: text('Secret that belongs to "clientId": ${input:id}.'),
  scopes: z
    .array(z.string().min(1))
    .describe('Permissions to request. Default: those that the server names.')
    .optional(),
  issuer: text('The only authorization server that may be used.').refine(...isAddress),
  redirectUri: text('Where the browser returns to after the sign-in, for example "http://127.0.0.1:33418/".'),
  grant: z
    .enum(['authorization_code', 'client_credentials', 'jwt_bearer'])
    .meta({
      description: 'Who signs in. Default: "authorization_code".',
      enumDescriptions: [
        'A person, in the browser.',
        'A program, with "clientSecret" or "privateKey".',
        'A program, with an "assertion", or a person at the "identityProvider" of their organization.',
      ],
    })
    .optional(),
  privateKey: text('Private key (PEM) in place of a secret: ${input:id}.'),
  assertion: text('Signed JWT of a workload, or ID token of "identityProvider": ${input:id}.'),
  identityProvider: z
    .object({
      issuer: text(
        'Its address. You sign in there once for all servers that name it; without it, "assertion" is sent.',
      ).refine(...isAddress),
      tokenUrl: text(
        'Its token endpoint, to which "assertion" is sent. Default: the one that the "issuer" announces.',
      ).refine(...isAddress),
      clientId: filled('Client ID of the editor there.'),
      clientSecret: text('Secret that belongs to this client ID: ${input:id}.'),
    })
    .describe('Identity provider of the organization that manages access to the server.')
    .optional(),
});

/** A server that is reached over HTTP. */
export const remoteServer = z.object({
  type: type.optional().transform(value => (value === 'sse' ? 'sse' : 'http')),
  url: filled(
    'Address of the server\'s MCP endpoint, for example "https://example.com/mcp", or on a socket: "unix:///path/to/server.sock#/mcp".',
  )
    .refine(
      url => isHttp(url) || isSocket(url),
      complaint(name => phrase('{0} is not an address. Enter one that starts with https:// or http://.', name)),
    )
    .refine(
      isWholeSocket,
      complaint(name =>
        phrase('{0} is not the address of a socket. Enter it as "unix:///path/to/server.sock#/mcp".', name),
      ),
    )
    .refine(
      hasNoUser,
      complaint(name =>
        phrase(
          '{0} must not contain a user name or password. Send them as an "Authorization" header in "headers".',
          name,
        ),
      ),
    ),
  headers: z
    .record(
      z.string().regex(/^[!#$%&'*+.^_`|~\w-]+$/),
      z
        .string()
        .trim()
        .refine(
          value => !/[^\t\x20-\x7e\x80-\xff]/.test(value),
          complaint(name =>
            phrase('{0} has a line break or a character that HTTP headers cannot carry. Remove it.', name),
          ),
        ),
    )
    .default({})
    .describe('HTTP headers sent with every request. For secrets use ${input:id} or ${env:NAME}.'),
  oauth: oauth.describe('Sign-in details that the server does not provide itself.').optional(),
  ...common,
});

/** The settings of one server in their normal form: every default filled in, variables not yet resolved. */
export type ServerEntry = z.output<typeof stdioServer> | z.output<typeof remoteServer>;

/** An entry of a program, or of a server over HTTP. */
export type ProgramEntry = Extract<ServerEntry, { type: 'stdio' }>;
export type RemoteEntry = Exclude<ServerEntry, ProgramEntry>;

/** `oauth` in a settings entry, with every variable and input filled in. */
export type OAuthSettings = NonNullable<RemoteEntry['oauth']>;

export const NAME_RULE = phrase(
  'A name must have 1 to 100 visible characters, without "/" or "\\", and must not start or end with a space.',
);

/**
 * The name of a server, which is the key of its entry. It is shown to people, begins slash commands such as `/server.prompt`
 * and is part of resource URIs, so it is one visible line without a slash.
 */
export const serverName = z
  .string()
  .regex(/^(?!\s|__proto__$)[^/\\]{1,100}(?<!\s)$/)
  .refine(name => visible(name) === name)
  .meta({ patternErrorMessage: english(NAME_RULE) });

/** One entry as people write it. Unknown keys are allowed, because other hosts have more of them. */
export const serverInput = z.object({ ...stdioServer.shape, ...remoteServer.shape }).partial();

/** The JSON schema of the setting `mcpHost.servers`, for completion, hovers and squiggles in `settings.json`. */
export function serversJsonSchema(): object {
  const { $schema, additionalProperties, ...servers } = z.toJSONSchema(z.record(serverName, serverInput), {
    io: 'input',
  });
  const stdio = (tab: number) => ({ command: `\${${tab}:npx}`, args: ['-y', `\${${tab + 1}:package}`] });
  const http = (tab: number) => ({ type: 'http', url: `\${${tab}:https://example.com/mcp}` });
  const name = '${1:name}';
  // A server's own object, or a whole file of another host pasted by mistake: `parseServers` understands and says so.
  const wrapper = { type: 'object', doNotSuggest: true };
  return {
    ...servers,
    default: {},
    markdownDescription: [
      'MCP servers by name. A server is a program (`command`) or an address (`url`):',
      '```json\n"mcpHost.servers": {',
      '  "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "${workspaceFolder}"] },',
      '  "remote": { "type": "http", "url": "https://example.com/mcp", "headers": { "X-Token": "${env:TOKEN}" } }',
      '}\n```',
      'Variables: `${workspaceFolder}`, `${workspaceFolder:name}`, `${userHome}`, `${env:NAME}`, `${config:key}`, `${input:id}`.',
    ].join('\n'),
    defaultSnippets: [
      { label: 'MCP server: a program', body: { [name]: stdio(2) } },
      { label: 'MCP server: an address', body: { [name]: http(2) } },
    ],
    properties: { mcpServers: wrapper, servers: wrapper },
    additionalProperties: {
      ...(additionalProperties as object),
      anyOf: [{ required: ['command'] }, { required: ['url'] }],
      defaultSnippets: [
        { label: 'A program (stdio)', body: stdio(1) },
        { label: 'An address (HTTP)', body: http(1) },
      ],
    },
  };
}
