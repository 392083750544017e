import { isAbsolute, join, resolve } from 'node:path';
import { isWithin } from '../base/filePlace';
import { fingerprint, keepCanonical } from '../base/fingerprint';
import { phrase } from '../base/phrase';
import {
  type DefinitionSource,
  isAtHome,
  type LaunchPlace,
  type ServerDefinition,
  type ServerId,
  serverIds,
  settlePaths,
} from './definition/definition';
import { installedPrograms, programProblems } from './launch/installedProgram';
import { fetchesPinned, runsByFolder } from './launch/launchFingerprint';
import { runsInside } from './launch/workspaceMention';
import { secretsOfEntry, secretsOfEnvValues } from './secrets/entrySecrets';
import {
  folderPaths,
  type InputDefinition,
  type ParsedServer,
  type Placeholder,
  type Problem,
  type ProgramEntry,
  parseInputs,
  parseServers,
  plainSecretHints,
  programIn,
  resolveVariables,
  type ServerEntry,
  SettingsBudget,
  type UsedInputs,
  type VariableContext,
  withProgram,
} from './settings';
import { quote } from './settings/fieldProblems';
import { fieldsWith } from './settings/fields';
import { MAX_PROBLEMS, unreadable } from './settings/parseServers';
import { identityProvider } from './settings/schema';
import { type Meter, SETTINGS_LIMITS } from './settings/settingsBudget';
import { REFERENCE } from './settings/variables';

/** The value of `mcpHost.servers` in one settings file, and what its variables mean there. */
export interface ConfiguredServers {
  source: DefinitionSource;
  value: unknown;
  /** The value of `mcpHost.inputs` in the same file: servers of other files have no access to what was entered for it. */
  inputs?: unknown;
  variables: VariableContext;
  /** Whether the workspace is trusted. Default: true. */
  isTrusted?: boolean;
  /** `identityProvider` of all servers whose `oauth` has the grant of one and names none, unchecked. */
  identityProvider?: unknown;
  /** Where each server of the user has a folder to run in, which need not exist. Absent: the home folder. */
  ownFolders?: string;
}

/** What is wrong in one settings file. Paths are relative to the value of `mcpHost.servers`, or of the setting that a problem names. */
export interface SourceProblems {
  source: DefinitionSource;
  problems: readonly Problem[];
}

export interface ResolvedDefinitions {
  /** In the order given; the last one wins where several have one id. */
  definitions: readonly ServerDefinition[];
  problems: readonly SourceProblems[];
  /** Settings that `${config:…}` refers to: a change of one of them changes definitions. */
  configKeys: ReadonlySet<string>;
}

/** Turns settings into definitions. A workspace's entry replaces the user's; folders' stand beside (`serverIds`). */
export function resolveDefinitions(configured: readonly ConfiguredServers[]): ResolvedDefinitions {
  const definitions = new Map<string, ServerDefinition>();
  const problems: SourceProblems[] = [];
  const configKeys = new Set<string>();
  // One file names all folders of a workspace.
  const ofFolders = new SettingsBudget();
  const all = configured.map(origin => {
    const budget = origin.source.scope === 'workspaceFolder' ? ofFolders : new SettingsBudget();
    return { origin: withKnownConfig(origin), budget, parsed: parseServers(origin.value, budget) };
  });
  const ids = serverIds(
    all.flatMap(({ origin, parsed }) => parsed.servers.map(({ name }) => ({ name, source: origin.source }))),
  ).values();
  const names = new Map<string, string>();
  for (const { origin, budget, parsed } of all) {
    const { source } = origin;
    const { inputs: known, problems: inputProblems } = parseInputs(origin.inputs, budget);
    const order = new Map([...known.keys()].map((id, index) => [id, index]));
    const found = [...inputProblems, ...parsed.problems];
    for (const server of parsed.servers) {
      const { definition, hints } = defined(ids.next().value!, withTwin(server, names), origin, {
        known,
        order,
        configKeys,
        meter: budget.meter(),
      });
      // Not spread into one call: what a file holds may be more than a call has room for.
      for (const problem of [...definition.problems, ...hints]) found.push(problem);
      // Deleted first, so that an entry gets its place in the order of the file that won.
      definitions.delete(definition.id);
      definitions.set(definition.id, definition);
    }
    problems.push({ source, problems: fewOf(found, SETTINGS_LIMITS.problems) });
  }
  return { definitions: [...definitions.values()], problems, configKeys };
}

/** Looks each setting up once, however many variables name it: the editor copies its value each time. */
function withKnownConfig(origin: ConfiguredServers): ConfiguredServers {
  const known = new Map<string, unknown>();
  const config = (key: string) => {
    if (!known.has(key)) known.set(key, origin.variables.config(key));
    return known.get(key);
  };
  return { ...origin, variables: { ...origin.variables, config } };
}

