import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { HostError, messageOf } from './base/errors';
import { isObject } from './base/json';
import { visible, visibleJson, visibleLines } from './base/text';
import type { GivenArguments } from './features/authors/core/givenArguments';
import { makeOneRequest, type OneRequest } from './features/authors/core/oneRequest';
import { CATALOG_KINDS, type CatalogKind } from './host/catalog';
import { mcptestPorts } from './mcptestPorts';
import { CommandLineError, pairsOf, wantedServer } from './mcptestServer';

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
  const end = argv.indexOf('--');
  const command = end < 0 ? undefined : argv.slice(end + 1);
  const { values, positionals } = parsed(end < 0 ? argv : argv.slice(0, end));
  const server = command ? undefined : positionals[0];
  const rest = command ? positionals : positionals.slice(1);
  // What is wrong with the request is said before anything starts.
  const request = requestOf(kind, rest, values.args);
  const { settings, header = [] } = values;
  const definition = await wantedServer({ server, command, settings, headers: header });
  const storage = mkdtempSync(join(tmpdir(), 'mcptest-'));
  try {
    const { result, problem } = await makeOneRequest(definition, request, {
      ports: mcptestPorts(storage),
      signal,
      ...(values.verbose && {
        onLog: ({ level, data }) =>
          void process.stderr.write(
            `[${level}] ${visibleLines(typeof data === 'string' ? data : visibleJson(data))}\n`,
          ),
      }),
    });
    process.stdout.write(`${visibleJson(result)}\n`);
    if (problem) process.stderr.write(`MCP server "${definition.name}", ${kind} ${rest[0] ?? ''}: ${problem}\n`);
    return problem ? 1 : 0;
  } catch (error) {
    process.stderr.write(`${failureText(error, values.verbose === true)}\n`);
    return 1;
  } finally {
    rmSync(storage, { recursive: true, force: true });
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
    .filter(line => !what.endsWith(`: ${line}.`))
    .map(line => `  stderr: ${line}`);
  return [`${what} Check its command and environment; --verbose prints all of its output.`, ...lines].join('\n');
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        settings: { type: 'string' },
        header: { type: 'string', multiple: true },
        args: { type: 'string' },
        verbose: { type: 'boolean' },
      },
      allowPositionals: true,
    });
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
