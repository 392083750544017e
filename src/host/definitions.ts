import { resolve, sep } from 'node:path';
import type { DefinitionSource, ServerDefinition } from './definition';
import { launchFingerprint, runsByFolder } from './launchReview';
import { secretsOfEntry, secretsOfEnvValues } from './secrets';
import {
  fingerprint,
  type InputDefinition,
  type ParsedServer,
  type Placeholder,
  type Problem,
  parseInputs,
  parseServers,
  plainSecretHints,
  resolveForReview,
  resolveVariables,
  type ServerEntry,
  type UsedInputs,
  type VariableContext,
} from './settings';
import { quote } from './settings/messages';

/** The value of `mcpHost.servers` in one settings file, and what its variables mean there. */
export interface ConfiguredServers {
  source: DefinitionSource;
  value: unknown;
  /** The value of `mcpHost.inputs` in the same file: servers of other files do not get at what was entered for it. */
  inputs?: unknown;
  variables: VariableContext;
  /** Where programs run that do not say it. Default: `variables.workspaceFolder`. */
  defaultCwd?: string;
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

/**
 * Turns settings into definitions. A workspace entry takes the place of the user's one of the same name; entries of a
 * folder in a multi-root workspace stand beside all others, as `name@folder`.
 */
export function resolveDefinitions(configured: readonly ConfiguredServers[]): ResolvedDefinitions {
  const definitions = new Map<string, ServerDefinition>();
  const problems: SourceProblems[] = [];
  const configKeys = new Set<string>();
  for (const origin of configured) {
    const { source } = origin;
    const parsed = parseServers(origin.value);
    const { inputs, problems: inputProblems } = parseInputs(origin.inputs);
    const found = [...inputProblems, ...parsed.problems];
    for (const server of parsed.servers) {
      const definition = define(server, origin, inputs, configKeys);
      found.push(...definition.problems, ...plainSecretHints(server));
      // Deleted first, so that an entry stands where the file that won has it.
      definitions.delete(definition.id);
      definitions.set(definition.id, definition);
    }
    problems.push({ source, problems: found });
  }
  return { definitions: [...definitions.values()], problems, configKeys };
}

function define(
  { name, path, entry, problems }: ParsedServer,
  { source, variables, defaultCwd = variables.workspaceFolder }: ConfiguredServers,
  known: ReadonlyMap<string, InputDefinition>,
  configKeys: Set<string>,
): ServerDefinition {
  const id = source.folder ? `${name}@${source.folder.name}` : name;
  const configured = source.scope !== 'user';
  if (!entry) {
    const none = { entry, reviewed: undefined, fromWorkspace: configured, secrets: [] };
    const nothing = fingerprint({ problems });
    return { id, name, source, ...none, problems, fingerprint: nothing, launch: nothing };
  }
  const resolved = resolveVariables(entry, { ...variables, hasInput: input => known.has(input) });
  for (const key of resolved.configKeys) configKeys.add(key);
  const outside = outsideRoots(resolved.entry.roots, variables, path);
  const all = [
    ...problems,
    ...outside,
    ...resolved.problems.map(problem => ({ ...problem, path: [...path, ...problem.path] })),
  ];
  const valid = !resolved.problems.some(({ severity }) => severity === 'error');
  const launched = withDefaultCwd(resolved.entry, defaultCwd);
  // What does not change the launch does not count: those changes apply without a restart.
  const { enabled, start, timeouts, logLevel, roots, ...launch } = launched;
  const inputs = usedInputs(resolved.placeholders, known);
  const review = resolveForReview(entry, variables);
  const program = runsByFolder(review) ? withDefaultCwd(review, defaultCwd) : review;
  return {
    id,
    name,
    source,
    entry: valid ? launched : undefined,
    reviewed: valid ? withDefaultCwd(review, defaultCwd) : undefined,
    fromWorkspace: configured || resolved.configKeys.some(key => variables.isWorkspaceConfig?.(key)),
    problems: all,
    ...(inputs && { inputs }),
    secrets: [...secretsOfEntry(launched), ...secretsOfEnvValues(resolved.envValues)],
    // How an input is got is a part of what is launched: it may be a command.
    fingerprint: fingerprint({ launch, valid, inputs }),
    // Unsalted: what may be secret in it stands in settings as it is, and references have no values here.
    launch: launchFingerprint(program, inputs?.definitions ?? [], 'approvals'),
  };
}

/** Roots that are in no folder of the workspace: they are never shared. */
function outsideRoots(
  roots: ServerEntry['roots'],
  { workspaceFolder = '', workspaceFolders: folders }: VariableContext,
  path: readonly (string | number)[],
): Problem[] {
  if (!Array.isArray(roots)) return [];
  const open = [...(folders instanceof Map ? folders.values() : Object.values(folders))] as string[];
  return roots.flatMap((root, index): Problem[] => {
    const full = resolve(workspaceFolder, root);
    if (open.some(folder => full === folder || full.startsWith(folder.endsWith(sep) ? folder : folder + sep)))
      return [];
    const message = `${quote(root)} is in no folder of the workspace and is not shared. Open its folder, or remove it.`;
    return [{ severity: 'warning', path: [...path, 'roots', index], message }];
  });
}

function usedInputs(
  places: readonly Placeholder[],
  known: ReadonlyMap<string, InputDefinition>,
): UsedInputs | undefined {
  if (places.length === 0) return undefined;
  const ids = new Set(places.map(({ id }) => id));
  return { definitions: [...known.values()].filter(({ id }) => ids.has(id)), places };
}

function withDefaultCwd(entry: ServerEntry, cwd: string | undefined): ServerEntry {
  return entry.type !== 'stdio' || entry.cwd !== undefined || cwd === undefined ? entry : { ...entry, cwd };
}
