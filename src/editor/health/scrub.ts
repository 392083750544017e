import type { ServerConnection, ServerEntry } from '../../host';
import { isCommonValue, isRandom, KNOWN_TOKEN } from '../../host/settings/secretWords';
import { MASK } from '../../host/shownValues';
import type { ReportSurroundings } from './report';

/** Takes out of a text what others are not to read. */
export type Scrub = (text: string) => string;

const RUNNERS = /(^|[\\/])(npx|uvx|bunx|pnpm|yarn|npm|uv|docker|podman|deno|pipx)(\.cmd|\.exe)?$/i;
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
    ...places.flatMap(([path, word]) => writings(path).map(text => [text, word] as const)),
    ...values.map(value => [value, MASK] as const),
  ].sort(([a], [b]) => b.length - a.length);
  const token = new RegExp(KNOWN_TOKEN, 'g');
  return text => {
    let clean = server.redact(text).replace(token, MASK);
    for (const [what, word] of replaced) clean = replaceAnyCase(clean, what, word);
    return clean;
  };
}

/** What settings say of a server, as far as others may read it: names stay, values go. */
export function maskedEntry(entry: ServerEntry | undefined): Record<string, unknown> | undefined {
  if (!entry) return undefined;
  const { type, enabled, start, timeouts, logLevel } = entry;
  const common = { enabled, ...(start && { start }), timeouts, ...(logLevel && { logLevel }) };
  if (entry.type !== 'stdio') {
    const { url, headers, oauth } = entry;
    const origin = URL.canParse(url) ? `${new URL(url).protocol}//${MASK}` : MASK;
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
  const first = RUNNERS.test(command)
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
  return PACKAGE.test(text) && !KNOWN_TOKEN.test(text) && !text.split(/[@:/.-]/).some(isRandom);
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

/** How a path stands in texts: as it is, in JSON, with slashes, in a URI. */
function writings(path: string): string[] {
  if (path.length < MIN_VALUE) return [];
  const slashes = path.replaceAll('\\', '/');
  return [...new Set([path, slashes, JSON.stringify(path).slice(1, -1), encodeURI(slashes)])];
}

function replaceAnyCase(text: string, what: string, word: string): string {
  return text.replace(new RegExp(what.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'gi'), () => word);
}
