import * as z from 'zod'; // the namespace form: with `{ z }` a bundler would keep all of zod, including its fifty locales
import { MAX_TIMER_MS } from '../../base/numberText';
import { type Phrase, phrase } from '../../base/phrase';
import { parseUrl, visible } from '../../base/text';
import { hasNul, helperCommand, isLocalAddress, isSocket, needsShell, socketOf, withPort } from './entryTexts';
import { isHost, placeProblem } from './sandboxRules';

/** The levels of `notifications/message` (spec: server/utilities/logging), least severe first. */
export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

/** The revisions of the legacy era, newest first. */
export const LEGACY_REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

export const START_POLICIES = ['onStartup', 'onDemand', 'never'] as const;

/** A check's complaint about a value, given its name. */
export interface Complaint {
  says: (name: Phrase | string) => Phrase;
}

const withoutNul = (text: string) => !text.includes('\0');
const complaint = (says: Complaint['says']) => ({ params: { says } satisfies Complaint });
const nul = complaint(hasNul);
const filled = z.string().trim().min(1, { abort: true }).refine(withoutNul, nul);

// An address with a variable can be checked only after the variable is resolved; `resolveVariables` checks it again.
const isHttp = (url: string) => url.includes('${') || /^https?:$/.test(parseUrl(url)?.protocol ?? '');
const isWholeSocket = (url: string) => !isSocket(url) || url.includes('${') || socketOf(url) !== undefined;
const hasNoUser = (url: string) => {
  const { username, password } = parseUrl(url) ?? {};
  return !(username || password);
};

const timeoutMs = (defaultMs: number) => z.int({ abort: true }).min(1).max(MAX_TIMER_MS).default(defaultMs);

const type = z.enum(['stdio', 'http', 'sse', 'streamable-http', 'streamableHttp']);

export const timeouts = z.object({
  startMs: timeoutMs(60_000),
  requestMs: timeoutMs(30_000),
  toolCallMs: timeoutMs(120_000),
});

const common = {
  enabled: z.boolean().default(true),
  start: z.enum(START_POLICIES).optional(),
  timeouts: timeouts.prefault({}),
  logLevel: z.enum(LOG_LEVELS).optional(),
  protocol: z.enum(LEGACY_REVISIONS).optional(),
  roots: z.union([z.enum(['workspace', 'none']), z.array(filled)]).optional(),
};

const places = z
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
  .optional();

/** The permissions of a confined program: see `docs/sandbox.md`. */
export const sandboxRules = z.object({
  read: places,
  write: places,
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
    .optional(),
  env: z.array(z.string().regex(/^[^=\0]+$/)).optional(),
  sockets: z.boolean().optional(),
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
    .optional(),
  build: filled.optional(),
  debug: z.union([z.enum(['node', 'python']), z.looseObject({ type: z.string().trim().min(1) })]).optional(),
  sandbox: sandboxRules.optional(),
  lint: z.record(z.string(), z.string().trim().min(1)).optional(),
});

const isHere = (url: string) => {
  const address = withPort(url, 1);
  return address.includes('${') || isLocalAddress(address);
};

/** A server that the editor launches. */
export const stdioServer = z.object({
  type: type.optional().transform(() => 'stdio' as const),
  command: filled,
  args: z.array(z.string().refine(withoutNul, nul)).default([]),
  env: z
    .record(
      z.string().regex(/^[^=\0]+$/),
      z
        .union([z.string().refine(withoutNul, nul), z.number(), z.boolean(), z.null()])
        .transform(value => (value === null ? null : String(value))),
    )
    .default({}),
  envFile: filled.optional(),
  cwd: filled.optional(),
  url: filled
    .refine(
      isHere,
      complaint(name =>
        phrase(
          '{0} is not an address of this machine, such as {1}. That is where a program with a "command" is reached. Remove one of the two.',
          name,
          'http://localhost:8080/mcp',
        ),
      ),
    )
    .optional(),
  sandbox: z.union([z.boolean(), sandboxRules]).optional(),
  dev: devRules.optional(),
  ...common,
});

const text = filled.optional();

const isAddress = [
  (url: string | undefined) => url === undefined || isHttp(url),
  complaint(name => phrase('{0} is not an address. Enter one that starts with https://.', name)),
] as const;

/** Where the people of an organization sign in once for all their servers. */
export const identityProvider = z.object({
  issuer: text.refine(...isAddress),
  tokenUrl: text.refine(...isAddress),
  clientId: filled,
  clientSecret: text,
});

