import { devNull } from 'node:os';
import { isObject } from '../../../base/json';
import { type Phrase, phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { fetchedBy, fetchesAtStart, type PackageRunner, programsOf, type RunWord } from '../../../host/launch';
import type { ProgramEntry } from '../../../host/settings';
import { type PackageReference, packagesOf } from '../../supply/core';
import { changedCommand, type RuledLaunch } from './serverRules';

type Kind = PackageReference['ecosystem'];

/** Where packages of each kind are fetched from: the address of a registry, or the beginning of an image's name. */
export type PackageSources = { readonly [K in Kind]?: string };

const KINDS = ['npm', 'pypi', 'image'] as const satisfies readonly Kind[];
const IMAGES = /^[a-z\d.-]+(:\d+)?(\/[\w.-]+)*$/i;

/** Reads `packageSources`. Undefined: it is none. */
export function parseSources(value: unknown, isAddress: (text: unknown) => boolean): PackageSources | undefined {
  if (!isObject(value)) return undefined;
  const isSource = ([kind, source]: [string, unknown]) =>
    kind === 'image'
      ? typeof source === 'string' && IMAGES.test(source)
      : (KINDS as readonly string[]).includes(kind) && isAddress(source);
  return Object.entries(value).every(isSource) ? value : undefined;
}

export const hostsOf = ({ npm, pypi, image }: PackageSources): string[] =>
  [npm, pypi, image && `https://${image}`].flatMap(address => (address ? [new URL(address).host] : []));

/** Runners whose source is set by a variable or by the package's name, with the options that do not change it. */
const TELLABLE: { readonly [R in PackageRunner]?: RegExp } = {
  npx: /^(-y|--yes|-p|--package(=.*)?|-q|--quiet|-s|--silent|--prefer-(online|offline)|--offline|--ignore-scripts)$/,
  uvx: /^(--from(=.*)?|--python(=.*)?|-p|-q|--quiet|--isolated|--refresh|--offline|--no-cache|-n)$/,
  'pipx run': /^(--spec(=.*)?|--python(=.*)?|-q|--quiet)$/,
  'docker run': /^-/,
  'podman run': /^-/,
};
const PLAIN: Readonly<Record<Exclude<Kind, 'image'>, RegExp>> = {
  // npm reads no variable for a scope with another character.
  npm: /^(@[a-z\d.~-]+\/)?[\w.~-]+$/,
  pypi: /^[\w.-]+$/,
};

/** Why a program may fetch something from elsewhere. Undefined: it fetches from these sources, or nothing. */
export function notFromSources(
  sources: PackageSources,
  source: string,
  { entry }: Pick<RuledLaunch, 'entry'>,
): Phrase | undefined {
  if (entry.type !== 'stdio' || !fetchesAtStart({ entry })) return undefined;
  const packages = packagesOf(entry.command, entry.args);
  const fetching = directly(entry);
  const kind = packages[0]?.ecosystem;
  if (!fetching || !kind || !isTellable(fetching))
    return phrase(
      'your organization allows packages only from the sources in {0}, and it cannot be told where this command fetches them from',
      source,
    );
  const from = sources[kind];
  if (from === undefined)
    return phrase(
      'your organization allows packages only from the sources in {0}, which has none of "{1}"',
      source,
      kind,
    );
  const other = packages.find(one => !isFrom(from, one));
  if (other)
    return phrase(
      'your organization allows packages only from {0}, and "{1}" is from elsewhere',
      from,
      visible(other.name, 200),
    );
  return changedCommand(source, entry);
}

/** Behind a wrapper or in a shell, the same command may get other variables, and before its name other options. */
function directly({ command, args }: ProgramEntry): ReturnType<typeof fetchedBy> {
  const chain = programsOf(command, args);
  const outermost = 'programs' in chain ? chain.programs[0] : undefined;
  const fetching = outermost && fetchedBy(outermost);
  const names = fetching?.command.split(' ').filter(Boolean) ?? [];
  return fetching?.words.length === args.length - names.length ? fetching : undefined;
}

function isTellable({
  runner,
  words,
}: {
  readonly runner: PackageRunner;
  readonly words: readonly RunWord[];
}): boolean {
  const known = TELLABLE[runner];
  return known !== undefined && optionsOf(words).every(option => known.test(option));
}

/** Those that stand before the package: what follows is up to the program. */
function optionsOf(words: readonly RunWord[]): string[] {
  const options: string[] = [];
  for (const [index, { text }] of words.entries()) {
    const isValue = /^(-p|--package|--from|--spec|--python)$/.test(words[index - 1]?.text ?? '');
    if (text === '--' || !(text.startsWith('-') || isValue)) break;
    if (!isValue) options.push(text);
  }
  return options;
}

const isFrom = (source: string, { ecosystem, name, version, pin }: PackageReference) =>
  ecosystem === 'image'
    ? name.startsWith(`${source}/`)
    : pin !== 'elsewhere' && PLAIN[ecosystem].test(name) && !/[:/]/.test(version);

/** The entry of a program that fetches packages, with the variables that name their source. */
export function fromSources(sources: PackageSources, entry: ProgramEntry): ProgramEntry {
  if (!fetchesAtStart({ entry })) return entry;
  const packages = packagesOf(entry.command, entry.args);
  return { ...entry, env: { ...entry.env, ...variables(sources, packages) } };
}

function variables({ npm, pypi }: PackageSources, packages: readonly PackageReference[]): Record<string, string> {
  const scopes = packages.flatMap(({ ecosystem, name }) => (ecosystem === 'npm' && /^@[^/]+/.exec(name)) || []);
  return {
    // The editor's own environment may have either.
    ...(npm && { npm_config_registry: npm, NPM_CONFIG_REGISTRY: npm }),
    // A scope may have a registry of its own in an `.npmrc`.
    ...Object.fromEntries(scopes.map(scope => [`npm_config_${scope}:registry`, npm ?? ''])),
    ...(pypi && {
      UV_DEFAULT_INDEX: pypi,
      UV_INDEX: '',
      UV_EXTRA_INDEX_URL: '',
      UV_FIND_LINKS: '',
      UV_NO_CONFIG: '1',
      PIP_INDEX_URL: pypi,
      PIP_EXTRA_INDEX_URL: '',
      PIP_FIND_LINKS: '',
      PIP_CONFIG_FILE: devNull,
    }),
  };
}
