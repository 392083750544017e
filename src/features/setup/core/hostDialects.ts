import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { parse as parseToml, TomlError } from 'smol-toml';
import { attempt } from '../../../base/errors';
import { isObject, mapTexts, nestsTooDeeply, objectsOf } from '../../../base/json';
import { jsonError } from '../../../base/jsonErrors';
import { PhraseError, phrase } from '../../../base/phrase';
import { readYaml, valueOfYaml } from '../../../base/yamlText';
import { PERMISSIONS, SettingsBudget } from '../../../host/settings';
import { type Dialect, mapVariables, shellVariables } from './hostVariables';
import {
  type DraftEntry,
  type DraftInput,
  type DraftNote,
  draftOf,
  type Json,
  nameOfServer,
  type ServerDraft,
} from './serverDraft';

/**
 * The value of a file of another host: JSON with comments and trailing commas, or YAML or TOML by its name.
 *
 * @throws PhraseError that says the line when it is neither, or nested too deeply. Never with text of the file, which may hold secrets.
 */
export function readContent(text: string, path = ''): unknown {
  if (nestsTooDeeply(text)) throw new PhraseError(phrase('this is nested too deeply'));
  if (/\.ya?ml$/i.test(path)) {
    const read = readYaml(text, { characters: MAX_PASTED, aliases: MAX_ALIASES });
    const [mistake] = read.mistakes;
    if (mistake)
      throw new PhraseError(phrase('{0} in line {1}', phrase('this is not YAML'), lineAt(text, mistake.offset)));
    return valueOfYaml(read);
  }
  if (/\.toml$/i.test(path)) return tomlValue(text);
  return jsonValue(text);
}

function jsonValue(text: string): unknown {
  const errors: ParseError[] = [];
  let value: unknown;
  try {
    value = parse(text, errors, { allowTrailingComma: true });
  } catch (error) {
    // A quote in a comment hides the brackets behind it.
    throw error instanceof RangeError ? new PhraseError(phrase('this is nested too deeply')) : error;
  }
  const [first] = errors;
  if (first) {
    const why = jsonError(printParseErrorCode(first.error));
    throw new PhraseError(phrase('{0} in line {1}', why, lineAt(text, first.offset)));
  }
  return value;
}

function tomlValue(text: string): unknown {
  if (text.length > MAX_PASTED) throw new PhraseError(phrase('this is not TOML'));
  try {
    return parseToml(text, { maxDepth: MAX_TOML_DEPTH });
  } catch (error) {
    // Its message quotes the file.
    const line = error instanceof TomlError ? error.line : 1;
    throw new PhraseError(phrase('{0} in line {1}', phrase('this is not TOML'), line));
  }
}

const MAX_TOML_DEPTH = 100;

const lineAt = (text: string, offset: number) => text.slice(0, offset).split('\n').length;

/** The most names that stand for a part of the file. */
const MAX_ALIASES = 100;

/** Longer texts are not read; the clipboard may contain anything. */
const MAX_PASTED = 1024 * 1024;
/** The most fences read in a README, which has one for each host. */
const MAX_FENCES = 50;

/** The servers in a pasted text of any dialect: a whole file, a part without its braces, in a fence or not. */
export function readPasted(text: string): ServerDraft[] {
  if (text.length > MAX_PASTED) return [];
  // Each fence is begun at one place only: where several fit, a text without an end is searched once for each.
  // A box of one line has made spaces of its line breaks.
  const fenced = [...text.matchAll(/```[a-z]*\s([\s\S]*?)```/gi)].slice(0, MAX_FENCES);
  for (const part of [...fenced.map(([, inner = '']) => inner), text]) {
    const json = part.trim().replace(/^,|,$/g, '');
    for (const candidate of [json, `{${json}}`]) {
      const servers = attempt(() => readServers(readContent(candidate), dialectOf(candidate), { isPart: true }), []);
      if (servers.length > 0) return servers;
    }
    const others = [
      ['.toml', 'codex'],
      ['.yaml', 'continue'],
      ['.yaml', 'goose'],
    ] as const;
    for (const [name, dialect] of others) {
      const servers = attempt(() => readServers(readContent(part, name), dialect), []);
      if (servers.length > 0) return servers;
    }
  }
  return [];
}

