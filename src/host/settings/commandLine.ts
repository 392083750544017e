/** A run of text, quoted parts and `${variables}` with no space outside of them. */
const WORD = /(?:\$\{[^{}]*\}|"(?:\\"|[^"])*"|'[^']*'|\\[ "']|[^\s"'])+/g;
const PIECE = /\$\{[^{}]*\}|"((?:\\"|[^"])*)"|'([^']*)'|\\([ "'])/g;
/** `C:\Program Files\nodejs\npx.cmd -y foo`: the extension marks the end of the path. */
const WINDOWS_PROGRAM = /^([a-z]:\\[^"]*?\.(?:exe|cmd|bat|com))(?:\s+(.*))?$/is;
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
  if (windows) return [windows[1]!, ...words(windows[2] ?? '')];
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