/** With the identity provider of all servers, if it signs in at one and names none. */
function withProvider(server: ParsedServer, { identityProvider: value }: ConfiguredServers): ParsedServer {
  const { entry } = server;
  if (value === undefined || !entry || entry.type === 'stdio') return server;
  const { oauth } = entry;
  if (oauth?.grant !== 'jwt_bearer' || oauth.identityProvider || oauth.assertion !== undefined) return server;
  const provider = identityProvider.safeParse(value).data;
  return provider ? { ...server, entry: { ...entry, oauth: { ...oauth, identityProvider: provider } } } : server;
}

/** With a warning if another server has the same name in other letters. @param names of those before, by themselves in lower case. */
function withTwin(server: ParsedServer, names: Map<string, string>): ParsedServer {
  const { name, path, problems } = server;
  const key = name.toLowerCase();
  const twin = names.get(key) ?? name;
  names.set(key, twin);
  if (twin === name) return server;
  const message = phrase(
    'Only upper and lower case distinguish {0} from {1}. Rename one of them.',
    quote(name),
    quote(twin),
  );
  return { ...server, problems: [...problems, { severity: 'warning', path, onKey: true, message }] };
}

interface EntryContext {
  readonly known: ReadonlyMap<string, InputDefinition>;
  /** The place of each in the settings. */
  readonly order: ReadonlyMap<string, number>;
  readonly configKeys: Set<string>;
  /** Counts what becomes of this entry. */
  readonly meter: Meter;
}

interface DefinedServer {
  readonly definition: ServerDefinition;
  readonly hints: readonly Problem[];
}

/** Of many problems the first, and errors before warnings: one of them says why there is no entry. */
function fewOf(problems: readonly Problem[], most: number = MAX_PROBLEMS): readonly Problem[] {
  if (problems.length <= most) return problems;
  const [errors = [], others = []] = [true, false].map(isError =>
    problems.filter(({ severity }) => (severity === 'error') === isError),
  );
  return [...errors, ...others].slice(0, most);
}

/** Resolves an entry behind a catch of its own: what can't be resolved is a row without an entry. */
function defined(id: ServerId, server: ParsedServer, origin: ConfiguredServers, known: EntryContext): DefinedServer {
  try {
    return {
      definition: define(id, withProvider(server, origin), origin, known),
      hints: plainSecretHints(server, !isAtHome(origin.source)),
    };
  } catch (error) {
    const { name, path } = server;
    const problems = [...server.problems, unreadable(path, error)];
    return { definition: define(id, { name, path, raw: undefined, problems }, origin, known), hints: [] };
  }
}

function define(
  id: ServerId,
  { name, path, entry, problems }: ParsedServer,
  origin: ConfiguredServers,
  { known, order, configKeys, meter }: EntryContext,
): ServerDefinition {
  const { source, variables } = origin;
  const configured = source.scope !== 'user';
  if (!entry) {
    const { place } = placeOf(name, undefined, origin);
    const none = { entry, reviewed: undefined, fromWorkspace: configured, workspaceVariables: [], secrets: [] };
    const nothing = fingerprint({ problems });
    return { id, name, source, ...none, place, problems, fingerprint: nothing, launch: nothing };
  }
  const resolved = resolveVariables(entry, { ...variables, hasInput: input => known.has(input) }, meter);
  for (const key of resolved.configKeys) configKeys.add(key);
  const all = [
    ...problems,
    ...outsideRoots(resolved.entry.roots, variables, path),
    ...programProblems(resolved.entry).map(problem => ({ ...problem, path: [...path, ...problem.path] })),
    ...resolved.problems.map(problem => ({ ...problem, path: [...path, ...problem.path] })),
  ];
  const valid = !resolved.problems.some(({ severity }) => severity === 'error');
  const { place, cwd } = placeOf(name, resolved.entry, origin);
  const filledIn = new Set(
    resolved.placeholders.map(({ path: [field, part] }) => (field === 'headersHelper' ? part : field)),
  );
  const launched = withDefaultCwd(
    settlePaths(resolved.entry, place, field => filledIn.has(field)),
    cwd,
  );
  const leads = (settled: ServerEntry) => runsInside(settled, place, othersFolders(origin));
  const inputs = usedInputs(resolved.placeholders, { known, order, meter });
  // What is known only at the launch can't be settled.
  const isOpen = (text = '') => text.includes(REFERENCE);
  const review = settlePaths(resolved.reviewed, place, field => isOpen(programIn(resolved.reviewed)?.[field]));
  // A folder of its own decides nothing.
  const decides = !place.inOwnFolder && runsByFolder(review);
  let secrets: readonly string[] | undefined;
  const program = fieldsWith(decides ? withDefaultCwd(review, cwd) : review, 'program');
  return {
    id,
    name,
    source,
    entry: valid ? launched : undefined,
    reviewed: valid ? withDefaultCwd(review, cwd) : undefined,
    fromWorkspace: configured || resolved.configKeys.some(key => variables.isWorkspaceConfig?.(key)),
    ...(leads(launched) && { leadsIntoWorkspace: true }),
    ...((filledIn.has('cwd') || filledIn.has('envFile')) && { leadsInto: leads }),
    workspaceVariables: resolved.workspaceVariables,
    place,
    problems: fewOf(all),
    ...(inputs && { inputs }),
    // They take a third of the time, and many definitions are only compared or shown.
    get secrets() {
      secrets ??= [...secretsOfEntry(launched), ...secretsOfEnvValues(resolved.envValues)];
      return secrets;
    },
    // Other changes apply without a restart. The definition of an input is part of what is launched: it may be a command.
    fingerprint: fingerprint({ launch: fieldsWith(launched, 'program', 'rights', 'session'), valid, inputs }),
    // Unsalted, because secrets in it are in plain text in settings anyway, and references have no values here.
    launch: fingerprint({ salt: 'approvals', launch: program, inputs: inputs?.definitions ?? [] }),
  };
}

