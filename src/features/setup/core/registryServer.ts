import { isObject, objectsOf, stringsOf } from '../../../base/json';
import { type Phrase, phrase } from '../../../base/phrase';
import { RegistryClient, type RegistryError, type RegistryServer } from './registryClient';
import { type DraftEntry, type DraftInput, draftOf, fitName, type Json, type ServerDraft } from './serverDraft';

/** One way to run or reach a server of a registry. */
export interface RegistryChoice {
  /** Whatever cannot be run here has neither `build` nor `bundle`. */
  kind: string;
  /** The package with its version, or the address. */
  what: string;
  /** Settings that may be left out, by name. */
  optional: readonly { name: string; description: string }[];
  /** A bundle to install, with the SHA-256 that the registry has for it. */
  bundle?: { place: string; sha256: string };
  /** Absent: this way is not supported. */
  build?: (chosen: ReadonlySet<string>) => ServerDraft;
}

export const canAdd = ({ build, bundle }: RegistryChoice): boolean => build !== undefined || bundle !== undefined;

/** The ways to run a server, its remotes last, as a person may prefer what runs here. */
export function choicesOf(server: RegistryServer): RegistryChoice[] {
  return [
    ...server.packages.map(of => packageChoice(server, of)),
    ...server.remotes.map(remote => remoteChoice(server, remote)),
  ];
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const items = (value: unknown): Json[] => objectsOf(value).slice(0, 100);

function packageChoice(server: RegistryServer, of: Json): RegistryChoice {
  // Older answers wrote them otherwise.
  const kind = text(of.registryType) || text(of.registry_type) || '?';
  const [identifier, version] = [text(of.identifier), text(of.version)];
  const isImage = kind === 'oci';
  const hasTag = isImage && /:[^/]+$|@sha256/.test(identifier);
  const whole = version && !hasTag ? `${identifier}${isImage ? ':' : '@'}${version}` : identifier;
  const overPipes = !isObject(of.transport) || text(of.transport.type) === 'stdio';
  const launch = overPipes && identifier ? launcher(kind, whole) : undefined;
  const variables = items(of.environmentVariables ?? of.environment_variables);
  const environment = variables.filter(({ name }) => /^[^=\0]+$/.test(text(name)));
  const optional = environment.filter(isOptional).map(nameAndText);
  // One file at an address, with its SHA-256: else its server could change it.
  const sha256 = text(of.fileSha256 ?? of.file_sha256);
  if (kind === 'mcpb' && overPipes && /^https?:/i.test(identifier) && /^[\da-f]{64}$/i.test(sha256))
    return { kind, what: identifier, optional: [], bundle: { place: identifier, sha256 } };
  if (!launch) return { kind, what: whole, optional: [] };
  const build = (chosen: ReadonlySet<string>): ServerDraft => {
    const values = new Values(server);
    const env = values.pairs(environment, chosen);
    const runtime = values.arguments(items(of.runtimeArguments ?? of.runtime_arguments));
    const args = values.arguments(items(of.packageArguments ?? of.package_arguments));
    const entry = {
      command: launch.command,
      args: [...launch.args(runtime, Object.keys(env)), plain(whole), ...args],
      ...(Object.keys(env).length > 0 && { env }),
    };
    return draftOf(entry, shortName(server.name), { inputs: values.inputs });
  };
  return { kind, what: whole, optional, build };
}

interface Launcher {
  command: string;
  /** The arguments before the package. */
  args(runtime: readonly string[], env: readonly string[]): string[];
}

function launcher(kind: string, identifier: string): Launcher | undefined {
  // An identifier that is an option, or several words, would be another command line than the one it looks like.
  if (identifier.startsWith('-') || /\s/.test(identifier)) return undefined;
  if (kind === 'npm')
    return { command: 'npx', args: runtime => (runtime.includes('-y') ? [...runtime] : ['-y', ...runtime]) };
  if (kind === 'pypi') return { command: 'uvx', args: runtime => [...runtime] };
  if (kind !== 'oci') return undefined;
  const own = ['run', '-i', '--rm'];
  return {
    command: 'docker',
    args: (runtime, env) => [
      ...own,
      // Those of the registry begin with the same words, or with none of them.
      ...runtime.filter(word => !own.includes(word)),
      ...env.filter(name => !runtime.some(word => word.startsWith(`${name}=`))).flatMap(name => ['-e', name]),
    ],
  };
}

function remoteChoice(server: RegistryServer, remote: Json): RegistryChoice {
  const type = text(remote.type) || text(remote.transport_type);
  const url = text(remote.url);
  const headers = items(remote.headers).filter(({ name }) => text(name) !== '');
  if (!url || !['streamable-http', 'sse', 'streamable', 'http'].includes(type)) {
    return { kind: type || '?', what: url, optional: [] };
  }
  const kind = type === 'sse' ? 'sse' : 'http';
  const build = (chosen: ReadonlySet<string>): ServerDraft => {
    const values = new Values(server);
    const sent = values.pairs(headers, chosen);
    const address = values.fill(url, isObject(remote.variables) ? remote.variables : {});
    const entry = { type: kind, url: address, ...(Object.keys(sent).length > 0 && { headers: sent }) };
    return draftOf(entry, shortName(server.name), { inputs: values.inputs });
  };
  return { kind, what: url, optional: headers.filter(isOptional).map(nameAndText), build };
}

const isOptional = ({ isRequired, is_required: older, value }: Json) =>
  isRequired !== true && older !== true && !text(value);
const nameAndText = ({ name, description }: Json) => ({ name: text(name), description: text(description) });

/** `io.github.user/weather-mcp` is named after its second part. */
const shortName = (name: string) => fitName(name.split('/').at(-1) || name);

/** Values of a `server.json` in settings: fixed ones as they are, all others as inputs. */
class Values {
  readonly inputs: DraftInput[] = [];

  constructor(private readonly server: RegistryServer) {}

  /** The values of variables or headers: of those that are required, and those that the person has chosen. */
  pairs(all: readonly Json[], chosen: ReadonlySet<string>): Record<string, string> {
    const wanted = all.filter(item => !isOptional(item) || chosen.has(text(item.name)));
    return Object.fromEntries(wanted.map(item => [text(item.name), this.#of(item, text(item.name))]));
  }

  #of(item: Json, name: string): string {
    return settled(this.#valueOf(item, name));
  }

  /** Fills in `{curly}` placeholders. Other text that looks like a variable of ours is escaped. */
  fill(template: string, variables: Json): string {
    return settled(this.#filled(template, variables));
  }

  #filled(template: string, variables: Json): string {
    return unmarked(template).replace(/(?<!\$)\{([\w.-]+)\}/g, (all, name: string) => {
      const variable = variables[name];
      return isObject(variable) ? this.#valueOf(variable, name) : all;
    });
  }

  #valueOf(item: Json, name: string): string {
    const fixed = text(item.value);
    return fixed ? this.#filled(fixed, isObject(item.variables) ? item.variables : {}) : this.#input(item, name);
  }

  arguments(all: readonly Json[]): string[] {
    return all.flatMap((argument): string[] => {
      const name = text(argument.name);
      const hint = text(argument.valueHint ?? argument.value_hint) || name.replace(/^-+/, '') || 'argument';
      const isGiven = text(argument.value) !== '';
      const wanted = isGiven || argument.isRequired === true || argument.is_required === true;
      if (text(argument.type) !== 'named') {
        if (!wanted && text(argument.default)) return [plain(text(argument.default))];
        return wanted ? [this.#of(argument, hint)] : [];
      }
      if (!name) return [];
      // A flag without a value is one that is only set.
      const isFlag = !isGiven && !argument.isRequired && !argument.default && !argument.choices && !argument.format;
      if (isFlag) return argument.isRequired === false ? [] : [plain(name)];
      if (!wanted) return [];
      return [plain(name), this.#of(argument, hint)];
    });
  }

  #input(item: Json, name: string): string {
    const id = `${shortName(this.server.name)}-${name}`.replace(/[\s{}$:]+/g, '-').slice(0, 100);
    const description = (text(item.description) || name).slice(0, 500);
    const choices = stringsOf(item.choices);
    const byDefault = text(item.default);
    const input: DraftInput =
      choices.length > 0
        ? { type: 'pickString', id, description, options: choices }
        : { type: 'promptString', id, description, password: item.isSecret === true || item.is_secret === true };
    if (byDefault && input.password !== true) input.default = byDefault;
    if (!this.inputs.some(other => other.id === id)) this.inputs.push(input);
    return `${REFERENCE}{input:${id}}`;
  }
}

/** The `$` of our own references until a text is put together: parts of others may make up what looks like one. */
const REFERENCE = '\0';
const unmarked = (value: string) => value.replaceAll(REFERENCE, '');
const plain = (value: string) => value.replace(/\$(?=\{)/g, '$$$$');
const settled = (value: string) => plain(value).replaceAll(REFERENCE, '$');

const KEPT_MS = 10 * 60_000;
const TIMEOUT_MS = 60_000;
const MAX_PAGES = 100;

/** A way to run a server that a registry lists, with `${input:…}` for what a person fills in. */
type Listed = { readonly command: string; readonly args: readonly string[] } | { readonly url: string };
type Listing = readonly Listed[] | Phrase;

const kept = new Map<string, { readonly until: number; readonly listing: Promise<Listing> }>();

/**
 * Everything that a registry lists: every version that its publisher has not withdrawn. It is kept for some minutes; a failure is
 * not. Never rejects.
 */
export function listRegistry(address: string, now = Date.now()): Promise<Listing> {
  const known = kept.get(address);
  if (known && now < known.until) return known.listing;
  const listing: Promise<Listing> = ask(address).catch(error => {
    kept.delete(address);
    const { what = 'unknown' } = error as Partial<RegistryError>;
    return phrase('it did not answer as expected ({0})', what);
  });
  kept.set(address, { until: now + KEPT_MS, listing });
  return listing;
}

async function ask(address: string): Promise<Listing> {
  const client = new RegistryClient(address);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const listed: Listed[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const found = await client.all(cursor, signal);
    for (const server of found.servers) if (server.status !== 'deleted') listed.push(...launchesOf(server));
    ({ cursor } = found);
    if (cursor === undefined) return listed;
  }
  // What is not read might be what a person wants to run, but a part of a list is no list.
  return phrase('it lists more than {0} versions of servers', MAX_PAGES * 100);
}

/** With none of the settings that may be left out, and with all of them. */
const launchesOf = (server: Parameters<typeof choicesOf>[0]): Listed[] =>
  choicesOf(server).flatMap(({ build, optional }) => {
    if (!build) return [];
    const all = new Set(optional.map(({ name }) => name));
    return [build(new Set()), ...(all.size > 0 ? [build(all)] : [])].flatMap(({ entry }) => launchOf(entry));
  });

function launchOf({ command, args, url }: DraftEntry): Listed[] {
  if (typeof url === 'string') return [{ url }];
  if (typeof command !== 'string' || !Array.isArray(args)) return [];
  return [{ command, args: stringsOf(args) }];
}

/** The package or address that a choice or an entry runs, without its version. */
const withoutVersion = (word: string, kind: string): string =>
  kind === 'oci' ? word.replace(/@sha256:.*$|:[^/:]+$/, '') : word.replace(/==.*$|(?<=.)@[^@/]*$/, '');

/**
 * The name under which settings have a server of a registry, in whatever version and with whatever options. A bundle's entry does
 * not say where it came from.
 */
export function installedAs(
  choices: readonly RegistryChoice[],
  servers: Readonly<Record<string, unknown>>,
): string | undefined {
  const entries = Object.entries(servers).filter(([, entry]) => isObject(entry));
  for (const { kind, what, build } of choices) {
    if (!build || what === '') continue;
    const { command, url } = build(new Set()).entry;
    const found = entries.find(([, entry]) => {
      const theirs = entry as Record<string, unknown>;
      if (typeof url === 'string') return theirs.url === url;
      const words = Array.isArray(theirs.args) ? theirs.args : [];
      const wanted = withoutVersion(what, kind);
      const isSame = words.some(word => typeof word === 'string' && withoutVersion(word, kind) === wanted);
      return theirs.command === command && isSame;
    });
    if (found) return found[0];
  }
  return undefined;
}
