import type * as z from 'zod';
import { messageOf } from '../../base/errors';
import { isObject } from '../../base/json';
import { type Phrase, type PhraseError, phrase } from '../../base/phrase';
import { splitCommandLine } from './entryTexts';
import { describeKind, didYouMean, explain, forExample, quote } from './fieldProblems';
import {
  devRules,
  helperProgram,
  NAME_RULE,
  oauth,
  remoteServer,
  type ServerEntry,
  sandboxRules,
  serverInput,
  serverName,
  stdioServer,
  timeouts,
} from './schema';
import { leftOut, SettingsBudget } from './settingsBudget';

/** Something wrong in the settings. An `error` means that the server cannot be used. */
export interface Problem {
  severity: 'error' | 'warning' | 'hint';
  /** The setting that it is in. Default: `servers`. */
  setting?: 'servers' | 'inputs' | 'profiles';
  /** Relative to the value of the setting, for instance `['files', 'args', 1]`. */
  path: readonly (string | number)[];
  /** Plain text: what is wrong and the remedy. Never holds a value that may be a secret. */
  message: Phrase | string;
  /** The problem is the key at the end of `path`, not its value. */
  onKey?: true;
  /**
   * Its kind, if something can be done about it: a secret in plain text can be moved to an input; a failed server may need
   * more time or a program; a variable without a value can become an input.
   */
  code?: 'plainSecret' | 'failed' | 'unsetVariable' | 'unknownVariable' | 'undefinedInput' | 'floatingVersion';
  /** A heading of `docs/checks.md` that has more on it. */
  docs?: string;
  /** The variable of the environment that the editor does not have. */
  variable?: string;
  /** The key that was most likely meant, if this one is unknown and its value can stand there. A dot leads into an object. */
  meant?: string;
  /** The key at the end of `path` is no field of an entry. */
  isUnknown?: true;
}

/** One key of `mcpHost.servers`. */
export interface ParsedServer {
  name: string;
  /** The path of the entry within the setting: `[name]`, or inside a wrapper that was pasted with it. */
  path: readonly (string | number)[];
  /** The entry; undefined when it has an error. Variables are not yet resolved: see `resolveVariables`. */
  entry?: ServerEntry;
  /** The value as written. */
  raw: unknown;
  problems: Problem[];
}

interface ParsedServers {
  servers: ParsedServer[];
  /** Problems of the value as a whole. */
  problems: Problem[];
}

type Json = Record<string, unknown>;

/** The most problems of one entry: enough to see what is wrong, as each of ten thousand numbers may be. */
export const MAX_PROBLEMS = 20;

const TOOL_CALLS = 'timeouts.toolCallMs';

/** Names that other hosts, or people, give to a field. A dot leads into an object. */
const ALIASES = new Map([
  ['cmd', 'command'],
  ['executable', 'command'],
  ['arguments', 'args'],
  ['disabled', 'enabled'],
  ['environment', 'env'],
  ['environmentVariables', 'env'],
  ['workingDirectory', 'cwd'],
  ['uri', 'url'],
  ['endpoint', 'url'],
  ['httpUrl', 'url'],
  ['serverUrl', 'url'],
  ['transport', 'type'],
  ['transportType', 'type'],
  ['timeout', TOOL_CALLS],
  ['timeoutMs', TOOL_CALLS],
  ['tool_timeout_sec', TOOL_CALLS],
  ['startup_timeout_sec', 'timeouts.startMs'],
  ['start', 'startMs'],
  ['request', 'requestMs'],
  ['toolCall', 'toolCallMs'],
]);

/** Wrappers that people paste along with servers: the keys that contain them in the files of other hosts. */
export const WRAPPERS: readonly string[] = ['mcpServers', 'servers', 'mcpHost.servers'];

/**
 * Reads the value of the setting `mcpHost.servers`. Never throws: whatever is wrong becomes a problem of the entry it
 * is in, and leaves the others alone. A `{"mcpServers": {…}}` or `{"servers": {…}}` around the servers is understood.
 * @param budget of the file that it stands in. Entries that have no room in it are left out.
 */
