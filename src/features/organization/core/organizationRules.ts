import { type Phrase, phrase } from '../../../base/phrase';
import { parseUrl, visible } from '../../../base/text';
import { allowsHost, splitCommandLine } from '../../../host/settings';
import { type EditorAccess, type EditorPolicies, LIST_SETTINGS } from './editorPolicies';
import { type FileKind, type ManagedSettings, parseManagedFile } from './managedFile';
import type { ManagedPlaces } from './managedPlaces';
import { notFromSources } from './packageSources';
import { readManagedFile } from './readManagedFile';
import { type ListedLaunch, type ListingRegistry, notListed } from './registryRule';
import { type RuledLaunch, type RuleSet, refusalBy } from './serverRules';

/** A managed file that is there, or a list of the editor. */
export interface RuleFile {
  readonly kind: FileKind | 'editor';
  readonly path: string;
  /** Why nothing in it can be relied on, or what it says. */
  readonly settings: ManagedSettings | Phrase;
}

/** All rules that count on this machine. */
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
    own
      .flatMap(({ settings }) => ('rules' in settings ? settings.alsoRead : []))
      .flatMap(kind => (kind === 'claudeCode' ? ([kind, 'claudeCodeServers'] as const) : [kind]))
      .map(read),
  );
  const all = [...own, ...others.flat(), ...listsOf(editor ?? ALL)];
  const { access, isOwn: isOwnAccess = false, registry } = editor ?? ALL;
  if (access !== 'registry') return { files: all, access, isOwnAccess };
  // First that of the file: the editor's may be the person's own setting.
  const address = settingsOf({ files: all }).find(({ registry }) => registry)?.registry ?? registry;
  const listed = address === undefined ? [] : await list(address);
  return { files: all, access, isOwnAccess, registry: { address, listed } };
}

/**
 * The two lists in the editor's policies and settings are read like those of another product. Each is a file of its own, so that a
 * refusal names the one setting that a person has to look at.
 */
function listsOf({ lists = {} }: EditorPolicies): RuleFile[] {
  return (['allowedMcpServers', 'deniedMcpServers'] as const)
    .filter(key => lists[key] !== undefined)
    .map(key => {
      const path = LIST_SETTINGS[key];
      return {
        kind: 'editor',
        path,
        settings: parseManagedFile(JSON.stringify({ [key]: lists[key] }), path, 'copilot'),
      };
    });
}

/** What files fix, where they are valid. */
export const settingsOf = ({ files }: Pick<OrganizationRules, 'files'>): readonly ManagedSettings[] =>
  files.flatMap(({ settings }) => ('rules' in settings ? [settings] : []));

/**
 * Why the organization refuses a launch, as it completes "could not start: ". A file that is not valid refuses everything, as it
 * may concern anything.
 * @param isWhole whether inputs are filled in.
 */
export function refusalOf(rules: OrganizationRules, launch: RuledLaunch, isWhole = true): Phrase | undefined {
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

/** Why a server is at a host, or fetches from a source, that is not allowed. */
function elsewhere(rules: OrganizationRules, launch: RuledLaunch): Phrase | undefined {
  const { entry } = launch;
  for (const {
    rules: { source },
    allowedHosts,
    packageSources,
  } of settingsOf(rules)) {
    const url = entry.type === 'stdio' ? undefined : parseUrl(entry.url);
    if (allowedHosts && url && !isAmong(allowedHosts, url))
      return phrase('your organization allows only the hosts in {0}, and {1} is none of them', source, url.host);
    const refused = packageSources && notFromSources(packageSources, source, launch);
    if (refused) return refused;
  }
  return undefined;
}

const isAmong = (hosts: readonly string[], { protocol, hostname, port }: URL) =>
  allowsHost(hosts, hostname, Number(port || (/^(https|wss):$/.test(protocol) ? 443 : 80)));

/** The same for the program that a server under development is built with. */
export function refusalOfBuild(rules: OrganizationRules, { name, entry }: RuledLaunch): Phrase | undefined {
  if (entry.type !== 'stdio' || entry.dev?.build === undefined) return undefined;
  const [command = '', ...args] = splitCommandLine(entry.dev.build);
  const { envFile: _, ...others } = entry;
  return refusalOf(rules, { name, entry: { ...others, command, args, env: {} } });
}

export const setsOf = (rules: OrganizationRules): readonly RuleSet[] => settingsOf(rules).map(({ rules }) => rules);

/**
 * What a person can do about a refusal: as the organization says, if it does.
 * @param other what to do else.
 */
export function remedyOf(
  rules: OrganizationRules,
  other = phrase('Choose "Copy Request for Approval" on its row, and send the text to your administrator.'),
): Phrase | string {
  if (rules.access === 'none' && rules.isOwnAccess) return phrase('Change that setting.');
  const { text, link } = settingsOf(rules).find(({ refusal }) => refusal)?.refusal ?? {};
  const told = [text, link].filter(part => part !== undefined).join(' ');
  return visible(told, 1_000) || other;
}
