import { isDeeper, isObject, objectsOf, ownMember, parsedJson, stringsOf } from '../../../base/json';
import { type Phrase, phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { commandLine } from '../../../host/launch';
import { BundleError } from './bundleError';

/** The versions of MANIFEST.md that are understood: they differ only by what may be left out. */
const VERSIONS = ['0.1', '0.2', '0.3', '0.4'];
const SERVER_TYPES = ['node', 'python', 'binary', 'uv'] as const;
const CONFIG_TYPES = ['string', 'number', 'boolean', 'directory', 'file'] as const;
const MAX_CONFIGS = 100;
const MAX_WORDS = 1_000;
/** More than any honest manifest has: what shows all of it calls itself for each. */
const MAX_LEVELS = 100;

type ServerType = (typeof SERVER_TYPES)[number];

export interface BundleLaunch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A value that the person is asked for. */
export interface ConfigOption {
  readonly key: string;
  readonly type: (typeof CONFIG_TYPES)[number];
  readonly title: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly isMultiple: boolean;
  readonly isSensitive: boolean;
  readonly byDefault: unknown;
  readonly min: number | undefined;
  readonly max: number | undefined;
}

/** What is used of a bundle's manifest. The rest is only shown. */
export interface BundleManifest {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly author: string;
  readonly type: ServerType;
  readonly entryPoint: string;
  /** Without the changes for other systems. Undefined: as is usual for its type. */
  readonly launch: BundleLaunch | undefined;
  readonly options: readonly ConfigOption[];
  /** The systems on which it runs; empty: all. */
  readonly platforms: readonly string[];
  readonly toolNames: readonly string[];
  /** All of it, as it is written. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** Reads `manifest.json` of a bundle. @param text as the file has it. @throws BundleError with the code MANIFEST. */
export function readManifest(text: string, platform: NodeJS.Platform = process.platform): BundleManifest {
  const json = parse(text);
  // `dxt_version` of the time when bundles were desktop extensions.
  const version = json.manifest_version ?? json.dxt_version;
  if (typeof version !== 'string' || !VERSIONS.includes(version)) {
    throw wrong(phrase('its manifest has the version {0}, and {1} are known', shown(version), VERSIONS.join(', ')));
  }
  const author = isObject(json.author) ? json.author : {};
  const server = isObject(json.server) ? json.server : {};
  const type = SERVER_TYPES.find(one => one === server.type);
  if (!type)
    throw wrong(
      phrase('the type of its server is {0}, and {1} are known', shown(server.type), 'node, python, binary, uv'),
    );
  const launch = launchOf(server.mcp_config, platform);
  if (!launch && type !== 'uv') throw missing('server.mcp_config');
  const name = needed(json.name, 'name');
  return {
    name,
    title: word(json.display_name) || name,
    version: needed(json.version, 'version'),
    description: word(json.description),
    author: needed(author.name, 'author.name'),
    type,
    entryPoint: needed(server.entry_point, 'server.entry_point').replace(/^\.\//, ''),
    launch,
    options: optionsOf(json.user_config),
    platforms: isObject(json.compatibility) ? stringsOf(json.compatibility.platforms) : [],
    toolNames: stringsOf(objectsOf(json.tools).map(({ name }) => name)),
    json,
  };
}

function parse(text: string): Record<string, unknown> {
  const json = parsedJson(text.replace(/^\ufeff/, ''));
  if (!isObject(json)) throw wrong(phrase('its manifest.json is not JSON'));
  if (isDeeper(json, MAX_LEVELS)) throw wrong(phrase('this is nested too deeply'));
  return json;
}

function launchOf(config: unknown, platform: NodeJS.Platform): BundleLaunch | undefined {
  if (!isObject(config)) return undefined;
  const own = ownMember(config.platform_overrides, platform);
  // Each field of the system's own takes the place of the other, as in the official tool.
  const { command, args, env } = { ...config, ...(isObject(own) ? own : {}) };
  const variables = isObject(env) ? env : {};
  return {
    command: needed(command, 'server.mcp_config.command'),
    args: texts(args, 'server.mcp_config.args'),
    env: Object.fromEntries(
      Object.entries(variables).map(([name, value]) => {
        if (typeof value !== 'string' || !/^[^=\0]+$/.test(name)) throw missing('server.mcp_config.env');
        return [name, value];
      }),
    ),
  };
}

function optionsOf(config: unknown): ConfigOption[] {
  if (config === undefined || config === null) return [];
  if (!isObject(config) || Object.keys(config).length > MAX_CONFIGS) throw missing('user_config');
  return Object.entries(config).map(([key, option]) => {
    const type = isObject(option) ? CONFIG_TYPES.find(one => one === option.type) : undefined;
    if (!isObject(option) || !type || !/^[\w.-]{1,100}$/.test(key) || key === '__proto__')
      throw missing(`user_config.${key}`);
    const isText = type !== 'number' && type !== 'boolean';
    return {
      key,
      type,
      title: word(option.title) || key,
      description: word(option.description),
      isRequired: option.required === true,
      isMultiple: isText && option.multiple === true && option.sensitive !== true,
      isSensitive: type === 'string' && option.sensitive === true,
      byDefault: option.default ?? undefined,
      min: typeof option.min === 'number' ? option.min : undefined,
      max: typeof option.max === 'number' ? option.max : undefined,
    };
  });
}

function texts(value: unknown, path: string): string[] {
  if (value === undefined || value === null) return [];
  const isList = Array.isArray(value) && value.length <= MAX_WORDS && value.every(one => typeof one === 'string');
  if (!isList) throw missing(path);
  return value as string[];
}

const word = (value: unknown) => (typeof value === 'string' ? value.trim() : '');

function needed(value: unknown, path: string): string {
  const text = word(value);
  if (text === '' || text.includes('\0')) throw missing(path);
  return text;
}

const shown = (value: unknown) => visible(JSON.stringify(value) ?? '?', 40);
const missing = (path: string) => wrong(phrase('"{0}" of its manifest is missing or is not valid', visible(path, 100)));
const wrong = (reason: ReturnType<typeof phrase>) => new BundleError('MANIFEST', reason);

type ComparedManifest = Pick<BundleManifest, 'launch' | 'options' | 'toolNames'>;

/** How a program is started, with the variables of the manifest as they stand there. */
export function launchLine({ command, args }: BundleLaunch): string {
  const marked = (text: string) => text.replace(/\$(?=\{)/g, '\0');
  return commandLine(marked(command), args.map(marked));
}

/** What a new version of a bundle runs, asks for and names differently from the installed one. Not its files. */
export function manifestChanges(before: ComparedManifest, after: ComparedManifest): Phrase[] {
  const [ran, runs] = [before, after].map(({ launch }) => (launch ? launchLine(launch) : 'uv'));
  return [
    ...(ran === runs ? [] : [phrase('Runs {0}, formerly {1}', visible(runs!, 300), visible(ran!, 300))]),
    ...differences(variables(before.launch), variables(after.launch), {
      added: names => phrase('Also sets: {0}', names),
      removed: names => phrase('No longer sets: {0}', names),
    }),
    ...differences(before.options.map(asked), after.options.map(asked), {
      added: names => phrase('Also asks for: {0}', names),
      removed: names => phrase('No longer asks for: {0}', names),
    }),
    ...differences(before.toolNames, after.toolNames, {
      added: names => phrase('New tools: {0}', names),
      removed: names => phrase('Tools that are gone: {0}', names),
    }),
  ];
}

/** Whether both versions are numbers with points, and the first is the lower one. */
export function isOlder(version: string, than: string): boolean {
  if (![version, than].every(text => /^\d+(\.\d+)*$/.test(text))) return false;
  const [one, other] = [version, than].map(text => text.split('.').map(Number)) as [number[], number[]];
  const at = other.findIndex((number, index) => number !== (one[index] ?? 0));
  return at >= 0 && (one[at] ?? 0) < other[at]!;
}

const variables = (launch: BundleLaunch | undefined) =>
  Object.entries(launch?.env ?? {}).map(([name, value]) => `${name}=${value}`);

/** With its type, because asking for a folder instead of a text is a change, too. */
const asked = ({ title, type }: BundleManifest['options'][number]) => `${title} (${type})`;

function differences(
  before: readonly string[],
  after: readonly string[],
  say: { added: (names: string) => Phrase; removed: (names: string) => Phrase },
): Phrase[] {
  const listed = (names: readonly string[], others: ReadonlySet<string>) =>
    visible(names.filter(name => !others.has(name)).join(', '), 300);
  const [added, removed] = [listed(after, new Set(before)), listed(before, new Set(after))];
  return [...(added ? [say.added(added)] : []), ...(removed ? [say.removed(removed)] : [])];
}