export function parseServers(value: unknown, budget = new SettingsBudget()): ParsedServers {
  const parsed: ParsedServers = { servers: [], problems: [] };
  const reading: Reading = { parsed, names: new Set(), budget, left: [] };
  if (value === undefined) return parsed;
  if (!isObject(value)) {
    const message = phrase(
      '"mcpHost.servers" must be an object with one key for each server, but it is {0}. {1}',
      describeKind(value),
      forExample('{ "files": { "command": "npx" } }'),
    );
    return { servers: [], problems: [{ severity: 'error', path: [], message }] };
  }
  const wrappers = Object.keys(value).filter(key => WRAPPERS.includes(key) && isWrapper(value[key]));
  for (const [name, raw] of Object.entries(value)) {
    if (wrappers.includes(name)) {
      const message = phrase(
        '"{0}" is not needed: servers are listed directly in "mcpHost.servers". The servers in it are used anyway. Move them up one level.',
        name,
      );
      parsed.problems.push({ severity: 'warning', path: [name], message, onKey: true });
      for (const [inner, entry] of Object.entries(raw as Json)) addServer(reading, inner, entry, [name, inner]);
    } else if (wrappers.length > 0 && name === 'inputs' && Array.isArray(raw)) {
      const message = phrase('"inputs" is ignored here. Move it to the "mcpHost.inputs" setting in this file.');
      parsed.problems.push({ severity: 'warning', path: [name], message, onKey: true });
    } else {
      addServer(reading, name, raw, [name]);
    }
  }
  const [first] = reading.left;
  if (first) parsed.problems.push({ ...leftOut(reading.left.length, first), onKey: true });
  return parsed;
}

/** Whether this contains servers, rather than being a server with the name of a wrapper. */
const isWrapper = (value: unknown) =>
  isObject(value) && !['type', 'command', 'args', 'url'].some(key => key in value && !isObject(value[key]));

interface Reading {
  readonly parsed: ParsedServers;
  readonly names: Set<string>;
  readonly budget: SettingsBudget;
  /** Paths of entries that are not read. */
  readonly left: string[][];
}

function addServer({ parsed, names, budget, left }: Reading, name: string, raw: unknown, path: string[]): void {
  const checked = readable(raw, budget);
  if (!checked) {
    left.push(path);
    return;
  }
  if (names.has(name)) {
    const message = phrase(
      'There is another server named {0}, so this one is ignored. Rename or remove it.',
      quote(name),
    );
    parsed.problems.push({ severity: 'error', path, message, onKey: true });
    return;
  }
  names.add(name);
  const { entry, problems } = checked;
  const placed = problems.map(problem => ({ ...problem, path: [...path, ...problem.path] }));
  if (serverName.safeParse(name).success) {
    parsed.servers.push({ name, path, ...(entry && { entry }), raw, problems: placed.slice(0, MAX_PROBLEMS) });
  } else {
    const message = phrase('The name {0} cannot be used. {1} Rename the server.', quote(name), NAME_RULE);
    placed.unshift({ severity: 'error', path, message, onKey: true });
    parsed.servers.push({ name, path, raw, problems: placed.slice(0, MAX_PROBLEMS) });
  }
}

/** Reads an entry behind a catch of its own: no value of one is a fault of the list. Undefined: there is no room for it. */
function readable(raw: unknown, budget: SettingsBudget): CheckedEntry | undefined {
  try {
    return budget.take('servers', raw) ? parseEntry(raw) : undefined;
  } catch (error) {
    return { problems: [unreadable([], error)] };
  }
}

/** The problem of an entry that can't be read as a whole. */
export function unreadable(path: Problem['path'], error: unknown): Problem {
  const why = (error as Partial<PhraseError>).phrase ?? messageOf(error);
  const message = phrase('This entry cannot be read: {0}. Simplify or remove it.', why);
  return { severity: 'error', path, message };
}

type Schema = typeof stdioServer | typeof remoteServer;
type CheckedEntry = { entry?: ServerEntry; problems: Problem[] };

