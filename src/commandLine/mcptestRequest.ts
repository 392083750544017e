import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { HostError, messageOf } from '../base/errors';
import { readBounded } from '../base/files';
import { isObject } from '../base/json';
import { english } from '../base/phrase';
import { visible, visibleJson, visibleLines } from '../base/text';
import { type GivenArguments, makeOneRequest, type OneRequest, pairOf } from '../features/authors/core/oneRequest';
import { readTestFile, readText, TEST_FILE } from '../features/authors/core/readTestFile';
import type { runTests } from '../features/authors/core/runTests';
import { testedServer, variablesIn } from '../features/authors/core/testServer';
import { managedPlaces } from '../features/organization/core/managedPlaces';
import { Organization } from '../features/organization/core/organization';
import * as admission from '../features/organization/core/organizationRules';
import { resolveDefinitions } from '../host';
import { CATALOG_KINDS, type CatalogKind } from '../host/catalog';
import { LaunchGate, NO_CHECK, type ServerDefinition } from '../host/definition';
import { definitionsIn } from './settingsFile';

const REQUEST_KINDS = ['call', 'read', 'get', 'complete', 'list'] as const;
type RequestKind = (typeof REQUEST_KINDS)[number];

export const isRequestKind = (word: string | undefined): word is RequestKind =>
  (REQUEST_KINDS as readonly (string | undefined)[]).includes(word);

export const REQUEST_USAGE = `  mcptest call     SERVER TOOL [name=value …] [--args JSON]
  mcptest read     SERVER URI
  mcptest get      SERVER PROMPT [name=value …]
  mcptest complete SERVER PROMPT|TEMPLATE ARGUMENT [VALUE] [name=value …]
  mcptest list     SERVER [tools|prompts|resources|resourceTemplates]

  Makes one request and prints its result as JSON. Exit code 1: it failed, or the tool reports an error.
  SERVER is a name from settings, a URL or a test file; in its place, a command can stand at the end: -- node server.js

  --settings file   where the name is looked for; default: .vscode/settings.json, .vscode/mcp.json, .mcp.json, mcp.json
  --header text     "Name: value" for a URL, more than once; \${env:NAME} in it is filled in
  --args JSON       the arguments of a tool as one object
  --verbose         prints what the server logs, to stderr
`;

const MAX_STDERR_LINE = 300;

/** Makes one request. @returns the exit code. @throws CommandLineError */
export async function requestOnce(kind: RequestKind, argv: readonly string[], signal: AbortSignal): Promise<number> {
  const { values, positionals, command } = readCommandLine(argv, {
    settings: { type: 'string' },
    header: { type: 'string', multiple: true },
    args: { type: 'string' },
    verbose: { type: 'boolean' },
  });
  const server = command ? undefined : positionals[0];
  const rest = command ? positionals : positionals.slice(1);
  // Errors in the request are reported before anything starts.
  const request = requestOf(kind, rest, values.args);
  const { settings, header = [] } = values;
  const definition = await wantedServer({ server, command, settings, headers: header });
  // No line is the server's alone: runners of workflows obey some.
  const onLog: Parameters<typeof makeOneRequest>[2]['onLog'] = ({ level, data }) => {
    const lines = visibleLines(typeof data === 'string' ? data : visibleJson(data)).split('\n');
    process.stderr.write(lines.map(line => `[${level}] ${line}\n`).join(''));
  };
  try {
    const { result, problem } = await withPorts(ports =>
      makeOneRequest(definition, request, { ports, signal, ...(values.verbose && { onLog }) }),
    );
    process.stdout.write(`${visibleJson(result)}\n`);
    if (problem) process.stderr.write(`MCP server "${definition.name}", ${kind} ${rest[0] ?? ''}: ${problem}\n`);
    return problem ? 1 : 0;
  } catch (error) {
    process.stderr.write(`${failureText(error, values.verbose === true)}\n`);
    return 1;
  }
}

/** What failed, and the last lines of a server that printed some: the remedies of the editor name its log, which is not here. */
function failureText(error: unknown, isVerbose: boolean): string {
  if (!(error instanceof HostError) || error.stderrTail.length === 0) return visible(messageOf(error, 2_000), 2_000);
  const { server, action, reason, stderrTail } = error;
  const what = visible(`MCP server "${server}" could not ${action}: ${reason}.`, 2_000);
  if (isVerbose) return `${what} Check its command and environment.`;
  const lines = stderrTail
    .map(line => visible(line, MAX_STDERR_LINE))
    .filter(line => !what.includes(`: ${line} (`))
    .map(line => `  stderr: ${line}`);
  return [`${what} Check its command and environment; --verbose prints all of its output.`, ...lines].join('\n');
}

