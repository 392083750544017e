import type { DefinitionSource, ServerDefinition } from './definition';
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
  resolveVariables,
  type UsedInputs,
  type VariableContext,
} from './settings';

/** The value of `mcpHost.servers` in one settings file, and what its variables mean there. */
export interface ConfiguredServers {
  source: DefinitionSource;
  value: unknown;
  /** The value of `mcpHost.inputs` in the same file: servers of other files do not get at what was entered for it. */
  inputs?: unknown;
  variables: VariableContext;
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
  for (const { source, value, inputs: configuredInputs, variables } of configured) {
    const parsed = parseServers(value);
    const { inputs, problems: inputProblems } = parseInputs(configuredInputs);
    const found = [...inputProblems, ...parsed.problems];
    for (const server of parsed.servers) {
      const definition = define(server, source, inputs, variables, configKeys);
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
  source: DefinitionSource,
  known: ReadonlyMap<string, InputDefinition>,
  variables: VariableContext,
  configKeys: Set<string>,
): ServerDefinition {
  const id = source.folder ? `${name}@${source.folder.name}` : name;
  if (!entry) return { id, name, source, entry, problems, secrets: [], fingerprint: fingerprint({ problems }) };
  const resolved = resolveVariables(entry, { ...variables, hasInput: input => known.has(input) });
  for (const key of resolved.configKeys) configKeys.add(key);
  const all = [...problems, ...resolved.problems.map(problem => ({ ...problem, path: [...path, ...problem.path] }))];
  const valid = !resolved.problems.some(({ severity }) => severity === 'error');
  const launched = withDefaultCwd(resolved.entry, variables);
  // What does not change the launch does not count: those changes apply without a restart.
  const { enabled, start, timeouts, logLevel, ...launch } = launched;
  const inputs = usedInputs(resolved.placeholders, known);
  return {
    id,
    name,
    source,
    entry: valid ? launched : undefined,
    problems: all,
    ...(inputs && { inputs }),
    secrets: [...secretsOfEntry(launched), ...secretsOfEnvValues(resolved.envValues)],
    // How an input is got is a part of what is launched: it may be a command.
    fingerprint: fingerprint({ launch, valid, inputs }),
  };
}

function usedInputs(
  places: readonly Placeholder[],
  known: ReadonlyMap<string, InputDefinition>,
): UsedInputs | undefined {
  if (places.length === 0) return undefined;
  const ids = new Set(places.map(({ id }) => id));
  return { definitions: [...known.values()].filter(({ id }) => ids.has(id)), places };
}

function withDefaultCwd(entry: NonNullable<ParsedServer['entry']>, { workspaceFolder }: VariableContext): typeof entry {
  if (entry.type !== 'stdio' || entry.cwd !== undefined || workspaceFolder === undefined) return entry;
  return { ...entry, cwd: workspaceFolder };
}