function parseEntry(raw: unknown): CheckedEntry {
  if (!isObject(raw)) return check(stdioServer, raw);
  const schema = schemaFor(raw);
  const input = { ...raw };
  const warnings: Problem[] = [];
  const warn = (key: string, message: Phrase) =>
    warnings.push({ severity: 'warning', path: [key], message, onKey: true });

  if (typeof raw.disabled === 'boolean' && raw.enabled === undefined) {
    input.enabled = !raw.disabled;
    delete input.disabled;
    const enabled = String(input.enabled);
    warn(
      'disabled',
      phrase('"disabled" works, but the property here is "enabled". Use "enabled": {0} instead.', enabled),
    );
  }
  if (schema === stdioServer && raw.type !== undefined && raw.url !== undefined) {
    delete input.url;
    warn('url', whyIgnored('url', undefined));
  }
  if (schema === stdioServer && typeof raw.command === 'string' && raw.args === undefined) {
    const [command, ...args] = splitCommandLine(raw.command);
    if (command !== raw.command.trim()) {
      Object.assign(input, { command, args });
      const message =
        args.length === 1
          ? phrase(
              '"command" contains a whole command line, run as {0} with 1 argument. Move it to "args", or for a single path with spaces, add "args": [].',
              quote(command!),
            )
          : phrase(
              '"command" contains a whole command line, run as {0} with {1} arguments. Move them to "args", or for a single path with spaces, add "args": [].',
              quote(command!),
              args.length,
            );
      warnings.push({ severity: 'warning', path: ['command'], message });
    }
  }
  if (typeof raw.url === 'string' && /\s/.test(raw.url.trim().replace(/\$\{[^{}]*\}/g, ''))) {
    const message = phrase('{0} contains a space. Remove it, or write it as %20.', '"url"');
    warnings.push({ severity: 'warning', path: ['url'], message });
  }
  warnings.push(...unknownKeys(input, 'message' in schema ? serverInput : schema, []));
  if (isObject(raw.timeouts)) warnings.push(...unknownKeys(raw.timeouts, timeouts, ['timeouts']));
  if (isObject(raw.sandbox)) warnings.push(...unknownKeys(raw.sandbox, sandboxRules, ['sandbox']));
  if (isObject(raw.dev)) {
    warnings.push(...unknownKeys(raw.dev, devRules, ['dev']));
    if (isObject(raw.dev.sandbox)) warnings.push(...unknownKeys(raw.dev.sandbox, sandboxRules, ['dev', 'sandbox']));
    if (schema === stdioServer) warnings.push(...devWarnings(raw.dev));
  }
  if (isObject(raw.headersHelper)) warnings.push(...unknownKeys(raw.headersHelper, helperProgram, ['headersHelper']));
  if (isObject(raw.oauth)) warnings.push(...unknownKeys(raw.oauth, oauth, ['oauth']));
  const { entry, problems } =
    'message' in schema ? { problems: [{ severity: 'error' as const, ...schema }] } : check(schema, input);
  return { ...(entry && { entry }), problems: mergedTypos(raw, problems, warnings) };
}

/** A mistyped key is one mistake: that the key it stands for is missing is not reported beside it. */
function mergedTypos(raw: Json, errors: Problem[], warnings: readonly Problem[]): Problem[] {
  const neededBy = ({ path: [key, ...rest] }: Problem) =>
    key === undefined ? KINDS : rest.length === 0 && raw[key] === undefined ? [String(key)] : [];
  const typos = warnings.filter(({ meant = '' }) => errors.some(error => neededBy(error).includes(meant)));
  if (typos.length === 0) return [...errors, ...warnings];
  const explained = new Set(typos.map(({ meant }) => meant));
  return [
    ...typos.map((typo): Problem => {
      const [key] = typo.path;
      return {
        ...typo,
        severity: 'error',
        message: phrase('{0} is unknown. Did you mean "{1}"?', quote(String(key)), typo.meant!),
      };
    }),
    ...errors.filter(error => !neededBy(error).some(key => explained.has(key))),
    ...warnings.filter(warning => !typos.includes(warning)),
  ];
}

/** What a server is started or reached by: one of them is needed. */
const KINDS = ['command', 'url'];

/** Folders whose files are made by programs, thousands at a time. */
const NEVER_WATCHED = /(^|[\\/{,])(node_modules|\.git)($|[\\/},])/;

function devWarnings({ watch, build }: Json): Problem[] {
  if (watch === undefined && build !== undefined) {
    const message = phrase('"build" never runs without "watch". Add "watch" with the files whose changes trigger it.');
    return [{ severity: 'warning', path: ['dev', 'build'], message }];
  }
  const globs = [watch].flat();
  return globs.flatMap((glob, index): Problem[] => {
    const left = NEVER_WATCHED.exec(String(glob))?.[2];
    if (left === undefined) return [];
    const path = ['dev', 'watch', ...(Array.isArray(watch) ? [index] : [])];
    const message = phrase('Files in {0} are never watched. Name other files, or remove this.', quote(left));
    return [{ severity: 'warning', path, message }];
  });
}

