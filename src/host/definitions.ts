import type { DefinitionSource, ServerDefinition } from './definition';
import {
  fingerprint,
  type ParsedServer,
  type Problem,
  parseServers,
  resolveVariables,
  type VariableContext,
} from './settings';

/** The value of `mcpHost.servers` in one settings file, and what its variables mean there. */
export interface ConfiguredServers {
  source: DefinitionSource;
  value: unknown;
  variables: VariableContext;
}

/** What is wrong in one settings file. Paths are relative to the value of `mcpHost.servers`. */
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
  for (const { source, value, variables } of configured) {
    const parsed = parseServers(value);
    const found = [...parsed.problems];
    for (const server of parsed.servers) {
      const definition = define(server, source, variables, configKeys);
      found.push(...definition.problems);
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
  variables: VariableContext,
  configKeys: Set<string>,
): ServerDefinition {
  const id = source.folder ? `${name}@${source.folder.name}` : name;
  if (!entry) return { id, name, source, entry, problems, fingerprint: fingerprint({ problems }) };
  const resolved = resolveVariables(entry, variables);
  for (const key of resolved.configKeys) configKeys.add(key);
  const all = [...problems, ...resolved.problems.map(problem => ({ ...problem, path: [...path, ...problem.path] }))];
  const valid = !resolved.problems.some(({ severity }) => severity === 'error');
  const launched = withDefaultCwd(resolved.entry, variables);
  // What does not change the launch does not count: those changes apply without a restart.
  const { enabled, timeouts, logLevel, ...launch } = launched;
  return {
    id,
    name,
    source,
    entry: valid ? launched : undefined,
    problems: all,
    fingerprint: fingerprint({ launch, valid }),
  };
}

function withDefaultCwd(entry: NonNullable<ParsedServer['entry']>, { workspaceFolder }: VariableContext): typeof entry {
  if (entry.type !== 'stdio' || entry.cwd !== undefined || workspaceFolder === undefined) return entry;
  return { ...entry, cwd: workspaceFolder };
}
