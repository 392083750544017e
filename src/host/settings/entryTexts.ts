import { parseEnv } from 'node:util';
import { type Phrase, PhraseError, phrase } from '../../base/phrase';
import { isLoopback, parseUrl, percentDecoded, visible } from '../../base/text';

/** A run of text, quoted parts and `${variables}` with no space outside of them. */
const WORD = /(?:\$\{[^{}]*\}|"(?:\\"|[^"])*"|'[^']*'|\\[ "']|[^\s"'])+/g;
const PIECE = /\$\{[^{}]*\}|"((?:\\"|[^"])*)"|'([^']*)'|\\([ "'])/g;
/** `C:\Program Files\nodejs\npx.cmd -y foo`: the extension marks the end of the path. */
const WINDOWS_PROGRAM = /^([a-z]:\\[^"]*?\.(?:exe|cmd|bat|com))(?=\s|$)(.*)/is;
const STARTS_AS_PATH = /^(?:[/~.]|\$\{|[a-z]:[\\/]|\\\\)/i;

/**
 * Splits `npx -y "my package"` as a shell would, quotes honoured, into the program and its arguments. A backslash escapes
 * only a space or a quote, so that Windows paths survive. A single path that contains spaces stays whole, and so does text
 * whose quotes do not match.
 */
export function splitCommandLine(text: string): string[] {
  const command = text.trim();
  if (!/\s/.test(command)) return [command];
  const windows = WINDOWS_PROGRAM.exec(command);
  if (windows) return [windows[1]!, ...words(windows[2]!)];
  return isOnePath(command) ? [command] : words(command);
}

function words(text: string): string[] {
  const unmatched = text.replace(WORD, '').trim();
  if (unmatched) return [text]; // a quote without its pair
  const unquote = (all: string, double?: string, single?: string, escaped?: string) =>
    double?.replaceAll('\\"', '"') ?? single ?? escaped ?? all;
  return (text.match(WORD) ?? []).map(word => word.replace(PIECE, unquote));
}

/** `/Applications/My App/bin/x`, but not `/usr/bin/node -v`, `/usr/bin/node /srv/x.js` or `./run.sh x`. */
function isOnePath(command: string): boolean {
  const [first = '', ...rest] = command.replace(/\$\{[^{}]*\}/g, '$${}').split(/\s+/);
  return (
    STARTS_AS_PATH.test(first) &&
    !/["']/.test(command) &&
    rest.every(word => !STARTS_AS_PATH.test(word) && !word.startsWith('-')) &&
    /[\\/]/.test(rest.at(-1) ?? '/')
  );
}

const PORT = '${port}';

/** Whether a text of an entry has the port that is chosen when its program starts. */
export const hasPort = (text: string): boolean => text.includes(PORT);

/** With the port in each place that waits for it. */
export const withPort = (text: string, port: number): string => text.replaceAll(PORT, String(port));

/** Whether an address is one of HTTP, on this machine. */
export function isLocalAddress(url: string): boolean {
  const address = parseUrl(url);
  return address?.protocol === 'http:' && isLoopback(address) && !address.username && !address.password;
}

/** What shells take as it is: words, quoted texts, our variables. */
const PLAIN_LINE = /^(?:[\w \t@%+=:,./-]|\$\{[^{}]*\}|"(?:[^"\\$`!]|\$\{[^{}]*\})*"|'[^']*')+$/;
/** Text that has no special meaning for the shell of Windows, where a backslash belongs to paths and a single quote quotes nothing. */
const PLAIN_LINE_OF_WINDOWS = /^(?:[\w \t@+=:,./\\-]|\$\{[^{}]*\}|"(?:[^"$%!]|\$(?!\{)|\$\{[^{}]*\})*")+$/;
/** An assignment before the command, and commands that are a part of the shell. */
const OF_SHELL = /^\s*(?:\w+=|(?:\.|case|cd|command|eval|exec|export|for|if|set|source|while)\s)/;
const OF_WINDOWS_SHELL = /^\s*(?:echo|type)\s/i;

/** Whether a command line has a meaning for a shell alone: pipes, substitutions and the like. */
export function needsShell(line: string, platform = process.platform): boolean {
  const isWindows = platform === 'win32';
  if (!(isWindows ? PLAIN_LINE_OF_WINDOWS : PLAIN_LINE).test(line)) return true;
  return (isWindows ? OF_WINDOWS_SHELL : OF_SHELL).test(line);
}

/**
 * The program and the arguments of a command line that is written for a shell, which is left out where it would change
 * nothing: the program itself is then what is looked up, reviewed and compared with rules.
 */
export function helperCommand(line: string, platform = process.platform): { command: string; args: string[] } {
  if (needsShell(line, platform))
    return platform === 'win32'
      ? { command: 'cmd.exe', args: ['/d', '/s', '/c', line] }
      : { command: '/bin/sh', args: ['-c', line] };
  const [command = '', ...args] = words(line.trim());
  return { command, args };
}

/** An HTTP server without a port. */
interface SocketAddress {
  /** The path of a Unix socket, or the name of a Windows pipe. */
  path: string;
  /** The path of requests. */
  url: URL;
}

export const isSocket = (address: string): boolean => /^(unix|pipe):/i.test(address);

/**
 * Reads the address of a server on a socket, in the form of VS Code's `mcp.json`: `unix:///path/to/server.sock#/mcp`, or
 * `pipe:///pipe/name#/mcp` for a Windows named pipe. Undefined for any other address.
 */
export function socketOf(address: string, platform = process.platform): SocketAddress | undefined {
  if (!/^\w+:\/\/\/+[^/?#]/.test(address) || !isSocket(address) || !URL.canParse(address)) return undefined;
  const { protocol, pathname, search, hash } = new URL(address);
  const url = new URL(`http://localhost/${hash.replace(/^#\/*/, '')}${search}`);
  const path = percentDecoded(pathname);
  if (platform !== 'win32') return { path, url };
  return { path: protocol === 'pipe:' ? `\\\\.${path.replaceAll('/', '\\')}` : path.slice(1), url };
}

/**
 * Reads a `.env` file in the dialect of Node (`util.parseEnv`): `NAME=value`, quotes, comments, `export`, values of several
 * lines in quotes. Variables in values are not expanded. Other lines are skipped.
 * @throws PhraseError when there are more than an entry may have.
 */
export function parseEnvFile(text: string): Record<string, string> {
  const variables = parseEnv(text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')) as Record<string, string>;
  if (Object.keys(variables).length > MAX_VARIABLES)
    throw new PhraseError(phrase('it has more than {0} variables', MAX_VARIABLES));
  for (const [name, value] of Object.entries(variables))
    if (`${name}${value}`.includes('\0')) throw new PhraseError(hasNul(visible(name, 60)));
  return variables;
}

export const hasNul = (name: Phrase | string): Phrase =>
  phrase('{0} contains a NUL character, which no program accepts. Remove it.', name);

/** As many as an entry may have: they are reviewed, compared and kept in the same way. */
const MAX_VARIABLES = 2_000;