/** That of a text whose host is not known. */
export const dialectOf = (text: string): Dialect => (/\$\{input:/.test(text) ? 'vscode' : 'unknown');

/** Whether there is room for a server or an input, which a person is to review. */
function fits(budget: SettingsBudget, kind: 'servers' | 'inputs', raw: unknown): boolean {
  return attempt(() => budget.take(kind, raw), false);
}

/**
 * The servers in the content of another host's file, in whichever dialect: `servers` with `inputs` (VS Code), `mcpServers`
 * (most others; a list in Continue's YAML), `context_servers` (Zed), `mcp_servers` (Codex), `extensions` (Goose), `mcp` (opencode),
 * or the servers themselves. What is no server is left out.
 *
 * @param isPart it may be a part of a file, as READMEs show it: a server alone, or servers by name.
 * @param budget of the file. What has no room in it is left out.
 */
export function readServers(
  content: unknown,
  dialect: Dialect,
  { isPart = dialect === 'unknown', budget = new SettingsBudget() } = {},
): ServerDraft[] {
  if (!isObject(content)) return [];
  const { found, inputs } = serversOf(content, isPart);
  const known = inputsOf(inputs, budget);
  const few = found.filter(([, raw]) => fits(budget, 'servers', raw));
  return few.flatMap(([name, raw]) => {
    const notes: DraftNote[] = [];
    const note = (one: DraftNote) => void notes.push(one);
    const entry = toEntry(raw, dialect, note);
    if (!entry) return [];
    const inputs = new Map<string, DraftInput>();
    const input = (id: string, one: DraftInput) => void inputs.set(id, known.get(id) ?? one);
    const mapped = mapTexts(entry, (text, path) =>
      // Claude Code leaves the variables of this line to a shell.
      path.join() === 'headersHelper' ? shellVariables(text) : mapVariables(text, dialect, { note, input }),
    );
    const signedIn = withHeadersOfVariables(mapped, raw);
    return [draftOf(signedIn, name, { inputs: [...inputs.values()], notes })];
  });
}

type ServersInFile = { found: [string, unknown][]; inputs?: unknown };

function serversOf(content: Json, isPart: boolean): ServersInFile {
  const nested = [content['mcpHost.servers'], content['mcp.servers']].find(isObject);
  if (nested) return { found: Object.entries(nested), inputs: content['mcpHost.inputs'] };
  if (isObject(content.mcp) && isObject(content.mcp.servers)) return serversOf(content.mcp, false);
  const { context_servers: ofZed, mcp_servers: ofCodex, mcpServers, servers, experimental, inputs } = content;
  const several = [
    ofZed,
    mcpServers,
    ofCodex,
    ...[servers, content.extensions, content.mcp].filter(one => !isServer(one)),
  ];
  const known = several.find(isObject);
  if (known) return { found: Object.entries(known), inputs };
  const ofContinue = isObject(experimental) ? experimental.modelContextProtocolServers : undefined;
  const list = [mcpServers, ofContinue].find(Array.isArray);
  if (list) return { found: named(list) };
  // What a README shows is often only a part.
  if (!isPart) return { found: [] };
  if (isServer(content)) return { found: named([content]) };
  return { found: Object.entries(content).filter(([, value]) => isServer(value)) };
}

const isServer = (value: unknown): boolean =>
  isObject(value) && ['command', 'cmd', 'url', 'serverUrl', 'httpUrl'].some(key => typeof value[key] === 'string');

/** A list of servers: each has its name in it, or one is made of what it runs. */
function named(servers: readonly unknown[]): [string, unknown][] {
  return servers.filter(isObject).map((server, index) => {
    const part = isObject(server.transport) ? { ...server, ...server.transport } : server;
    const name = typeof server.name === 'string' && server.name ? server.name : nameOfServer(part);
    return [name || `server-${index + 1}`, server];
  });
}

function inputsOf(inputs: unknown, budget: SettingsBudget): Map<string, DraftInput> {
  return new Map(
    objectsOf(inputs)
      .filter(input => typeof input.id === 'string' && typeof input.type === 'string' && fits(budget, 'inputs', input))
      .map(input => [input.id as string, input as DraftInput]),
  );
}

/** A server of another host as an entry of ours, before its variables. Undefined without command and address. */
function toEntry(raw: unknown, dialect: Dialect, note: (note: DraftNote) => void): DraftEntry | undefined {
  if (!isObject(raw)) return undefined;
  const server = isObject(raw.transport) ? { ...raw, ...raw.transport } : raw;
  const entry = programOf(server) ?? addressOf(server);
  if (!entry) return undefined;
  if (server.disabled === true || server.enabled === false) entry.enabled = false;
  // Cline counts in seconds.
  if (dialect === 'cline' && typeof server.timeout === 'number' && server.timeout > 0)
    entry.timeouts = { toolCallMs: Math.round(server.timeout * 1000) };
  for (const key of PERMISSIONS) if (isGiven(server[key])) note({ kind: 'leftOut', what: key });
  return entry;
}

const isGiven = (value: unknown) => value === true || (Array.isArray(value) && value.length > 0);

function programOf(server: Json): DraftEntry | undefined {
  // Older files of Zed have all of it in `command`; some hosts have the whole command line as a list.
  const part = isObject(server.command) ? { ...server, ...server.command, command: server.command.path } : server;
  const program = part.command ?? part.cmd;
  const [command, ...leading] = Array.isArray(program) ? texts(program) : [program];
  if (typeof command !== 'string' || command.trim() === '') return undefined;
  const args = [...(leading as string[]), ...texts(part.args)];
  const env = pairs(part.env ?? part.environment ?? part.envs, isEnvValue);
  return {
    command,
    ...((args.length > 0 || Array.isArray(part.args)) && { args }),
    ...(env && { env }),
    ...(typeof part.envFile === 'string' && { envFile: part.envFile }),
    ...(typeof part.cwd === 'string' && part.cwd !== '' && { cwd: part.cwd }),
  };
}

function addressOf(server: Json): DraftEntry | undefined {
  const url = [server.url, server.serverUrl, server.httpUrl, server.uri, server.endpoint].find(isText);
  if (url === undefined) return undefined;
  const type = String(server.type ?? server.transport ?? server.transportType ?? '').toLowerCase();
  const { requestOptions } = server;
  const written =
    server.headers ?? server.http_headers ?? (isObject(requestOptions) ? requestOptions.headers : undefined);
  const headers = pairs(written, isText);
  const oauth = oauthOf(server);
  const headersHelper = isObject(server.headersHelper) ? programOf(server.headersHelper) : server.headersHelper;
  return {
    type: type === 'sse' ? 'sse' : 'http',
    url,
    ...(headers && { headers }),
    ...((isText(headersHelper) || isObject(headersHelper)) && { headersHelper }),
    ...(oauth && { oauth }),
  };
}

/** The entry with the headers whose values Codex takes from variables of the environment, which it names. */
function withHeadersOfVariables(entry: DraftEntry, raw: unknown): DraftEntry {
  if (entry.url === undefined || !isObject(raw)) return entry;
  const { bearer_token_env_var: token, env_http_headers: others } = raw;
  const isName = (name: unknown): name is string => typeof name === 'string' && /^[A-Za-z_]\w*$/.test(name);
  const named = isObject(others) ? Object.entries(others).filter(([, name]) => isName(name)) : [];
  const headers = {
    ...(entry.headers as Record<string, string> | undefined),
    ...(isName(token) && { Authorization: `Bearer \${env:${token}}` }),
    ...Object.fromEntries(named.map(([header, name]) => [header, `\${env:${String(name)}}`])),
  };
  return Object.keys(headers).length > 0 ? { ...entry, headers } : entry;
}

/** The client that another host signs in as. */
function oauthOf({ oauth, auth }: Json): Json | undefined {
  if (isObject(oauth)) {
    const { clientId, clientSecret, scopes, scope, callbackPort, enterpriseManaged } = oauth;
    // Claude Code has scopes as one text, and listens at this address.
    const isPort = Number.isInteger(callbackPort) && Number(callbackPort) > 0 && Number(callbackPort) < 65_536;
    const wanted = scopesOf(scopes ?? scope);
    const known = {
      ...(isText(clientId) && { clientId }),
      ...(isText(clientSecret) && { clientSecret }),
      ...(wanted.length > 0 && { scopes: wanted }),
      // The editor's name for a sign-in at the identity provider of an organization.
      ...(enterpriseManaged === true && { grant: 'jwt_bearer' }),
      ...(isPort && { redirectUri: `http://localhost:${callbackPort}/callback` }),
    };
    if (Object.keys(known).length > 0) return known;
  }
  if (!isObject(auth) || !isText(auth.CLIENT_ID)) return undefined;
  return {
    clientId: auth.CLIENT_ID,
    ...(isText(auth.CLIENT_SECRET) && { clientSecret: auth.CLIENT_SECRET }),
    ...(Array.isArray(auth.scopes) && { scopes: texts(auth.scopes) }),
  };
}

const scopesOf = (given: unknown): string[] =>
  (typeof given === 'string' ? given.split(/[\s,]+/) : texts(given)).filter(Boolean);

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isEnvValue = (value: unknown) => value === null || ['string', 'number', 'boolean'].includes(typeof value);
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(item => String(item)) : []);

function pairs(value: unknown, keep: (value: unknown) => boolean): Json | undefined {
  if (!isObject(value)) return undefined;
  const kept = Object.entries(value).filter(([, item]) => keep(item));
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}
