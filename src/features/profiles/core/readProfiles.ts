import { isObject } from '../../../base/json';
import { phrase } from '../../../base/phrase';
import { matches, visible } from '../../../base/text';
import type { SourceProblems } from '../../../host';
import type { DefinitionSource, ServerDefinition } from '../../../host/definition';
import { didYouMean, type Problem, SETTINGS_LIMITS } from '../../../host/settings';

/** A named set of servers and tools, as an entry of `mcpHost.profiles` has it. */
export interface Profile {
  readonly name: string;
  readonly source: DefinitionSource;
  readonly description?: string;
  /** Patterns of servers that are offered with all their tools. */
  readonly servers: readonly string[];
  /** Patterns of further tools: `server/tool`. */
  readonly tools: readonly string[];
  /** Pattern of the model that fits it: a hint. */
  readonly model?: string;
  /** The mode of chat that fits it: a hint. */
  readonly mode?: string;
  readonly startServers: boolean;
  readonly stopOthers: boolean;
}

export interface ConfiguredProfiles {
  readonly source: DefinitionSource;
  readonly value: unknown;
}

interface ReadProfiles {
  readonly profiles: readonly Profile[];
  readonly problems: readonly SourceProblems[];
}

type Patterns = Pick<Profile, 'servers' | 'tools'>;

type ServerName = Pick<ServerDefinition, 'id' | 'name'>;

/** Typed in chat to leave the profile that is in use. */
export const LEAVE = 'off';

const MAX_PROFILES = 100;
const MAX_PATTERNS = 200;
/** Of all profiles of a file: each is compared with each server. */
const MAX_ALL_PATTERNS = 2_000;
const MAX_HINTS = 50;
const MAX_TEXT = 300;
const MAX_NAME = 60;
/** More keys of a profile are not looked at for what they may be meant to be. */
const MAX_KEYS = 50;
const FIELDS = ['description', 'servers', 'tools', 'model', 'mode', 'startServers', 'stopOthers'] as const;
/** Characters with a meaning in other pattern languages; no tool has them in its name. */
const OTHER_WILDCARDS = /[?[\]{}!]/;

/**
 * Reads the profiles of all settings files, the person's own first: one of a workspace never takes the place of theirs. Never
 * throws: what is wrong becomes a problem, and the others are left alone.
 * @param servers every name that a server goes by; empty: not known yet.
 */
export function readProfiles(configured: readonly ConfiguredProfiles[], servers: readonly string[]): ReadProfiles {
  const profiles = new Map<string, Profile>();
  const problems: SourceProblems[] = [];
  for (const { source, value } of configured) {
    const found: Problem[] = [];
    const tell: Tell = (severity, path, message, onKey) => {
      if (found.length < SETTINGS_LIMITS.problems)
        found.push({ severity, setting: 'profiles', path: [...path], message, ...(onKey && { onKey: true }) });
      return [];
    };
    for (const profile of ofSource(source, value, servers, tell)) {
      if (!profiles.has(profile.name)) profiles.set(profile.name, profile);
      else {
        const message = phrase('Your user settings have a profile of this name, which is used instead.');
        tell('warning', [profile.name], message, true);
      }
    }
    problems.push({ source, problems: found });
  }
  return { profiles: [...profiles.values()], problems };
}

export function includesServer({ servers, tools }: Patterns, server: ServerName): boolean {
  const patterns = [...servers, ...tools.map(serverPart)];
  return patterns.some(pattern => namesOf(server).some(name => matches(pattern, name)));
}

export function includesTool({ servers, tools }: Patterns, server: ServerName, tool: string): boolean {
  const known = namesOf(server);
  return (
    servers.some(pattern => known.some(name => matches(pattern, name))) ||
    tools.some(
      pattern =>
        known.some(name => matches(serverPart(pattern), name)) &&
        matches(pattern.slice(pattern.indexOf('/') + 1), tool),
    )
  );
}

/** All that a profile does, as an entry of the setting: equal for equal profiles. */
export const entryOf = ({ name: _, source: __, ...entry }: Profile): object => entry;

export function findProfile(profiles: readonly Profile[], typed: string): Profile | undefined {
  const same = (name: string) => name.toLowerCase() === typed.toLowerCase();
  return profiles.find(({ name }) => name === typed) ?? profiles.find(({ name }) => same(name));
}

/** The servers that patterns are compared with. */
interface KnownServers {
  readonly names: readonly string[];
  /** How many more patterns may be, and for how many more a similar name is looked for. */
  patterns: number;
  hints: number;
}

/** Notes a problem. @returns nothing, in place of what has it. */
type Tell = (
  severity: Problem['severity'],
  path: readonly (string | number)[],
  message: Problem['message'],
  onKey?: true,
) => readonly never[];

function ofSource(
  source: DefinitionSource,
  value: unknown,
  servers: readonly string[],
  tell: Tell,
): readonly Profile[] {
  if (value === undefined) return [];
  if (!isObject(value))
    return tell('error', [], phrase('"mcpHost.profiles" must be an object with one key for each profile.'));
  const entries = Object.entries(value);
  if (entries.length > MAX_PROFILES)
    tell('error', [], phrase('There are too many profiles. Only the first {0} are used.', MAX_PROFILES));
  const known: KnownServers = { names: servers, patterns: MAX_ALL_PATTERNS, hints: MAX_HINTS };
  return entries.slice(0, MAX_PROFILES).flatMap(([name, raw]) => {
    const problem = nameProblem(name);
    if (problem) return tell('error', [name], problem, true);
    return ofEntry({ name, source }, raw, known, (severity, path, message, onKey) =>
      tell(severity, [name, ...path], message, onKey),
    );
  });
}

