import { type Phrase, phrase } from '../../../base/phrase';
import { parseUrl, visible } from '../../../base/text';
import {
  type Admission,
  type LaunchPurpose,
  type NetworkLimits,
  type ServerDefinition,
  settlePaths,
} from '../../../host/definition';
import { allowsHost, exceptionsIn, programIn, type ServerEntry, splitCommandLine } from '../../../host/settings';
import { type EditorAccess, type EditorPolicies, POLICY_LISTS } from './editorPolicies';
import { type FileKind, type ManagedFile, type ManagedValues, parseManagedFile } from './managedFile';
import type { ManagedPlaces } from './managedPlaces';
import { fromSources, hostsOf, notFromSources } from './packageSources';
import { readManagedFile } from './readManagedFile';
import {
  isAtAny,
  type ListedLaunch,
  type ListingRegistry,
  notListed,
  type RuledLaunch,
  type RuleSet,
  refusalBy,
} from './serverRules';

/** A managed file that is there, or a list of the editor. */
export interface RuleFile {
  readonly kind: FileKind | 'editor';
  readonly path: string;
  /** Why nothing in it can be relied on, or what it says. */
  readonly settings: ManagedFile | Phrase;
}

export interface OrganizationRules {
  readonly files: readonly RuleFile[];
  readonly access: EditorAccess;
  /** Whether the person's own settings say that, and no policy. */
  readonly isOwnAccess?: boolean;
  /** Only its servers may run. */
  readonly registry?: ListingRegistry;
}

/** Asks a registry for everything that it lists. Never rejects: what it returns says why that is not known. */
export type ListRegistry = (address: string) => Promise<readonly ListedLaunch[] | Phrase>;

const ALL: EditorPolicies = { access: 'all' };

/** Reads the rules: our own file, those of other products that it names, and those of the editor. */
export async function readRules(
  { files, owner }: ManagedPlaces,
  editor: EditorPolicies | undefined,
  list: ListRegistry,
): Promise<OrganizationRules> {
  const read = async (kind: FileKind): Promise<RuleFile[]> => {
    const path = files[kind];
    const text = await readManagedFile(path, owner);
    if (text === undefined) return [];
    return [{ kind, path, settings: typeof text === 'string' ? parseManagedFile(text, path, kind) : text }];
  };
  const own = await read('own');
  const others = await Promise.all(
    (ownOf({ files: own }).alsoRead ?? [])
      .flatMap(kind => (kind === 'claudeCode' ? ([kind, 'claudeCodeServers'] as const) : [kind]))
      .map(read),
  );
  const all = [...own, ...others.flat(), ...listsOf(editor ?? ALL)];
  const { access, isOwn: isOwnAccess = false, registry } = editor ?? ALL;
  if (access !== 'registry') return { files: all, access, isOwnAccess };
  // First that of the file: the editor's may be the person's own setting.
  const address = ownOf({ files: all }).registry ?? registry;
  const listed = address === undefined ? [] : await list(address);
  return { files: all, access, isOwnAccess, registry: { address, listed } };
}

/**
 * The two lists in the editor's policies and settings are read like those of another product. Each is a file of its own, so that a
 * refusal names the one setting that a person has to look at.
 */
function listsOf({ lists = {} }: EditorPolicies): RuleFile[] {
  return POLICY_LISTS.filter(([key]) => lists[key] !== undefined).map(([key, path]) => {
    const settings = parseManagedFile(JSON.stringify({ [key]: lists[key] }), path, 'copilot');
    return { kind: 'editor', path, settings };
  });
}

/** What our own file fixes, if it is there and valid. */
export function ownOf({ files }: Pick<OrganizationRules, 'files'>): ManagedValues {
  const settings = files.find(({ kind }) => kind === 'own')?.settings;
  return settings && 'rules' in settings ? settings.own : {};
}

/**
 * Why the organization refuses a launch, as it completes "could not start: ". A file that is not valid refuses everything, as it
 * may concern anything.
 * @param isWhole whether inputs are filled in.
 */
export function refusalOf(rules: OrganizationRules, launch: RuledLaunch, isWhole = true): Phrase | undefined {
  const refused = refusalOfEntry(rules, launch, isWhole);
  const helper = launch.entry.type === 'stdio' ? undefined : programIn(launch.entry);
  if (refused || !helper) return refused;
  const reason = refusalOfEntry(rules, { ...launch, entry: helper }, isWhole);
  return reason && phrase('its "headersHelper" may not run: {0}', reason);
}

function refusalOfEntry(rules: OrganizationRules, launch: RuledLaunch, isWhole: boolean): Phrase | undefined {
  const broken = rules.files.find(({ settings }) => 'values' in settings);
  if (broken && 'values' in broken.settings) {
    return phrase(
      'the rules of your organization in {0} are not accepted, so they refuse every server: {1}',
      broken.path,
      broken.settings,
    );
  }
  if (rules.access === 'none')
    return rules.isOwnAccess
      ? phrase('your setting "chat.mcp.access" allows no MCP servers')
      : phrase('the policy "chat.mcp.access" of the editor allows no MCP servers');
  const refused = rules.registry && notListed(rules.registry, launch, isWhole);
  if (refused) return refused;
  return refusalBy(setsOf(rules), launch, isWhole) ?? (isWhole ? elsewhere(rules, launch) : undefined);
}

