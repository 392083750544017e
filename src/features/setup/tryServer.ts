import type { HostError } from '../../base/errors';
import { Emitter } from '../../base/events';
import { phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import { showProgress } from '../../editor/dialogs';
import { t } from '../../editor/window';
import { McpHost, type Remedy, remediesOf } from '../../host';
import type { Admission, ProgramPorts, ServerDefinition, ServerId } from '../../host/definition';
import { fillInputs, type ServerEntry } from '../../host/settings';

/** How long a trial waits for a ready server to finish listing what it has. */
const LISTS_MS = 10_000;

export type Trial =
  | { kind: 'ready'; tools: number; prompts: number; resources: number; templates: number }
  /** It answers, but requires a sign-in first. `remedies`: the likeliest first. */
  | { kind: 'needsAuth'; error: HostError; remedies: readonly Remedy[] }
  | { kind: 'failed'; error: HostError; remedies: readonly Remedy[] };

export type TrialPorts = Omit<ProgramPorts, 'roots'>;

/**
 * Starts servers that are not in settings yet, checks whether they answer and what they have, and ends them. They see no folders
 * and may not ask for anything. The caller has asked the person.
 * @param values of their inputs, by id.
 * @returns one trial for each server; undefined if the person cancelled them.
 */
export async function tryServers(
  definitions: readonly ServerDefinition[],
  values: ReadonlyMap<string, string>,
  ports: TrialPorts,
  version: string,
): Promise<readonly Trial[] | undefined> {
  const started = definitions.map(definition => {
    const { entry } = definition;
    return { ...definition, ...(entry && { entry: { ...entry, enabled: true, start: 'onStartup' as const } }) };
  });
  const host = new McpHost(
    { name: 'mcp-host', title: 'MCP Host', version },
    {
      ...ports,
      log: { log: () => undefined },
      roots: { list: () => [], onDidChange: new Emitter<void>().event },
      memory: { read: async () => undefined, write: async () => undefined },
      launch: ports.launch.with({ inputs: { admit: (tried, entry) => withValues(tried, entry, values) } }),
    },
    { purpose: 'trial', limits: () => ({ pingIntervalMs: 0 }) },
  );
  const count = definitions.length;
  const title =
    count === 1
      ? t('Testing the MCP server "{0}"…', visible(definitions[0]!.name, 60))
      : t('Testing {0} MCP servers…', count);
  try {
    return await showProgress(title, (cancelled, progress) => {
      const { promise, resolve } = Promise.withResolvers<readonly Trial[] | undefined>();
      cancelled.addEventListener('abort', () => resolve(undefined));
      const trials = new Map<ServerId, Trial>();
      const patience = new Map<ServerId, NodeJS.Timeout>();
      const look = (id: ServerId, isLate: boolean) => {
        const trial = trials.has(id) ? undefined : trialOf(host.get(id), isLate);
        if (!trial) return;
        if (trial === 'listing') {
          if (!patience.has(id)) patience.set(id, setTimeout(look, LISTS_MS, id, true));
          return;
        }
        clearTimeout(patience.get(id));
        trials.set(id, trial);
        if (count > 1) progress.report({ message: t('{0} of {1}', trials.size, count), increment: 100 / count });
        if (trials.size === count) resolve(definitions.map(each => trials.get(each.id)!));
      };
      const lookAtAll = () => {
        for (const { id } of definitions) look(id, false);
      };
      // A moment later, because a server counts as ready before its lists are requested.
      host.onDidChangeServer(() => setImmediate(lookAtAll));
      host.reconcile(started);
      lookAtAll();
      return promise;
    });
  } finally {
    await host.dispose();
  }
}

/** With the values that the person has just entered. They are not stored yet. */
function withValues({ inputs }: ServerDefinition, entry: ServerEntry, values: ReadonlyMap<string, string>): Admission {
  if (!inputs) return { entry };
  const filled = fillInputs(entry, inputs, values);
  if ('entry' in filled) return { ...filled, secrets: [...values.values()] };
  const { id, message } = filled.problem;
  const reason = phrase('the value of its input "{0}" cannot be used: {1}', id, message);
  return { needs: 'needsInput', reason, remedy: phrase('Enter a different value.') };
}

type TrialServer = ReturnType<McpHost['get']>;

function trialOf(server: TrialServer, isLate: boolean): Trial | 'listing' | undefined {
  if (!server) return undefined;
  const { state, catalog } = server;
  if (state.kind === 'ready') {
    const lists = (['tools', 'prompts', 'resources', 'resourceTemplates'] as const).map(kind => catalog.list(kind));
    if (!isLate && lists.some(({ status }) => status === 'loading')) return 'listing';
    const [tools = 0, prompts = 0, resources = 0, templates = 0] = lists.map(({ items }) => items.length);
    return { kind: 'ready', tools, prompts, resources, templates };
  }
  if (!('error' in state)) return undefined;
  const kind = state.kind === 'needsAuth' ? 'needsAuth' : 'failed';
  return { kind, error: state.error, remedies: remediesOf(server) };
}