/**
 * Where it is launched from, and the folder in which it runs unless it names one. A package of a fixed version runs in a folder of its
 * own, where no file of the workspace says from where it is fetched. A program of the person runs in the workspace
 * only if it lies there itself: else files in the workspace would decide what it does, or even what runs.
 */
function placeOf(
  name: string,
  entry: ServerEntry | undefined,
  { source, variables, isTrusted = true, ownFolders }: ConfiguredServers,
): { place: LaunchPlace; cwd: string | undefined } {
  const { workspaceFolder, userHome } = variables;
  const folders = folderPaths(variables);
  const isOfPerson = isAtHome(source);
  const base = isOfPerson ? userHome : (workspaceFolder ?? userHome);
  const program = entry && programIn(entry);
  const saysCwd = program?.cwd !== undefined;
  const staysOut = isOfPerson && program !== undefined && !saysCwd;
  const around = staysOut && isTrusted ? folderOf(program, folders) : undefined;
  if (!isOfPerson && ownFolders !== undefined && !saysCwd && program !== undefined && fetchesPinned(program)) {
    const own = join(ownFolders, ownFolderName(name, workspaceFolder));
    return { place: { base, saysCwd, inOwnFolder: true, clearOf: isTrusted ? [] : folders }, cwd: own };
  }
  if (!staysOut || around !== undefined) {
    const cwd = around ?? (isTrusted ? workspaceFolder : userHome);
    return { place: { base, saysCwd, inOwnFolder: false, clearOf: isTrusted ? [] : folders }, cwd };
  }
  // Files in the home folder are the person's own, even if that is the open folder.
  const clearOf = isTrusted ? foldersWithoutHome(variables) : folders;
  const cwd = ownFolders === undefined ? userHome : join(ownFolders, ownFolderName(name));
  return { place: { base, saysCwd, inOwnFolder: ownFolders !== undefined, clearOf }, cwd };
}

/** Folders of the workspace that may influence a program of the person's. Their home folder never counts, even if it is open. */
const othersFolders = ({ source, variables, isTrusted = true }: ConfiguredServers): readonly string[] =>
  isAtHome(source) && isTrusted ? foldersWithoutHome(variables) : [];

const foldersWithoutHome = (variables: VariableContext) =>
  folderPaths(variables).filter(folder => !isWithin(folder, variables.userHome));

/** The folder of the workspace that holds what a command line runs. */
function folderOf({ command, args }: ProgramEntry, folders: readonly string[]): string | undefined {
  const programs = (installedPrograms(command, args) ?? []).filter(path => isAbsolute(path));
  return folders.find(folder => programs.some(path => isWithin(folder, path)));
}

/** Readable, and different for each name, and for each workspace that configures one. */
const ownFolderName = (name: string, workspace?: string) =>
  `${name.replaceAll(/[^\w-]+/g, '_').slice(0, 40)}-${fingerprint({ name, workspace }).slice(0, 8)}`;

/** Roots that are in no folder of the workspace: they are never shared. */
function outsideRoots(
  roots: ServerEntry['roots'],
  variables: VariableContext,
  path: readonly (string | number)[],
): Problem[] {
  if (!Array.isArray(roots)) return [];
  const open = folderPaths(variables);
  return roots.flatMap((root, index): Problem[] => {
    const full = resolve(variables.workspaceFolder ?? '', root);
    if (open.some(folder => isWithin(folder, full))) return [];
    const message = phrase(
      '{0} is not in a workspace folder, so it is not shared. Open its folder, or remove it.',
      quote(root),
    );
    return [{ severity: 'warning', path: [...path, 'roots', index], message }];
  });
}

/** The inputs that a server names, in the order of the settings. Takes no time for those that it does not name. */
function usedInputs(
  places: readonly Placeholder[],
  { known, order, meter }: Omit<EntryContext, 'configKeys'>,
): UsedInputs | undefined {
  if (places.length === 0) return undefined;
  const ids = [...new Set(places.map(({ id }) => id))].filter(id => known.has(id));
  ids.sort((a, b) => order.get(a)! - order.get(b)!);
  const definitions = ids.map(id => known.get(id)!);
  // They are part of its fingerprint.
  for (const definition of definitions) meter({ filled: keepCanonical(definition).length });
  return { definitions, places };
}

function withDefaultCwd(entry: ServerEntry, cwd: string | undefined): ServerEntry {
  return cwd === undefined ? entry : withProgram(entry, program => ({ ...program, cwd: program.cwd ?? cwd }));
}
