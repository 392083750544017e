import { hasKnownToken, isCommonValue, isRandom, withoutKnownTokens } from '../../../base/secretWords';
import { parseUrl } from '../../../base/text';
import { Needles, type ServerConnection } from '../../../host';
import { isPackageProgram, MASK } from '../../../host/launch';
import type { ServerEntry } from '../../../host/settings';

/** The editor's part of a report, and what has to be removed from it. */
export interface ReportSurroundings {
  /** Lines such as `Extension: 0.1.0`. */
  readonly facts: readonly string[];
  readonly homeFolder: string;
  readonly workspaceFolders: readonly string[];
}

/** Takes out of a text what others are not to read. */
export type Scrub = (text: string) => string;

/** A package or an image: `@scope/name@1.2`, `ghcr.io/owner/name:tag`. */
const PACKAGE = /^@?[a-z\d][\w.-]*(\/[\w.-]+){0,3}([@:][\w.-]+)?$/i;
/** Shorter values stand in texts for other reasons: replacing them would only tell what they are. */
const MIN_VALUE = 4;

/**
 * For all texts of one server: its secrets, what looks like a token, every value of its variables and headers, and the
 * home folder and the folders of the workspace.
 */
export function scrubber(
  server: Pick<ServerConnection, 'redact' | 'definition'>,
  { homeFolder, workspaceFolders }: Pick<ReportSurroundings, 'homeFolder' | 'workspaceFolders'>,
): Scrub {
  const { entry } = server.definition;
  const values = valuesOf(entry)
    .flatMap(value => [value, ...value.split(/\s+/)])
    .filter(value => value.length >= MIN_VALUE);
  const places = [
    // A folder of the workspace may lie in the home folder: the longer ones go first.
    ...workspaceFolders.map(folder => [folder, '<workspace>'] as const),
    [homeFolder, '~'] as const,
  ];
  const replaced = [
    ...places.map(([path, word]) => [new Needles(writings(path).map(lowerCase)), word] as const),
    [new Needles(values.map(lowerCase)), MASK] as const,
  ];
  return text => replaceAnyCase(withoutKnownTokens(server.redact(text), MASK), replaced);
}

/** A server's settings as others may read them: names stay, values go. */
export function maskedEntry(entry: ServerEntry | undefined): Record<string, unknown> | undefined {
  if (!entry) return undefined;
  const { type, enabled, start, timeouts, logLevel } = entry;
  const common = { enabled, ...(start && { start }), timeouts, ...(logLevel && { logLevel }) };
  if (entry.type !== 'stdio') {
    const { url, headers, oauth } = entry;
    const address = parseUrl(url);
    const origin = address ? `${address.protocol}//${MASK}` : MASK;
    return { type, url: origin, headers: masked(headers), ...(oauth && { oauth: masked(oauth) }), ...common };
  }
  const { command, args, env, envFile, cwd } = entry;
  const program = command.split(/[\\/]/).at(-1)!;
  return {
    type,
    command: program === command ? command : `${MASK}/${program}`,
    args: maskedArguments(command, args),
    env: masked(env),
    ...(envFile !== undefined && { envFile: MASK }),
    ...(cwd !== undefined && { cwd: MASK }),
    ...common,
  };
}

/** Names of options stay, and the package that a program such as `npx` runs. */
function maskedArguments(command: string, args: readonly string[]): string[] {
  const first = isPackageProgram(command)
    ? args.findIndex(arg => !arg.startsWith('-') && !['run', 'exec', 'dlx'].includes(arg))
    : -1;
  return args.map((arg, index) => {
    const [, option] = /^(--?[a-z][\w-]{0,40})(=|$)/i.exec(arg) ?? [];
    // A short option may have its value attached, as in `-psecret`.
    if (option && !option.startsWith('--') && arg.length > 2) return arg.slice(0, 2) + MASK;
    if (option) return option === arg ? arg : `${option}=${MASK}`;
    if (['run', 'exec', 'dlx'].includes(arg)) return arg;
    const followsOption = args[index - 1]?.startsWith('--') === true;
    const isPackage = index === first && !followsOption && isPackageName(arg);
    return isPackage ? arg : MASK;
  });
}

/** A token may have the form of a package's name, but not its words. */
function isPackageName(text: string): boolean {
  return PACKAGE.test(text) && !hasKnownToken(text) && !text.split(/[@:/.-]/).some(isRandom);
}

function masked(values: object): Record<string, string> {
  return Object.fromEntries(Object.keys(values).map(name => [name, MASK]));
}

function valuesOf(entry: ServerEntry | undefined): string[] {
  if (!entry) return [];
  const values = Object.values(entry.type === 'stdio' ? entry.env : entry.headers);
  // An environment says `true` and `localhost` too: those stand everywhere.
  return values.filter(value => value !== null).filter(value => !isCommonValue(value) || /[\\/]/.test(value));
}

/** The spellings of a path in texts: plain, in JSON, with slashes, in a URI. */
function writings(path: string): string[] {
  if (path.length < MIN_VALUE) return [];
  const slashes = path.replaceAll('\\', '/');
  return [...new Set([path, slashes, JSON.stringify(path).slice(1, -1), encodeURI(slashes)])];
}

/** Replaces matches in any case; of overlapping ones, the longest decides the word. */
function replaceAnyCase(text: string, replaced: readonly (readonly [what: Needles, word: string])[]): string {
  const spans: { start: number; end: number; word: string }[] = [];
  const lower = lowerCase(text);
  for (const [what, word] of replaced) what.find(lower, (start, end) => spans.push({ start, end, word }));
  spans.sort((a, b) => a.start - b.start || b.end - a.end);
  const parts: string[] = [];
  let done = 0;
  for (let at = 0; at < spans.length; ) {
    let longest = spans[at]!;
    const { start } = longest;
    let { end } = spans[at++]!;
    for (; at < spans.length && spans[at]!.start < end; at++) {
      const next = spans[at]!;
      if (next.end - next.start > longest.end - longest.start) longest = next;
      end = Math.max(end, next.end);
    }
    parts.push(text.slice(done, start), longest.word);
    done = end;
  }
  return parts.join('') + text.slice(done);
}

/** Unit by unit where that changes how long a text is, so that places in it stay. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return Array.from({ length: text.length }, (_, n) => {
    const unit = text[n]!.toLowerCase();
    return unit.length === 1 ? unit : text[n]!;
  }).join('');
}
