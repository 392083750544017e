import { isObject, objectsOf, stringOf } from '../../../base/json';
import { type Phrase, phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import type { RegistryServer } from './registryClient';
import { PORT_OF_ADDRESS, packageRun } from './registryPackage';
import { argumentOf, isOptional, type OptionalSetting, portTakers, RegistryValues } from './registryValues';
import { draftOf, fitName, type Json, type ServerDraft } from './serverDraft';

/** What a person chose before a server is added. */
interface ChosenSettings {
  /** Names of `optional` ones. */
  readonly names: ReadonlySet<string>;
  /** How many values each of `repeated` gets, by name. One where it is not said. */
  readonly counts?: ReadonlyMap<string, number>;
}

/** With nothing that may be left out. */
export const NOTHING_CHOSEN: ChosenSettings = { names: new Set() };

/** One way to run or reach a server of a registry. */
export interface RegistryChoice {
  /** `npm`, `oci`, `http`, … */
  kind: string;
  /** The package with its version, or the address. */
  what: string;
  optional: readonly OptionalSetting[];
  /** Arguments that can be given more than once; those of them that may be left out are in `optional`, too. */
  repeated: readonly OptionalSetting[];
  /** A bundle to install, with the SHA-256 that the registry has for it. */
  bundle?: { place: string; sha256: string };
  build?: (chosen: ChosenSettings) => ServerDraft;
  /** Why it can't be added, where it has neither `build` nor `bundle`. */
  refused?: Phrase;
}

export const canAdd = ({ build, bundle }: RegistryChoice): boolean => build !== undefined || bundle !== undefined;

/** The ways to run a server (`server.json` 2025-12-11 and older), its remotes last, as a person may prefer what runs here. */
export function choicesOf(server: RegistryServer): RegistryChoice[] {
  return [
    ...server.packages.map(of => packageChoice(server, of)),
    ...server.remotes.map(remote => remoteChoice(server, remote)),
  ];
}

const items = (value: unknown): Json[] => objectsOf(value).slice(0, 100);

function packageChoice(server: RegistryServer, of: Json): RegistryChoice {
  const run = packageRun(of);
  const { kind, what } = run;
  const none = { kind, what, optional: [], repeated: [] };
  if ('refused' in run) return { ...none, refused: run.refused };
  if ('bundle' in run) return { ...none, bundle: run.bundle };
  // Older answers wrote them otherwise.
  const variables = items(of.environmentVariables ?? of.environment_variables);
  const environment = variables.filter(({ name }) => /^[^=\0]+$/.test(stringOf(name)));
  const ofRuntime = items(of.runtimeArguments ?? of.runtime_arguments).map(argumentOf);
  const ofPackage = items(of.packageArguments ?? of.package_arguments).map(argumentOf);
  const both = [...ofPackage, ...ofRuntime];
  const { address } = run;
  // The verb of a container engine, which some entries have and others have not.
  const isNoVerb = (word: string) => kind !== 'oci' || word !== 'run';
  const takers = portTakers(PORT_OF_ADDRESS.exec(address ?? '')?.[2], [
    ...both.map(({ item }) => item),
    ...environment,
  ]);
  const build = ({ names, counts = new Map() }: ChosenSettings): ServerDraft => {
    const values = new RegistryValues(shortName(server.name), takers.port);
    const env = values.pairs(environment, names);
    const url = address && values.fill(address, takers.variables);
    const [runtime, misplaced] = splitRuntime(values.words(ofRuntime, names, counts).filter(isNoVerb));
    const isPublished = kind !== 'oci' || !url || runtime.some(word => PUBLISHES.test(word));
    const args = run.args([...runtime, ...(isPublished ? [] : ['-p', published(url)])], Object.keys(env), [
      ...misplaced,
      ...values.words(ofPackage, names, counts),
    ]);
    const entry = {
      command: run.command,
      args,
      ...(Object.keys(env).length > 0 && { env }),
      ...(url && { url }),
    };
    return draftOf(entry, shortName(server.name), { inputs: values.inputs });
  };
  return {
    kind,
    what,
    optional: [...environment.filter(isOptional).map(nameAndText), ...both.flatMap(({ optional }) => optional)],
    repeated: both.flatMap(({ key, description, isRepeated }) => (isRepeated ? [{ name: key, description }] : [])),
    build,
  };
}

/** Options of a container engine by which a container is reached. */
const PUBLISHES = /^(-p|-P|--publish(-all)?|--net(work)?)(=|\d|$)/;

/** The port of an address, as a container is to have it on this machine alone. */
function published(url: string): string {
  const port = /^http:\/\/(?:\[[^\]]*\]|[^/:]*):(\d+|\$\{[^{}]*\})/.exec(url)?.[1] ?? '80';
  return `127.0.0.1:${port}:${port}`;
}