/** Why a server is at a host, fetches from a source, or has an exception, that is not allowed. */
function elsewhere(rules: OrganizationRules, launch: RuledLaunch): Phrase | undefined {
  const { entry } = launch;
  const { allowedHosts, packageSources, signInExceptions } = ownOf(rules);
  const source = rules.files.find(({ kind }) => kind === 'own')?.path ?? '';
  const url = entry.type === 'stdio' ? undefined : parseUrl(entry.url);
  if (allowedHosts && url && !isAmong(allowedHosts, url))
    return phrase('your organization allows only the hosts in {0}, and {1} is none of them', source, url.host);
  const exceptions = entry.type === 'stdio' ? [] : exceptionsIn(entry.oauth);
  if (signInExceptions && exceptions.length > 0 && url && !isAtAny(signInExceptions, url.href))
    return phrase(
      'your organization lists in {0} which servers may have exceptions from the checks of a sign-in, and this one, with {1}, is none of them',
      source,
      exceptions.map(field => `"${field}"`).join(', '),
    );
  return packageSources && notFromSources(packageSources, source, launch);
}

const isAmong = (hosts: readonly string[], { protocol, hostname, port }: URL) =>
  allowsHost(hosts, hostname, Number(port || (/^(https|wss):$/.test(protocol) ? 443 : 80)));

/** Why the rules refuse the program that a server under development is built with; undefined if they allow it. */
export function refusalOfBuild(rules: OrganizationRules, { name, entry }: RuledLaunch): Phrase | undefined {
  if (entry.type !== 'stdio' || entry.dev?.build === undefined) return undefined;
  const [command = '', ...args] = splitCommandLine(entry.dev.build);
  const { envFile: _, ...others } = entry;
  return refusalOf(rules, { name, entry: { ...others, command, args, env: {} } });
}

const setsOf = ({ files }: OrganizationRules): readonly RuleSet[] =>
  files.flatMap(({ settings }) => ('rules' in settings ? [settings.rules] : []));

/** What a person can do about a refusal: as the organization says, if it does. @param other what to do else. */
export function remedyOf(
  rules: OrganizationRules,
  other = phrase('Choose "Copy Request for Approval" on its row, and send the text to your administrator.'),
): Phrase | string {
  if (rules.access === 'none' && rules.isOwnAccess) return phrase('Change that setting.');
  const { text, link } = ownOf(rules).refusal ?? {};
  const told = [text, link].filter(part => part !== undefined).join(' ');
  return visible(told, 1_000) || other;
}

interface GatedLaunch {
  readonly definition: ServerDefinition;
  readonly entry: ServerEntry;
  /** The entry with absolute paths. */
  readonly launch: RuledLaunch;
  readonly purpose: LaunchPurpose;
  readonly isWhole: boolean;
}

/** Whether rules let a launch pass. @param rules as they are now */
export function admissionBy(
  rules: () => OrganizationRules,
  { definition, entry, launch, purpose, isWhole }: GatedLaunch,
): Admission {
  const now = rules();
  const reason =
    refusalOf(now, launch, isWhole || !definition.inputs) ??
    (purpose === 'build' ? refusalOfBuild(now, launch) : undefined);
  if (reason) return { needs: 'permission', reason, remedy: remedyOf(now) };
  if (entry.type === 'stdio') {
    const sources = ownOf(now).packageSources;
    // In the last step, as rules and consent concern the entry's own variables.
    return { entry: isWhole && sources ? fromSources(sources, entry) : entry };
  }
  // A redirect leads to another address, which has to pass the same rules.
  const mayReach = (url: URL) => refusalOf(rules(), { ...launch, entry: { ...entry, url: url.href } }) === undefined;
  return { entry, mayReach };
}

export function limitsOf({ allowedHosts: hosts, packageSources }: ManagedValues): NetworkLimits | undefined {
  return hosts || packageSources ? { hosts, sources: hostsOf(packageSources ?? {}) } : undefined;
}

/** A server that is not configured yet has no row. */
const ASK = phrase('Ask your administrator to allow it.');

/**
 * What the rules say about servers that are not configured yet, read once for many of them. Undefined: there are none. Servers with
 * inputs in their command line or address may still be refused when these are filled in.
 */
export async function rulesForNew(organization: { read(): Promise<OrganizationRules> }) {
  const rules = await organization.read();
  if (rules.files.length === 0 && rules.access === 'all') return undefined;
  return {
    registry: ownOf(rules).registry,
    /** Why a server would not start, and what can be done about it. Undefined: nothing is known to be against it. */
    refusalOf: ({ name, entry, place, inputs }: ServerDefinition) => {
      // Inputs in variables and headers change neither what is run nor where it is.
      const isWhole = !inputs?.places.some(({ path: [field = ''] }) => field !== 'env' && field !== 'headers');
      const reason = entry && refusalOf(rules, { name, entry: settlePaths(entry, place) }, isWhole);
      return reason && { reason, remedy: remedyOf(rules, ASK) };
    },
  };
}
