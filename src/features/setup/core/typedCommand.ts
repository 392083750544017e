import { isShell } from '../../../host/launch';
import { splitCommandLine } from '../../../host/settings';
import { readPasted } from './hostDialects';
import { type DraftEntry, draftOf, fitName, type Json, nameOfPackage, type ServerDraft } from './serverDraft';

const ASSIGNMENT = /^([A-Za-z_]\w*)=(?!=)(.*)$/s;

/**
 * The server that a person starts by this line in a terminal, or adds by it to another host: with a prompt in front, lines
 * that go on behind a backslash, assignments (`KEY=value npx …`), `cd folder && …`, `claude mcp add …`. Variables of the
 * shell become ours. Undefined when the line says to add something that no server can be made of.
 */
export function commandDraft(line: string): ServerDraft | undefined {
  const joined = line
    .trim()
    .replace(/^[$>#%]\s+/, '')
    .replace(/(?<=\s)\\(\s*\n\s*|\s+|(?=-))/g, ' ')
    .replace(/(?<!\s)\s*\n\s*/g, ' ')
    // What is to be put there has spaces in it.
    .replace(/=(<[^<>"']*>)/g, '="$1"');
  const [, folder, rest] = /^cd\s+("[^"]+"|'[^']+'|\S+)\s*(?:&&|;)\s*(.+)/s.exec(joined) ?? [];
  const words = wordsOf(rest ?? joined);
  const added = addedElsewhere(words);
  if (added !== undefined) return added ?? undefined;
  const { env, command } = withoutAssignments(words);
  const [program = '', ...args] = command;
  if (program === '' || program.startsWith('-')) return undefined;
  const cwd = folder === undefined ? undefined : shellVariables(folder.replace(/^(["'])(.*)\1$/s, '$2'));
  return draftOf(entryOf(program, args, env, cwd));
}

function entryOf(program: string, args: readonly string[], env: Json, cwd?: string): DraftEntry {
  // In a script for a shell, what looks like its variables is its own.
  const keep = isShell(program) ? (text: string) => text : shellVariables;
  const mapped = Object.entries(env).map(([name, value]) => [name, shellVariables(String(value))]);
  return {
    command: keep(program),
    ...(args.length > 0 && { args: args.map(keep) }),
    ...(mapped.length > 0 && { env: Object.fromEntries(mapped) }),
    ...(cwd !== undefined && { cwd }),
  };
}

/** The words of a line. A single path with spaces in it stays whole, unless assignments stand before it. */
function wordsOf(line: string): string[] {
  return ASSIGNMENT.test(line.split(/\s/, 1)[0] ?? '') ? splitCommandLine(`env ${line}`) : splitCommandLine(line);
}

function withoutAssignments(words: readonly string[]): { env: Json; command: readonly string[] } {
  const start = words[0] === 'env' || words[0] === 'export' ? 1 : 0;
  const env: Json = {};
  let at = start;
  for (; at < words.length; at++) {
    const [, name, value] = ASSIGNMENT.exec(words[at]!) ?? [];
    if (name === undefined) break;
    env[name] = value;
  }
  // `env` with options is run as it is.
  return at > start ? { env, command: words.slice(words[at] === '&&' ? at + 1 : at) } : { env, command: words };
}

/** `$HOME`, `~/x`, `$(pwd)` and `$NAME` as a shell means them. */
function shellVariables(text: string): string {
  return text
    .replace(/^~(?=[\\/]|$)/, '${userHome}')
    .replace(/\$\(pwd\)|`pwd`|\$\{?PWD\}?(?!\w)/g, '${workspaceFolder}')
    .replace(/\$\{?HOME\}?(?!\w)/g, '${userHome}')
    .replace(
      /\$(?:\{([A-Z_][A-Z\d_]*)\}|([A-Z_][A-Z\d_]*))/g,
      (_, braced?: string, bare?: string) => `\${env:${braced ?? bare}}`,
    );
}

/** Hosts with a command that adds a server. */
const ADDS = /^(claude|codex|gemini|qwen|amp)$/;
const ADDRESS = /^https?:\/\//i;
const VALUES =
  /^(-t|--transport|-s|--scope|-e|--env|-H|--header|--url|--timeout|--client-id|--client-secret|--callback-port|--bearer-token-env-var|--description)$/;

/** The server that a command of another host adds. Null: it adds something else; undefined: it is no such command. */
function addedElsewhere(words: readonly string[]): ServerDraft | null | undefined {
  const [host = '', mcp, command] = words;
  if (/^(code|code-insiders|codium|cursor)$/.test(host) && mcp === '--add-mcp') return jsonServer(words[2] ?? '');
  if (!ADDS.test(host) || mcp !== 'mcp') return undefined;
  if (command === 'add-json') {
    const [name, json] = words.slice(3).filter(word => !word.startsWith('-'));
    const draft = jsonServer(json ?? '');
    return draft && name ? { ...draft, name: fitName(name) } : null;
  }
  return command === 'add' ? added(words.slice(3)) : null;
}

const jsonServer = (json: string): ServerDraft | null => readPasted(json)[0] ?? null;

function added(words: readonly string[]): ServerDraft | null {
  const [env, headers]: [Json, Json] = [{}, {}];
  const rest: string[] = [];
  let [type, url] = ['http', ''];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    // What comes after the name and the program belongs to the program.
    if (word === '--' || (rest.length >= 2 && !ADDRESS.test(rest[1]!))) {
      rest.push(...words.slice(word === '--' ? at + 1 : at));
      break;
    }
    const [, option = word, attached] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
    if (!option.startsWith('-')) {
      rest.push(word);
      continue;
    }
    if (!VALUES.test(option)) continue;
    const value = attached ?? words[++at] ?? '';
    if (option === '-t' || option === '--transport') type = value === 'sse' ? 'sse' : 'http';
    if (option === '--url') url = value;
    if (option === '-H' || option === '--header') {
      const [, name, text = ''] = /^([^:]+):\s*(.*)/s.exec(value) ?? [];
      if (name) headers[name.trim()] = shellVariables(text);
    }
    if (option !== '-e' && option !== '--env') continue;
    // It takes several.
    for (
      let pair = ASSIGNMENT.exec(value);
      pair;
      pair = ASSIGNMENT.exec(words[at + 1] ?? '') && ASSIGNMENT.exec(words[++at]!)
    ) {
      env[pair[1]!] = pair[2];
    }
  }
  const [name = '', program = url, ...args] = rest;
  if (name === '' || program === '') return null;
  const isAddress = url !== '' || ADDRESS.test(program);
  const entry: DraftEntry = isAddress
    ? { type, url: program, ...(Object.keys(headers).length > 0 && { headers }) }
    : entryOf(program, args, env);
  return draftOf(entry, name);
}

/** A package of npm (`name` or `name@version`), run by `npx`. */
export function npmDraft(specifier: string): ServerDraft {
  return draftOf({ command: 'npx', args: ['-y', specifier] }, nameOfPackage(specifier));
}

/** A Python package (`name`, `name@version` or `name==version`), run by `uvx`. */
export function pythonDraft(specifier: string): ServerDraft {
  return draftOf({ command: 'uvx', args: [specifier.replace(/==(?=[\w.]+$)/, '@')] }, nameOfPackage(specifier));
}

/** A container image, run by Docker. It talks over stdin, which `-i` keeps open. */
export function imageDraft(image: string): ServerDraft {
  return draftOf({ command: 'docker', args: ['run', '-i', '--rm', image] }, nameOfPackage(image));
}

/** A server at an address. One that speaks only the older HTTP+SSE is found out when it is connected. */
export const addressDraft = (url: string): ServerDraft => draftOf({ type: 'http', url });