/** Options of runners that have no value. */
const NO_VALUE = /^-+(y|yes|q|quiet|i|t|it|rm|init|isolated|offline|no-\w[\w-]*|prefer-\w+|privileged|read-only|P)$/;

/**
 * The words of a runner that are options of its own, and the rest. A word that is neither an option nor the value of one would be
 * taken for the package, in the place of the one that was reviewed: its author meant it for the package.
 */
function splitRuntime(words: readonly string[]): [runtime: readonly string[], own: readonly string[]] {
  const at = words.findIndex((word, index) => {
    const before = words[index - 1] ?? '';
    return !word.startsWith('-') && !(before.startsWith('-') && !before.includes('=') && !NO_VALUE.test(before));
  });
  return at < 0 ? [words, []] : [words.slice(0, at), words.slice(at)];
}

function remoteChoice(server: RegistryServer, remote: Json): RegistryChoice {
  const type = stringOf(remote.type) || stringOf(remote.transport_type);
  const url = stringOf(remote.url);
  const headers = items(remote.headers).filter(({ name }) => stringOf(name) !== '');
  const none = { kind: type || '?', what: url, optional: [], repeated: [] };
  if (!['streamable-http', 'sse', 'streamable', 'http'].includes(type))
    return { ...none, refused: phrase('It is reached in a way that is not known here: {0}.', visible(type, 40)) };
  if (!url) return { ...none, refused: phrase('Its entry has no address.') };
  const build = ({ names }: ChosenSettings): ServerDraft => {
    const values = new RegistryValues(shortName(server.name));
    const sent = values.pairs(headers, names);
    const address = values.fill(url, isObject(remote.variables) ? remote.variables : {});
    // What is listed as HTTP+SSE may have moved on: the newer transport is tried first, and the older one where it is refused.
    const entry = { type: 'http', url: address, ...(Object.keys(sent).length > 0 && { headers: sent }) };
    return draftOf(entry, shortName(server.name), { inputs: values.inputs });
  };
  return {
    ...none,
    kind: type === 'sse' ? 'sse' : 'http',
    optional: headers.filter(isOptional).map(nameAndText),
    build,
  };
}

const nameAndText = ({ name, description }: Json) => ({ name: stringOf(name), description: stringOf(description) });

/** `io.github.user/weather-mcp` is named after its second part. */
const shortName = (name: string) => fitName(name.split('/').at(-1) || name);

/** The package or address that a choice or an entry runs, without its version. */
const withoutVersion = (word: string, kind: string): string =>
  kind === 'oci' ? word.replace(/@sha256:.*$|:[^/:]+$/s, '') : word.replace(/==.*|(?<=.)@[^@/]*$/s, '');

/** The name in settings of a registry's server, in any version. A bundle's entry does not say where it came from. */
export function installedAs(
  choices: readonly RegistryChoice[],
  servers: Readonly<Record<string, unknown>>,
): string | undefined {
  const entries = Object.entries(servers).filter(([, entry]) => isObject(entry));
  for (const { kind, what, build } of choices) {
    if (!build || what === '') continue;
    const { command, url } = build(NOTHING_CHOSEN).entry;
    const found = entries.find(([, entry]) => {
      const theirs = entry as Record<string, unknown>;
      if (command === undefined) return theirs.url === url;
      const words = Array.isArray(theirs.args) ? theirs.args : [];
      const wanted = withoutVersion(what, kind);
      const isSame = words.some(word => typeof word === 'string' && withoutVersion(word, kind) === wanted);
      return theirs.command === command && isSame;
    });
    if (found) return found[0];
  }
  return undefined;
}