/** The kind of server, or why it is ambiguous. */
function schemaFor({ type, command, url }: Json): Schema | Pick<Problem, 'path' | 'message'> {
  const [hasCommand, hasUrl] = [command !== undefined, url !== undefined];
  if (type === undefined && !hasCommand && !hasUrl) {
    const message = phrase(
      'A server needs a "command" (a program) or a "url" (an address), but this one has neither. For example: {0}, or {1}.',
      '{ "command": "npx", "args": ["-y", "package"] }',
      '{ "url": "https://example.com/mcp" }',
    );
    return { path: [], message };
  }
  const isRemote = ['http', 'sse', 'streamable-http', 'streamableHttp'].includes(String(type));
  if ((isRemote && hasCommand && !hasUrl) || (type === 'stdio' && hasUrl && !hasCommand)) {
    const [has, needed] = isRemote ? ['"command"', '"stdio"'] : ['"url"', '"http"'];
    const message = phrase(
      'A server with a {0} has another "type" than {1}. Use {2}.',
      has,
      quote(String(type)),
      needed,
    );
    return { path: ['type'], message };
  }
  return type === 'stdio' || (hasCommand && !isRemote) ? stdioServer : remoteServer;
}

/** Checks an entry once more after its variables were resolved: only now are the address and the headers known. */
export const checkResolved = (entry: ServerEntry): CheckedEntry =>
  check(entry.type === 'stdio' ? stdioServer : remoteServer, entry);

function check(schema: Schema, input: unknown): CheckedEntry {
  // A person has few entries: compiling the schema would take longer than checking them.
  const { data, error } = schema.safeParse(input, { reportInput: true, jitless: true });
  if (data) return { entry: data, problems: [] };
  const problems = error.issues.slice(0, MAX_PROBLEMS).map(issue => ({
    severity: 'error' as const,
    path: issue.path as string[],
    message: explain(issue),
  }));
  return { problems };
}

function unknownKeys(
  value: Json,
  schema:
    | Schema
    | typeof serverInput
    | typeof timeouts
    | typeof oauth
    | typeof sandboxRules
    | typeof devRules
    | typeof helperProgram,
  path: string[],
): Problem[] {
  const known = Object.keys(schema.shape);
  const unknown = Object.keys(value).filter(key => !known.includes(key));
  return unknown.slice(0, MAX_PROBLEMS).map(key => {
    const meant = meantKey(key, known);
    const field = (schema.shape as Readonly<Record<string, z.ZodType>>)[meant ?? ''];
    // A limit is checked by what it is made of.
    const fits = field ? field.safeParse(value[key]).success : typeof value[key] === 'number';
    return {
      severity: 'warning',
      path: [...path, key],
      message: whyIgnored(key, meant),
      onKey: true,
      isUnknown: true,
      ...(meant && fits && { meant }),
    };
  });
}

function meantKey(key: string, known: string[]): string | undefined {
  const field = ALIASES.get(key);
  if (field !== undefined && known.includes(field.split('.', 1)[0]!)) return field;
  return Object.hasOwn(serverInput.shape, key) || PERMISSIONS.includes(key) ? undefined : didYouMean(key, known);
}

/** With which other hosts let tools run without a question: never read, as approvals are the person's here. */
export const PERMISSIONS: readonly string[] = ['alwaysAllow', 'autoApprove', 'trust'];

function whyIgnored(key: string, meant: string | undefined): Phrase {
  const name = quote(key);
  if (meant) return phrase('{0} is unknown and ignored. Did you mean "{1}"?', name, meant);
  if (PERMISSIONS.includes(key))
    return phrase('{0} is ignored: settings allow no calls. You are asked about a tool when it is first called.', name);
  return Object.hasOwn(serverInput.shape, key)
    ? phrase('{0} does not apply to this type of server and is ignored. Remove it.', name)
    : phrase('{0} is unknown and ignored. Remove it unless another host needs it.', name);
}