/** How to sign in to a server. Everything can be omitted if the server itself says where to sign in. */
export const oauth = z
  .object({
    clientId: text,
    clientSecret: text,
    scopes: z.array(z.string().min(1)).optional(),
    issuer: text.refine(...isAddress),
    pkce: z.enum(['assumed']).optional(),
    authorizationUrl: text.refine(...isAddress),
    tokenUrl: text.refine(...isAddress),
    resource: z.union([z.literal(false), filled]).optional(),
    redirectUri: text,
    grant: z.enum(['authorization_code', 'client_credentials', 'jwt_bearer']).optional(),
    privateKey: text,
    assertion: text,
    identityProvider: identityProvider.optional(),
  })
  .check(({ value, issues }) => {
    const { authorizationUrl, tokenUrl, grant = 'authorization_code' } = value;
    const isWhole =
      tokenUrl === undefined
        ? authorizationUrl === undefined
        : authorizationUrl !== undefined || grant !== 'authorization_code';
    if (!isWhole)
      issues.push({
        code: 'custom',
        input: value,
        continue: true,
        ...complaint(name => phrase('{0} needs both "authorizationUrl" and "tokenUrl", or neither.', name)),
      });
  });

/** In a line for a shell, a value would be read as code. */
const FILLED_IN = /(?<!\$)\$\{(?:env:|input:|workspace)/;

/** The program that prints the headers of a server as a JSON object: a command line, as Claude Code has it, or its parts. */
export const helperProgram = stdioServer.pick({ command: true, args: true, env: true, cwd: true, sandbox: true });
const headersHelper = z
  .union([
    filled.refine(
      line => !(needsShell(line) && FILLED_IN.test(line)),
      complaint(name =>
        phrase(
          '{0} is run by a shell, which would read the values of {1} as code. Let the shell read a variable, as in {2}.',
          name,
          '${env:NAME}, ${input:id}, ${workspaceFolder}',
          '{ "command": "sh", "args": ["-c", "… $T"], "env": { "T": "${input:id}" } }',
        ),
      ),
    ),
    helperProgram,
  ])
  .transform(
    (said): z.output<typeof helperProgram> => (typeof said === 'string' ? { ...helperCommand(said), env: {} } : said),
  );

export const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
export const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** A server that is reached over HTTP. */
export const remoteServer = z.object({
  type: type.optional().transform(value => (value === 'sse' ? 'sse' : 'http')),
  url: filled
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
      z.string().regex(HEADER_NAME),
      z
        .string()
        .trim()
        .refine(
          value => HEADER_VALUE.test(value),
          complaint(name =>
            phrase('{0} has a line break or a character that HTTP headers cannot carry. Remove it.', name),
          ),
        ),
    )
    .default({}),
  headersHelper: headersHelper.optional(),
  oauth: oauth.optional(),
  ...common,
});

/** The settings of one server in their normal form: every default filled in, variables not yet resolved. */
export type ServerEntry = z.output<typeof stdioServer> | z.output<typeof remoteServer>;

export type ProgramEntry = Extract<ServerEntry, { type: 'stdio' }>;

/** How a server is reached once its program runs: a program with an address over HTTP. */
export function reachedAs(entry: ServerEntry): ServerEntry {
  if (entry.type !== 'stdio' || entry.url === undefined) return entry;
  const { url, timeouts } = entry;
  return { type: 'http', enabled: true, url, headers: {}, timeouts };
}
export type RemoteEntry = Exclude<ServerEntry, ProgramEntry>;

/** The program that an entry starts: the server, or `headersHelper` of a remote one. */
export function programIn(entry: ServerEntry): ProgramEntry | undefined {
  if (entry.type === 'stdio') return entry;
  const { url, headers, headersHelper, oauth, type, ...common } = entry;
  return headersHelper && { ...common, ...headersHelper, type: 'stdio' };
}

/** The entry with another program (`programIn`), if it has one. */
export function withProgram(entry: ServerEntry, change: (program: ProgramEntry) => ProgramEntry): ServerEntry {
  if (entry.type === 'stdio') return change(entry);
  const program = programIn(entry);
  if (!program) return entry;
  const { command, args, env, cwd, sandbox } = change(program);
  const optional = { ...(cwd !== undefined && { cwd }), ...(sandbox !== undefined && { sandbox }) };
  return { ...entry, headersHelper: { command, args, env, ...optional } };
}

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
  .refine(name => visible(name) === name);

/** One entry as people write it, with other hosts' keys. `schema.servers.…` in package.nls.json explains fields. */
export const serverInput = z.object({ ...stdioServer.shape, ...remoteServer.shape }).partial();
