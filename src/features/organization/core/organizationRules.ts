import { type Phrase, phrase } from '../../../base/phrase';
import { parseUrl, visible } from '../../../base/text';
import {
  type Admission,
  type LaunchPurpose,
  type NetworkLimits,
  type ServerDefinition,
  settlePaths,
} from '../../../host/definition';
import { allowsHost, type SandboxSetting, type ServerEntry, splitCommandLine } from '../../../host/settings';
import type { TelemetrySettings } from '../../telemetry';
import type { Forbidden } from '../../trust';
import { type EditorAccess, type EditorPolicies, LIST_SETTINGS } from './editorPolicies';
import { type FileKind, FORBIDDABLE, type ManagedSettings, parseManagedFile } from './managedFile';
import type { ManagedPlaces } from './managedPlaces';
import { fromSources, hostsOf, notFromSources } from './packageSources';
import { readManagedFile } from './readManagedFile';
import {
  type ListedLaunch,
  type ListingRegistry,
  notListed,
  type RuledLaunch,
  type RuleSet,
  refusalBy,
} from './serverRules';

/** What the organization fixes, whatever settings say. */
export interface Fixed {
  /** Which servers are confined at least. */
  readonly sandbox: SandboxSetting;
  /** Whether changed definitions are blocked until they are accepted. */
  readonly enforcesPins: boolean;
  readonly forbids: readonly Forbidden[];
  /** Servers that everybody has, in the form of `mcpHost.servers`. */
  readonly servers?: Readonly<Record<string, unknown>>;
  /** Of confined programs. */
  readonly limits?: NetworkLimits;
  /** Absolute path of the file that the audit log is copied to, or `syslog`. */
  readonly auditLog?: string;
  /** Where requests to servers are reported. */
  readonly openTelemetry?: TelemetrySettings;
  /** The registry that is searched. */
  readonly registry?: string;
}

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

/** A launch at the gate. */
interface GatedLaunch {
  readonly definition: ServerDefinition;
  readonly entry: ServerEntry;
  /** The same with absolute paths. */
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
    const sources = settingsOf(now).find(settings => settings.packageSources)?.packageSources;
    // In the last step, as rules and consent concern the entry's own variables.
    return { entry: isWhole && sources ? fromSources(sources, entry) : entry };
  }
  // A redirect leads to another address, which has to pass the same rules.
  const mayReach = (url: URL) => refusalOf(rules(), { ...launch, entry: { ...entry, url: url.href } }) === undefined;
  return { entry, mayReach };
}

/** What rules fix beside which servers may start, in the strictest direction. */
export function fixedBy(rules: OrganizationRules): Fixed {
  const all = settingsOf(rules);
  const first = <K extends keyof ManagedSettings>(key: K) => all.find(settings => settings[key] !== undefined)?.[key];
  const demanded = all.map(({ sandbox }) => sandbox);
  const [servers, hosts, openTelemetry] = [first('servers'), first('allowedHosts'), first('openTelemetry')];
  const [packageSources, auditLog, registry] = [first('packageSources'), first('auditLog'), first('registry')];
  return {
    sandbox: demanded.find(one => one === 'all') ?? demanded.find(one => one !== undefined) ?? 'off',
    enforcesPins: all.some(({ enforcesPins }) => enforcesPins),
    forbids: FORBIDDABLE.filter(what => all.some(({ forbids }) => forbids.includes(what))),
    ...(servers && { servers }),
    ...((hosts || packageSources) && { limits: { hosts, sources: hostsOf(packageSources ?? {}) } }),
    ...(auditLog !== undefined && { auditLog }),
    ...(openTelemetry && { openTelemetry }),
    ...(registry !== undefined && { registry }),
  };
}

/** The settings that a managed file can fix, and when it does. What a person says in them has no effect, or not all of it. */
const FIXED = {
  'mcpHost.approvals.skipReadOnly': ({ forbids }) => forbids.includes('alwaysAllow'),
  'mcpHost.chat.codeMode': ({ forbids }) => forbids.includes('codeMode'),
  'mcpHost.openTelemetry': ({ openTelemetry }) => openTelemetry !== undefined,
  'mcpHost.pins': ({ enforcesPins }) => enforcesPins,
  'mcpHost.registry.url': ({ registry }) => registry !== undefined,
  'mcpHost.sampling.policy': ({ forbids }) => forbids.includes('sampling'),
  'mcpHost.sandbox': ({ sandbox }) => sandbox !== 'off',
  'mcpHost.shareWithAgents': ({ forbids }) => forbids.includes('shareWithAgents'),
} as const satisfies Readonly<Record<string, (fixed: Fixed) => boolean>>;

type FixedSetting = keyof typeof FIXED;

/** Those that are fixed now. */
export const fixedSettings = (fixed: Fixed): readonly FixedSetting[] =>
  (Object.keys(FIXED) as FixedSetting[]).filter(name => FIXED[name](fixed));

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
    /** The registry that is to be searched. */
    registry: settingsOf(rules).find(({ registry }) => registry !== undefined)?.registry,
    /** Why a server would not start, and what can be done about it. Undefined: nothing is known to be against it. */
    refusalOf: ({ name, entry, place, inputs }: ServerDefinition) => {
      // Inputs in variables and headers change neither what is run nor where it is.
      const isWhole = !inputs?.places.some(({ path: [field = ''] }) => field !== 'env' && field !== 'headers');
      const reason = entry && refusalOf(rules, { name, entry: settlePaths(entry, place) }, isWhole);
      return reason && { reason, remedy: remedyOf(rules, ASK) };
    },
  };
}
