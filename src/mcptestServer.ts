import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, isAbsolute, resolve } from 'node:path';
import { english } from './base/phrase';
import { visible } from './base/text';
import { pairOf } from './features/authors/core/givenArguments';
import { readTestFile, readText, TEST_FILE } from './features/authors/core/readTestFile';
import { testedServer } from './features/authors/core/testServer';
import { resolveDefinitions } from './host';
import type { ServerDefinition } from './host/definition';
import { definitionsIn } from './settingsFile';

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

/**
 * The definition of the server that a command line means: a command, a URL, a test file, or an entry of a settings file.
 * @throws CommandLineError that names the server and the remedy.
 */
export async function wantedServer({ server, command, settings, headers }: WantedServer): Promise<ServerDefinition> {
  if (command) {
    const [program, ...args] = command;
    if (program === undefined) throw new CommandLineError('There is no command after "--".');
    if (server !== undefined)
      throw new CommandLineError(`Name the server "${visible(server, 60)}" or give its command after "--", not both.`);
    return written(visible(command.map(shortened).join(' '), 60), { type: 'stdio', command: program, args });
  }
  if (server === undefined)
    throw new CommandLineError('Which server? Give a name from settings, a URL, a test file, or a command after "--".');
  if (/^(https?|unix):\/\//i.test(server))
    return written(visible(server, 100), { url: server, headers: headersOf(headers) });
  if (headers.length > 0) throw new CommandLineError('--header is for servers given by a URL.');
  if (TEST_FILE.test(server)) return ofTestFile(server, settings);
  return ofSettings(server, settings);
}

/** A word of a command without the folder that it is in. */
const shortened = (word: string) => (isAbsolute(word) ? basename(word) : word);

/** An entry that is written on the command line; `${env:NAME}` in it is filled in, so that no secret has to stand there. */
function written(name: string, entry: object): ServerDefinition {
  const folder = process.cwd();
  const variables = {
    workspaceFolder: folder,
    workspaceFolders: [[basename(folder), folder]] as const,
    userHome: homedir(),
    env: (variable: string) => process.env[variable],
    config: () => undefined,
  };
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
      const [, name, value] = /^([^:\s]+):\s*(.*)$/s.exec(header) ?? [];
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
export function pairsOf(given: readonly string[]): (readonly [string, string])[] {
  return given.map(text => {
    const pair = pairOf(text);
    if (!pair) throw new CommandLineError(`"${visible(text, 60)}" is no argument: write name=value.`);
    return pair;
  });
}