function nameProblem(name: string): Problem['message'] | undefined {
  if (name.toLowerCase() === LEAVE)
    return phrase('The name "{0}" is reserved for leaving a profile. Choose another name.', LEAVE);
  const isGood = name.trim() === name && name !== '' && name.length <= MAX_NAME && visible(name) === name;
  return isGood
    ? undefined
    : phrase(
        'A profile needs a name of 1 to {0} visible characters that does not start or end with a space.',
        MAX_NAME,
      );
}

function ofEntry(
  { name, source }: Pick<Profile, 'name' | 'source'>,
  raw: unknown,
  known: KnownServers,
  tell: Tell,
): readonly Profile[] {
  if (!isObject(raw))
    return tell('error', [], phrase('A profile is an object, such as {0}.', '{ "servers": ["github"] }'));
  for (const key of Object.keys(raw).slice(0, MAX_KEYS)) {
    if ((FIELDS as readonly string[]).includes(key)) continue;
    const meant = didYouMean(key, FIELDS);
    tell(
      'warning',
      [key],
      meant
        ? phrase('Profiles have no property "{0}". Did you mean "{1}"?', key, meant)
        : phrase('Profiles have no property "{0}".', key),
      true,
    );
  }
  const text = (key: 'description' | 'model' | 'mode') => {
    const value = raw[key];
    if (typeof value === 'string' && value.trim() !== '' && value.length <= MAX_TEXT) return { [key]: value.trim() };
    if (value !== undefined)
      tell('error', [key], phrase('"{0}" must be a text of at most {1} characters.', key, MAX_TEXT));
    return {};
  };
  const flag = (key: 'startServers' | 'stopOthers') => {
    const value = raw[key];
    if (value !== undefined && typeof value !== 'boolean')
      tell('error', [key], phrase('"{0}" must be true or false.', key));
    return value === true;
  };
  const patterns = (key: 'servers' | 'tools') => patternsOf(key, raw[key], known, tell);
  const profile: Profile = {
    name,
    source,
    ...text('description'),
    servers: patterns('servers'),
    tools: patterns('tools'),
    ...text('model'),
    ...text('mode'),
    startServers: flag('startServers'),
    stopOthers: flag('stopOthers'),
  };
  if (raw.servers === undefined && raw.tools === undefined)
    tell('warning', [], phrase('This profile names neither "servers" nor "tools", so it offers no tools.'), true);
  return [profile];
}

function patternsOf(key: 'servers' | 'tools', value: unknown, known: KnownServers, tell: Tell): readonly string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return tell('error', [key], phrase('"{0}" must be a list of patterns.', key));
  const most = Math.min(MAX_PATTERNS, known.patterns);
  if (value.length > most)
    tell('error', [key], phrase('There are too many patterns. Only the first {0} are used.', most));
  const few = value.slice(0, most);
  known.patterns -= few.length;
  return few.flatMap((pattern: unknown, at): readonly string[] => {
    const problem = patternProblem(key, pattern);
    if (problem) return tell('error', [key, at], problem);
    const doubt = patternDoubt(key, pattern as string, known);
    if (doubt) tell('warning', [key, at], doubt);
    return [pattern as string];
  });
}

function patternProblem(key: 'servers' | 'tools', pattern: unknown): Problem['message'] | undefined {
  if (typeof pattern !== 'string' || pattern.trim() === '' || pattern.length > MAX_TEXT)
    return phrase('A pattern must have 1 to {0} characters.', MAX_TEXT);
  const hasSlash = pattern.includes('/');
  if (key === 'servers' && hasSlash) return phrase('This names a tool. Move it to "tools".');
  if (key === 'tools' && !hasSlash) {
    return phrase(
      'A tool is named with its server, as in {0}. For all tools of a server, name it in "servers".',
      `${pattern}/*`,
    );
  }
  return pattern.endsWith('/') || pattern.startsWith('/')
    ? phrase('A pattern for tools is written as "server/tool".')
    : undefined;
}

/** Why a pattern is probably not what the person means. */
function patternDoubt(key: 'servers' | 'tools', pattern: string, known: KnownServers): Problem['message'] | undefined {
  const { names } = known;
  const server = key === 'tools' ? serverPart(pattern) : pattern;
  const isUnknown = names.length > 0 && !names.some(name => matches(server, name));
  const toolPart = key === 'tools' ? pattern.slice(server.length + 1) : '';
  if (OTHER_WILDCARDS.test(toolPart) || (isUnknown && OTHER_WILDCARDS.test(server)))
    return phrase('Only * is special in a pattern: it stands for any characters. All others stand for themselves.');
  if (!isUnknown) return undefined;
  const meant = known.hints-- > 0 ? didYouMean(server, names) : undefined;
  return meant
    ? phrase('No server is named "{0}". Did you mean "{1}"?', server, meant)
    : phrase('No server is named "{0}".', server);
}

const serverPart = (pattern: string) => pattern.slice(0, pattern.indexOf('/'));

const namesOf = ({ id, name }: ServerName) => (id === name ? [id] : [id, name]);