/** Reads a command line, at whose end a command may stand: `… -- node server.js`. @throws CommandLineError */
export function readCommandLine<O extends NonNullable<ParseArgsConfig['options']>>(
  argv: readonly string[],
  options: O,
) {
  const end = argv.indexOf('--');
  const command = end < 0 ? undefined : argv.slice(end + 1);
  const args = end < 0 ? [...argv] : argv.slice(0, end);
  try {
    return { ...parseArgs({ args, options, allowPositionals: true as const }), command };
  } catch (error) {
    throw new CommandLineError(messageOf(error));
  }
}

function requestOf(kind: RequestKind, words: readonly string[], json: string | undefined): OneRequest {
  const [what, ...rest] = words;
  if (json !== undefined && kind !== 'call') throw new CommandLineError('--args is for "mcptest call".');
  if (kind === 'list') {
    if (what !== undefined && !isCatalogKind(what))
      throw new CommandLineError(
        `"${visible(what, 60)}" is no list: take ${CATALOG_KINDS.join(', ')}, or nothing for all.`,
      );
    none(rest);
    return { kind, lists: what === undefined ? CATALOG_KINDS : [what as CatalogKind] };
  }
  if (what === undefined) throw new CommandLineError(`"mcptest ${kind}" needs ${NEEDED[kind]} after the server.`);
  switch (kind) {
    case 'call':
      return { kind, tool: what, args: { ...jsonArguments(json), pairs: pairsOf(rest) } };
    case 'read':
      none(rest);
      return { kind, uri: what };
    case 'get':
      return { kind, prompt: what, args: Object.fromEntries(pairsOf(rest)) };
    case 'complete': {
      const [name, value = '', ...others] = rest;
      if (name === undefined) throw new CommandLineError(`"mcptest complete" needs ${NEEDED[kind]} after the server.`);
      // Names of prompts have neither.
      const isTemplate = /\{|:\/\//.test(what);
      const ref = isTemplate
        ? { type: 'ref/resource' as const, uri: what }
        : { type: 'ref/prompt' as const, name: what };
      const context = others.length > 0 ? { context: { arguments: Object.fromEntries(pairsOf(others)) } } : {};
      return { kind, params: { ref, argument: { name, value }, ...context } };
    }
  }
}

const NEEDED = {
  call: 'the name of a tool',
  read: 'a URI',
  get: 'the name of a prompt',
  complete: 'a prompt or template, and the name of its argument,',
};

const isCatalogKind = (word: string): boolean => (CATALOG_KINDS as readonly string[]).includes(word);

function none(words: readonly string[]): void {
  if (words[0] !== undefined) throw new CommandLineError(`"${visible(words[0], 60)}" is one word too many.`);
}

function jsonArguments(json: string | undefined): Pick<GivenArguments, 'json'> {
  if (json === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new CommandLineError(`--args is no JSON: ${messageOf(error, 200)}`);
  }
  if (!isObject(value)) throw new CommandLineError('--args has to be a JSON object, such as {"name":"plan"}.');
  return { json: value };
}

/** Where servers are looked for by name unless `--settings` says where. */
const SETTINGS_FILES = ['.vscode/settings.json', '.vscode/mcp.json', '.mcp.json', 'mcp.json'];
const MAX_NAMES = 20;

/** What is wrong with a command line, and how to write it. */
export class CommandLineError extends Error {}

/** The server of a command line: named, or started by `command`, which stood after `--`. */
interface WantedServer {
  readonly server: string | undefined;
  readonly command: readonly string[] | undefined;
  readonly settings: string | undefined;
  /** `Name: value`, for a URL. */
  readonly headers: readonly string[];
}

/** The server that a command line means: a command, a URL, a test file or an entry. @throws CommandLineError */
export async function wantedServer({ server, command, settings, headers }: WantedServer): Promise<ServerDefinition> {
  if (command) {
    const [program, ...args] = command;
    if (program === undefined) throw new CommandLineError('There is no command after "--".');
    if (server !== undefined)
      throw new CommandLineError(`Name the server "${visible(server, 60)}" or give its command after "--", not both.`);
    return written(visible(command.map(withoutFolder).join(' '), 60), { type: 'stdio', command: program, args });
  }
  if (server === undefined)
    throw new CommandLineError('Which server? Give a name from settings, a URL, a test file, or a command after "--".');
  if (/^(https?|unix):\/\//i.test(server))
    return written(visible(server, 100), { url: server, headers: headersOf(headers) });
  if (headers.length > 0) throw new CommandLineError('--header is for servers given by a URL.');
  if (TEST_FILE.test(server)) return ofTestFile(server, settings);
  return ofSettings(server, settings);
}

const withoutFolder = (word: string) => (isAbsolute(word) ? basename(word) : word);

/** An entry that is written on the command line; `${env:NAME}` in it is filled in, so that no secret has to stand there. */
function written(name: string, entry: object): ServerDefinition {
  const variables = variablesIn(process.cwd());
  const { definitions } = resolveDefinitions([{ source: { scope: 'workspace' }, value: { server: entry }, variables }]);
  return usable({ ...definitions[0]!, id: name, name });
}

/** @throws CommandLineError when it cannot be started without a person. */
function usable(definition: ServerDefinition): ServerDefinition {
  const { name, entry, inputs, problems } = definition;
  const [error] = problems.filter(({ severity }) => severity === 'error');
  if (!entry || error) {
    const why = error ? english(error.message) : 'it is not valid.';
    throw new CommandLineError(`MCP server "${name}" could not start: its entry cannot be used. ${why}`);
  }
  if (!inputs) return definition;
  throw new CommandLineError(
    `MCP server "${name}" could not start: it needs inputs of a person. Use \${env:NAME} in its entry in place of \${input:…}.`,
  );
}

function headersOf(headers: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    headers.map(header => {
      const [, name, value] = /^([^:\s]+):\s*(.*)/s.exec(header) ?? [];
      if (name === undefined || value === undefined)
        throw new CommandLineError(
          'A header is written --header "Name: value"; ${env:NAME} in the value is filled in.',
        );
      return [name, value];
    }),
  );
}

async function ofTestFile(path: string, settings: string | undefined): Promise<ServerDefinition> {
  const text = await readText(path).catch(error => {
    throw new CommandLineError(`The test file ${path} cannot be read: ${String((error as Error).message)}`);
  });
  const { file, problems } = readTestFile(text, path);
  if (file && typeof file.server === 'string') return ofSettings(file.server, settings);
  const tested = file && testedServer(resolve(path), file, () => undefined);
  if (tested && 'definition' in tested) return usable(tested.definition);
  const [problem] = tested?.problems ?? problems;
  const where = problem ? `:${problem.place.line + 1}: ${english(problem.message)}` : ' has no server';
  throw new CommandLineError(`${path}${where}`);
}

async function ofSettings(name: string, settings: string | undefined): Promise<ServerDefinition> {
  const file = settings ?? SETTINGS_FILES.find(path => existsSync(path));
  const asked = `MCP server "${visible(name, 60)}" could not start`;
  if (file === undefined) {
    const places = SETTINGS_FILES.join(', ');
    throw new CommandLineError(
      `${asked}: there is none of ${places} here. Say --settings <file>, a URL, or a command after "--".`,
    );
  }
  const definitions = await definitionsIn(file);
  const found = definitions.find(definition => definition.name === name);
  if (found) return usable(found);
  const names = definitions.slice(0, MAX_NAMES).map(one => visible(one.name, 60));
  const have = names.length > 0 ? `It has ${names.join(', ')}.` : 'It has no servers.';
  throw new CommandLineError(`${asked}: ${file} has no server of that name. ${have}`);
}

/** `name=value` on a command line. @throws CommandLineError for anything else. */
function pairsOf(given: readonly string[]): (readonly [string, string])[] {
  return given.map(text => {
    const pair = pairOf(text);
    if (!pair) throw new CommandLineError(`"${visible(text, 60)}" is no argument: write name=value.`);
    return pair;
  });
}

const MAX_ENV_FILE_BYTES = 1024 * 1024;

/** The rules of the organization, which hold on a machine without an editor, too. */
const organization = new Organization({
  places: managedPlaces(),
  watchMs: 0,
  editor: () => undefined,
  list: async () => [],
  admission: () => admission,
});

type Ports = Parameters<typeof runTests>[1]['ports'];

/** Runs something that starts servers. Their sandboxes are in a folder that is removed afterwards. */
export async function withPorts<T>(run: (ports: Ports) => Promise<T>): Promise<T> {
  const storage = mkdtempSync(join(tmpdir(), 'mcptest-'));
  try {
    return await run(mcptestPorts(storage));
  } finally {
    rmSync(storage, { recursive: true, force: true });
  }
}

/** The person who runs `mcptest` has typed what is to run: nothing is asked. @param storage of sandboxes */
const mcptestPorts = (storage: string): Ports => ({
  shellPath: async () => undefined,
  launch: new LaunchGate(
    { organization, trust: NO_CHECK, consent: NO_CHECK, inputs: NO_CHECK, scripts: NO_CHECK, last: NO_CHECK },
    name => readBounded(name, MAX_ENV_FILE_BYTES),
  ),
  sandbox: {
    // Only what an entry says of its sandbox counts, and what the organization demands.
    setting: () => organization.sandboxOf('off'),
    isDemanded: server => organization.confines(server),
    inheritsAll: () => false,
    isWatched: () => false,
    runsFreeOnce: () => false,
    granted: () => ({}),
    askHost: async () => false,
    limits: () => organization.limits,
    watch: () => () => {},
    storage,
    bridge: join(__dirname, 'sandbox-bridge.js'),
  },
});
