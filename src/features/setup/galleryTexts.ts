import { numberText } from '../../base/numberText';
import type { Phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import { localized } from '../../editor/errorText';
import { t, verbatim } from '../../editor/window';
import type { ServerDefinition } from '../../host/definition';
import {
  type GalleryDetails,
  type GalleryList,
  type GalleryOrder,
  type GalleryResults,
  type GalleryRow,
  MAX_FOUND,
  MAX_QUERY,
  ORDERS,
} from './core/gallerySearch';
import type { RegistryError, RegistryServer } from './core/registryClient';
import { canAdd, NOTHING_CHOSEN, type RegistryChoice } from './core/registryServer';
import { type Publisher, plainBlocks, publisherOf } from './core/registryText';

import vscode = require('vscode');

export interface GalleryRegistry {
  readonly url: string;
  /** The organization fixes it. */
  readonly isRuled: boolean;
}

/** A way to run a server, and what the organization says about it. */
export interface RuledChoice {
  readonly choice: RegistryChoice;
  readonly refusal: LaunchRefusal | undefined;
}

interface SelectedServer {
  readonly server: RegistryServer;
  readonly choices: readonly RuledChoice[];
  /** The versions that were loaded, newest first. */
  readonly versions: readonly RegistryServer[] | undefined;
  readonly problem: RegistryError | undefined;
  /** Its name in the person's settings. */
  readonly installed: string | undefined;
}

export const versionText = ({ version }: RegistryServer): string => visible(version, 60) || '–';
export const titleOf = ({ title, name }: RegistryServer): string =>
  visible(title ?? name.split('/').at(-1) ?? name, 80);
const initialOf = (title: string): string => (/[\p{L}\p{N}]/u.exec(title)?.[0] ?? '?').toUpperCase();

export function galleryList(
  found: GalleryResults,
  registry: GalleryRegistry | undefined,
  { rows, order }: Pick<GalleryList, 'rows' | 'order'>,
): GalleryList {
  const { query, isBusy, hasMore, error } = found;
  const isFull = rows.length >= MAX_FOUND;
  const off = {
    what: t('No registry is searched.'),
    remedy: t('Enter the address of one in the setting "mcpHost.registry.url".'),
    action: 'settings',
    label: t('Open Settings'),
  } as const;
  const failure = error && ({ ...registryFailure(error), action: 'again', label: t('Try Again') } as const);
  const problem = registry ? failure : off;
  const orders: Record<GalleryOrder, string> = {
    registry: t('Order of the registry'),
    stars: t('Stars'),
    updated: t('Last update'),
    name: t('Name'),
  };
  const isEmpty = rows.length === 0 && !isBusy && !error && registry !== undefined;
  return {
    type: 'list',
    labels: {
      title: t('Browse MCP Servers'),
      search: t('Search'),
      sort: t('Sort by'),
      hint: t('Search by name'),
      servers: t('Servers'),
      details: t('Details'),
      choose: t('Select a server to see who publishes it and what it runs.'),
      back: t('Back to the List'),
    },
    orders: ORDERS.map(one => ({ order: one, label: orders[one] })),
    order,
    source: registry ? sourceText(registry) : '',
    query,
    maxQuery: MAX_QUERY,
    isBusy,
    status: statusText(found, rows.length, isEmpty),
    rows,
    ...(hasMore && { more: t('Load more') }),
    ...(problem && { problem }),
    ...(isEmpty && { empty: t('The registry searches server names only.') }),
    ...(isFull && { empty: t('Try a more specific search.') }),
  };
}

function sourceText({ url, isRuled }: GalleryRegistry): string {
  const host = visible(URL.canParse(url) ? new URL(url).host : url, 100);
  return isRuled ? t('From {0}, the registry of your organization', host) : t('From {0}', host);
}

function statusText({ isBusy, hasMore, error }: GalleryResults, count: number, isEmpty: boolean): string {
  if (isBusy) return t('Searching…');
  // The problem is shown, and announced, by itself.
  if (error) return '';
  if (isEmpty) return t('Nothing found');
  if (count === 0) return '';
  if (count === 1) return t('1 server');
  return hasMore ? t('{0} servers; there are more', numberText(count)) : t('{0} servers', numberText(count));
}

export function galleryRow(
  server: RegistryServer,
  choices: readonly RuledChoice[],
  installed: string | undefined,
): GalleryRow {
  const title = titleOf(server);
  const { details, status, description, version, name } = server;
  const kinds = new Set(choices.map(({ choice }) => kindText(choice.kind).short));
  const stars = details?.stars;
  const mark = markOf(choices) ?? (status === 'deprecated' ? t('deprecated') : undefined);
  return {
    name,
    title,
    shownName: visible(name, 120),
    description: visible(description, 200),
    facts: [
      installed !== undefined && t('installed'),
      version && versionText(server),
      ...kinds,
      ...(stars === undefined ? [] : [`★ ${numberText(stars)}`]),
    ]
      .filter(Boolean)
      .join(' · '),
    initial: initialOf(title),
    ...(mark && { mark }),
  };
}

/** Why it cannot be installed. */
function markOf(choices: readonly RuledChoice[]): string | undefined {
  const supported = choices.filter(({ choice }) => canAdd(choice));
  if (supported.length === 0) return t('not supported');
  return supported.every(({ refusal }) => refusal) ? t('refused by a rule') : undefined;
}

export function galleryDetails(
  { server, choices, versions, problem, installed }: SelectedServer,
  registry: string,
): GalleryDetails {
  const { name, description, status, details } = server;
  const title = titleOf(server);
  const common = commonRefusal(choices);
  const shownVersions = versions ?? [server];
  const publisher = publisherOf(name, registry);
  const date = (at: number) => new Date(at).toLocaleDateString(vscode.env.language);
  const fact = (label: string, value: string | undefined, note?: string) =>
    value === undefined ? [] : [{ label, value, ...(note && { note }) }];
  const failure = problem && registryFailure(problem);
  return {
    name,
    title,
    initial: initialOf(title),
    ...(status === 'deprecated' && { warning: t('Its publisher has marked it as deprecated.') }),
    description: visible(description, 1_000),
    facts: [
      ...fact(t('Installed as'), installed && visible(installed, 100)),
      ...fact(t('Name'), visible(name, 200)),
      ...fact(t('Publisher'), publisherText(publisher), publisherNote(publisher)),
      ...fact(t('Published'), details?.publishedAt === undefined ? undefined : date(details.publishedAt)),
      ...fact(t('Updated'), details?.updatedAt === undefined ? undefined : date(details.updatedAt)),
      ...fact(
        t('Stars on GitHub'),
        details?.stars === undefined ? undefined : numberText(details.stars),
        t('as stated in its entry'),
      ),
    ],
    versions: {
      label: t('Version'),
      all: shownVersions.map(versionText),
      shown: Math.max(0, shownVersions.indexOf(server)),
      ...(!versions && { more: t('Show Other Versions') }),
      ...(failure && { problem: `${failure.what} ${failure.remedy}` }),
    },
    ways: {
      label: t('How it is run'),
      all: choices.map(({ choice, refusal }) => ({
        label: kindText(choice.kind).label,
        what: visible(choice.what, 300),
        ...asksText(choice),
        ...(choice.refused && { refused: localized(choice.refused) }),
        ...(refusal && { refused: refusalText(refusal) === common ? '' : refusalText(refusal) }),
      })),
      ...(common !== undefined && { refused: common }),
      none: t('It does not say how to run or reach it.'),
    },
    install: t('Install…'),
    links: [
      ...linkTo('website', t('Open Website…'), details?.website),
      ...linkTo('repository', t('Open Repository…'), details?.repository),
    ],
    readme: { label: t('Readme'), blocks: plainBlocks(details?.readme ?? '') },
    note: t('This comes from the registry and the publisher. You review what would run before it is added.'),
  };
}

const linkTo = (link: 'website' | 'repository', label: string, address: string | undefined) =>
  address === undefined ? [] : [{ link, label, address: visible(address, 300) }];

const refusalText = ({ reason, remedy }: LaunchRefusal): string =>
  `${t('It would not start: {0}.', localized(reason))} ${localized(remedy)}`;

function asksText({ build, optional }: RegistryChoice): { asks?: string } {
  const inputs = build?.(NOTHING_CHOSEN).inputs ?? [];
  const names = [...inputs.map(({ description }) => description), ...optional.map(({ name }) => name)].join(', ');
  return names === '' ? {} : { asks: t('Asks for: {0}', visible(names, 300)) };
}

/** What the organization says of several ways in the same words. */
function commonRefusal(choices: readonly RuledChoice[]): string | undefined {
  const all = choices.flatMap(({ refusal }) => (refusal ? [refusalText(refusal)] : []));
  return all.find((one, index) => all.indexOf(one) < index);
}

function publisherText({ kind, who }: Publisher): string {
  return {
    github: verbatim('{0} on GitHub', visible(who, 100)),
    domain: visible(who, 200),
    anonymous: t('anonymous'),
    unknown: t('unknown'),
  }[kind];
}

/** Only what is known: a registry of which nobody says what it checks may check nothing. */
function publisherNote({ kind, isChecked }: Publisher): string {
  if (kind === 'anonymous' || kind === 'unknown') return t('Its name says nothing about who published it.');
  if (!isChecked) return t('Taken from its name. It is not known whether this registry checks it.');
  return kind === 'github'
    ? t('The registry checks that its publisher signed in to GitHub with this account.')
    : t('The registry checks that its publisher controls this domain.');
}

function registryFailure({ code, what: reason }: RegistryError): { what: string; remedy: string } {
  const shown = visible(localized(reason), 100);
  const checkSetting = t('Check the setting "mcpHost.registry.url".');
  const later = t('Try again later, or check the setting "mcpHost.registry.url".');
  const failures: Partial<Record<RegistryError['code'], readonly [what: string, remedy: string]>> = {
    UNREACHABLE: [t('The registry cannot be reached ({0}).', shown), t('Are you offline?')],
    TIMEOUT: [t('The registry did not answer within {0}.', shown), later],
    STATUS: [t('The registry answered with {0}.', shown), later],
    TOO_LARGE: [t("The registry's response is larger than {0}.", shown), t('Try a more specific search.')],
    REDIRECT: [t('The registry redirects to another address ({0}).', shown), checkSetting],
    BAD_URL: [t('{0} is not the address of an MCP Registry.', shown), checkSetting],
  };
  const [what, remedy] = failures[code] ?? [t('The response is not from an MCP Registry: {0}.', shown), checkSetting];
  return { what, remedy };
}

/** How a server is run or reached. */
function kindText(kind: string): { readonly short: string; readonly label: string } {
  const known: Record<string, readonly [short: string, label: string]> = {
    npm: ['npm', t('npm package, run by npx')],
    pypi: ['PyPI', t('Python package, run by uvx')],
    nuget: ['NuGet', t('.NET package, run by dnx')],
    oci: [t('container'), t('Container image, run by Docker')],
    mcpb: [t('bundle'), t('MCP bundle, unpacked on this machine')],
    http: [t('remote'), t('Remote server')],
    sse: [t('remote'), t('Remote server (HTTP+SSE)')],
  };
  const [short, label] = (Object.hasOwn(known, kind) && known[kind]) || [visible(kind, 20), visible(kind, 40)];
  return { short, label };
}

/** Why a server would not start, and what can be done about it. */
export interface LaunchRefusal {
  readonly reason: Phrase;
  readonly remedy: Phrase | string;
}

/** What the organization says about servers that are not configured yet. */
export interface NewServerRules {
  /** The registry that it wants to be searched. */
  readonly registry: string | undefined;
  /** Undefined: nothing is known to be against it. */
  refusalOf(definition: ServerDefinition): LaunchRefusal | undefined;
}
