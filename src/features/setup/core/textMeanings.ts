import { messageOf } from '../../../base/errors';
import { isObject, nestsTooDeeply, parsedJson } from '../../../base/json';
import { type Phrase, type PhraseError, phrase } from '../../../base/phrase';
import { percentDecoded } from '../../../base/text';
import { isPackageProgram, knownProgram, languageOf, programName } from '../../../host/launch';
import { socketOf, splitCommandLine } from '../../../host/settings';
import { dialectOf, readContent, readPasted, readServers } from './hostDialects';
import { type Json, nameOfPackage, type ServerDraft } from './serverDraft';
import { addressDraft, commandDraft, imageDraft, npmDraft, pythonDraft } from './typedCommand';

export type DraftKind = 'url' | 'command' | 'npm' | 'python' | 'image' | 'json' | 'link';

export type Meaning =
  | { readonly kind: DraftKind; readonly draft: ServerDraft }
  | { readonly kind: 'several'; readonly drafts: readonly ServerDraft[] }
  | { readonly kind: 'registry'; readonly query: string }
  | { readonly kind: 'bundle'; readonly place: string }
  /** It is no server yet, and cannot be anything else. */
  | { readonly kind: 'unreadable'; readonly why: Phrase | string };

const NO_SERVER = phrase('No MCP server in a known format was found in this text.');
const MAX_LINE = 20_000;
/** Beside those that fetch packages, Node and Python. Not everything that is known: a person may look for a server called `time`. */
const PROGRAM = /^(tsx|java|ruby|php|env|cmd|sh|bash|wsl|claude|codex|gemini|code|export|cd)(\.(exe|cmd|bat))?$/i;
/** Words before the package or script of a program. */
const BEFORE = /^(-.*|run|exec|dlx|tool|x)$/;
const NPM = /^(@[a-z\d~-][\w.~-]*\/)?[a-z\d~-][\w.~-]*(@[\w.^~*-]+)?$/i;
const PYPI = /^[a-z\d]([\w.-]*[a-z\d])?(\[[\w,.-]+\])?((==|@)[\w.]+)?$/i;
const IMAGE = /^([\w-]+(\.[\w-]+)+(:\d+)?\/|[a-z\d][\w-]*\/)([\w.-]+\/)*[a-z\d][\w.-]*(:[\w.-]+|@sha256:[a-f\d]+)?$/;
/** What makes a word the name of a package: a version, or that it says it is of MCP. */
const PACKAGE = /[@[]|==|(^|[-_.])mcp([-_.]|$)/i;
/** Terminal commands that install a package. */
const INSTALL: readonly [RegExp, (of: string) => ServerDraft, DraftKind][] = [
  [/^(?:npm|pnpm|yarn|bun)\s+(?:i|install|add)\s+(?:global\s+|-\S+\s+)*([^\s-]\S*)$/, npmDraft, 'npm'],
  [/^(?:uv\s+|python3?\s+-m\s+)?(?:pip3?|pipx|tool)\s+install\s+(?:-\S+\s+)*([^\s-]\S*)$/, pythonDraft, 'python'],
  [/^(?:docker|podman)\s+pull\s+([^\s-]\S*)$/, imageDraft, 'image'],
];
/** Pages about a package, which are no servers. */
const PAGES: readonly [RegExp, (of: string) => ServerDraft, DraftKind][] = [
  [/^https?:\/\/(?:www\.)?npmjs\.com\/package\/((?:@[\w.-]+\/)?[\w.-]+)/i, npmDraft, 'npm'],
  [/^https?:\/\/(?:www\.)?pypi\.org\/project\/([\w.-]+)/i, pythonDraft, 'python'],
  [/^https?:\/\/hub\.docker\.com\/r\/([\w.-]+\/[\w.-]+)/i, imageDraft, 'image'],
  [/^https?:\/\/hub\.docker\.com\/mcp\/server\/([\w.-]+)/i, name => imageDraft(`mcp/${name}`), 'image'],
];

/** What a text may mean, the likeliest first, by reading alone. Empty only for an empty text. */
export function meaningsOf(text: string): Meaning[] {
  const trimmed = text.trim();
  if (trimmed === '') return [];
  const line = unquoted(trimmed);
  const linked = serverInLink(line);
  if (linked) return [{ kind: 'link', draft: split(linked) }];
  const isPath = /^([\\/]|[A-Za-z]:[\\/])[^\n"]*$/.test(line);
  const isAddress = /^https?:\/\/\S+$/i.test(line) && URL.canParse(line);
  if ((isPath || isAddress) && isBundle(line)) return [{ kind: 'bundle', place: line }];
  const read = fromSettings(trimmed);
  if (read) return read;
  if (trimmed.length > MAX_LINE) return [{ kind: 'unreadable', why: NO_SERVER }];
  const installed = namedBy(INSTALL, line);
  return fromAddress(line) ?? (installed ? [installed] : fromWords(line));
}

/** With a whole command line in `command` split as settings split it. */
function split(draft: ServerDraft): ServerDraft {
  const { command, args } = draft.entry;
  if (typeof command !== 'string' || args !== undefined) return draft;
  const [program, ...rest] = splitCommandLine(command);
  return rest.length === 0 ? draft : { ...draft, entry: { ...draft.entry, command: program, args: rest } };
}

/** JSON or YAML of any host. Undefined when it is something else. */
function fromSettings(text: string): Meaning[] | undefined {
  if (!/[{\n]/.test(text)) return undefined;
  const drafts = isCommand(text) ? [] : readPasted(text).map(split);
  if (drafts.length === 1) return [{ kind: 'json', draft: drafts[0]! }];
  if (drafts.length > 1) return [{ kind: 'several', drafts }];
  if (!/^([{[]|"[^"\n]*"\s?:)/.test(text)) return undefined;
  try {
    readContent(text.startsWith('"') ? `{${text}}` : text);
    return [{ kind: 'unreadable', why: NO_SERVER }];
  } catch (error) {
    return [
      {
        kind: 'unreadable',
        why: phrase('This JSON cannot be read: {0}.', (error as Partial<PhraseError>).phrase ?? messageOf(error)),
      },
    ];
  }
}

function fromAddress(line: string): Meaning[] | undefined {
  if (/\s/.test(line)) return undefined;
  const page = namedBy(PAGES, line);
  if (page) return [page, { kind: 'url', draft: addressDraft(line) }];
  const [, repository] = /^https?:\/\/(?:www\.)?git(?:hub|lab)\.com\/([\w.-]+\/[\w.-]+)/i.exec(line) ?? [];
  if (repository !== undefined) {
    return [
      { kind: 'registry', query: nameOfPackage(repository.replace(/\.git$/, '')) },
      { kind: 'url', draft: addressDraft(line) },
    ];
  }
  if ((/^https?:\/\/./i.test(line) || socketOf(line)) && URL.canParse(line))
    return [{ kind: 'url', draft: addressDraft(line) }];
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(line))
    return [{ kind: 'unreadable', why: phrase('Enter an address that starts with https:// or http://.') }];
  // Without its scheme: with a port or a path behind a name of the network.
  const [, host] = /^((?:[\w-]+\.)+[a-z]{2,}|localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:[/?#]\S*)?$/i.exec(line) ?? [];
  if (host === undefined || !/[:/]/.test(line.slice(host.length))) return undefined;
  const isHere = /^(localhost|127\.0\.0\.1|\[::1\])$/i.test(host);
  const url = `${isHere ? 'http' : 'https'}://${line}`;
  if (!URL.canParse(url)) return undefined;
  const image: Meaning[] = IMAGE.test(line) && !isHere ? [{ kind: 'image', draft: imageDraft(line) }] : [];
  const address: Meaning = { kind: 'url', draft: addressDraft(url) };
  // Registries of images have names of their own, and what is in them has no `/mcp` at its end.
  return /^(ghcr|docker|quay|gcr|registry|public\.ecr)\b/i.test(line) ? [...image, address] : [address, ...image];
}

/** The package that a line names in one of these ways. */
function namedBy(ways: typeof PAGES, line: string): Meaning | undefined {
  for (const [way, draftOf, kind] of ways) {
    const [, name] = way.exec(line) ?? [];
    if (name !== undefined) return { kind, draft: draftOf(name) };
  }
  return undefined;
}

function fromWords(line: string): Meaning[] {
  const typed = commandDraft(line);
  const command: Meaning[] = typed ? [{ kind: typed.entry.url === undefined ? 'command' : 'url', draft: typed }] : [];
  const registry: Meaning = { kind: 'registry', query: line };
  if (isUnfinished(line))
    return [{ kind: 'unreadable', why: phrase('Add what it should run: a package, an image or a script.') }];
  if (command.length > 0 && isCommand(line)) return command;
  // With an option it is a command line, whatever its program is.
  if (/\s/.test(line)) return /\s--?\w/.test(line) ? [...command, registry] : [registry, ...command];
  const npm: Meaning[] = NPM.test(line) ? [{ kind: 'npm', draft: npmDraft(line) }] : [];
  const python: Meaning[] = PYPI.test(line) ? [{ kind: 'python', draft: pythonDraft(line) }] : [];
  const image: Meaning[] = IMAGE.test(line) ? [{ kind: 'image', draft: imageDraft(line) }] : [];
  if (line.startsWith('@')) return [...npm, registry, ...command];
  if (image.length > 0) return [...image, registry, ...command];
  // Packages of Python that are servers are mostly called so.
  const isPython = /==|\[|_|^mcp-server-/.test(line);
  const packages = isPython ? [...python, ...npm] : [...npm, ...python];
  // Words with a hyphen are searched for, too: Enter must not lead to a package that only happens to have that name.
  return PACKAGE.test(line) ? [...packages, registry, ...command] : [registry, ...command, ...packages];
}

/** Whether a line begins as one for a terminal does: with a program that is known, a path or an assignment. */
function isCommand(line: string): boolean {
  const [first = '', ...rest] = line.replace(/^[$>#%]\s+/, '').split(/\s+/, 3);
  if (/^(\.{0,2}[\\/]|~[\\/]|[A-Za-z]:[\\/]|"[A-Za-z]:|"?\/|[A-Za-z_]\w*=(?!=))/.test(first)) return true;
  return rest.length > 0 ? runsOthers(first) || PROGRAM.test(first) : fetchesAny(first);
}

/** A program that runs another, and nothing that it would run. */
function isUnfinished(line: string): boolean {
  const [first = '', ...rest] = line.split(/\s+/);
  return rest.every(word => BEFORE.test(word)) && (rest.length > 0 ? runsOthers(first) : fetchesAny(first));
}

const runsOthers = (word: string) => isPackageProgram(word) || languageOf(word) !== undefined;

/** Whether a program does nothing but fetch and run what it is given. */
const fetchesAny = (word: string) =>
  knownProgram(programName(word))?.fetches.some(([command]) => command === '') === true;

/** Without the quotes, backticks or angle brackets that it was copied with. */
const unquoted = (text: string) =>
  /^(?:"([^"]*)"|'([^']*)'|`([^`]*)`|<([^<>]*)>)$/s
    .exec(text)
    ?.slice(1)
    .find(inner => inner !== undefined)
    ?.trim() ?? text;

const MAX_DEPTH = 3;

/** The server in an install link of another host or its web pages. Undefined for other links. Fetches nothing. */
function serverInLink(link: string, depth = 0): ServerDraft | undefined {
  if (depth > MAX_DEPTH || !URL.canParse(link)) return undefined;
  const url = new URL(link);
  const { searchParams: query } = url;
  if (!/(^|\/)(mcp\/install|install-mcp|add_mcp|redirect)\b/.test(`${url.hostname}${url.pathname}`)) return undefined;
  const inner = query.get('url');
  if (inner !== null && !query.has('config')) return serverInLink(inner, depth + 1);
  const linked = jsonOf(query.get('config') ?? percentDecoded(url.search.slice(1)));
  if (!isObject(linked)) return undefined;
  const server = withoutNullArguments(linked);
  const name = query.get('name') ?? (typeof server.name === 'string' ? server.name : '');
  const inputs = jsonOf(query.get('inputs') ?? '') ?? server.inputs;
  // Without a name it is one of a list, and gets its name from what it runs.
  const content = name === '' ? { mcpServers: [server] } : { servers: { [name]: server }, inputs };
  return readServers(content, dialectOf(JSON.stringify(server)))[0];
}

/** Makers of links write null for an argument that nobody filled in. */
const withoutNullArguments = (server: Json): Json =>
  Array.isArray(server.args) ? { ...server, args: server.args.filter(arg => arg !== null) } : server;

function jsonOf(text: string): Json | unknown[] | undefined {
  const values = [text, Buffer.from(text, 'base64').toString('utf8')].map(one =>
    nestsTooDeeply(one) ? undefined : parsedJson(one),
  );
  return values.find((value): value is Json => typeof value === 'object' && value !== null);
}

/** What a link puts into the box: `text=…`, or `name=…&config=…` with the entry as JSON or in base64. */
export function textOfLink(query: string): string {
  const [, text] = /^text=(.*)$/s.exec(query) ?? [];
  if (text !== undefined) return text;
  const [, before = '', rest = ''] = /^(.*?)&?\bconfig=(.*)$/s.exec(query) ?? [];
  const [, config = rest, after = ''] = /^(.*)&(name=[^&]*)$/s.exec(rest) ?? [];
  const name = new URLSearchParams(before).get('name') ?? new URLSearchParams(after).get('name') ?? 'server';
  const server = jsonOf(config) ?? jsonOf(config.replaceAll(' ', '+'));
  return isObject(server) ? JSON.stringify({ servers: { [name]: withoutNullArguments(server) } }) : config;
}

/** Whether a path or an address ends like that of a bundle. */
export const isBundle = (place: string): boolean => /\.(mcpb|dxt)$/i.test(place.replace(/[?#].*/s, ''));
