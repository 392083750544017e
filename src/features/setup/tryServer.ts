import type { HostError } from '../../base/errors';
import { Emitter } from '../../base/events';
import { phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import { showProgress } from '../../editor/dialogs';
import { t } from '../../editor/window';
import { McpHost, type Remedy, remediesOf } from '../../host';
import type { Admission, ProgramPorts, ServerDefinition } from '../../host/definition';
import { fillInputs, type ServerEntry } from '../../host/settings';

/** How long a trial waits for a ready server to finish listing what it has. */
const LISTS_MS = 10_000;

export type Trial =
  | { kind: 'ready'; tools: number; prompts: number; resources: number; templates: number }
  /** It answers, but requires a sign-in first. `remedies`: the likeliest first. */
  | { kind: 'needsAuth'; error: HostError; remedies: readonly Remedy[] }
  | { kind: 'failed'; error: HostError; remedies: readonly Remedy[] }
  | { kind: 'cancelled' };

export type TrialPorts = Omit<ProgramPorts, 'roots'>;

/**
 * Starts a server that is not in settings yet, checks whether it answers and what it has, and ends it. It sees no folders and
 * may not ask for anything. The caller has asked the person.
 * @param values of its inputs, by id.
 */
export async function tryServer(
  definition: ServerDefinition,
  values: ReadonlyMap<string, string>,
  ports: TrialPorts,
  version: string,
): Promise<Trial> {
  const { entry } = definition;
  const started: ServerDefinition = {
    ...definition,
    ...(entry && { entry: { ...entry, enabled: true, start: 'onStartup' } }),
  };
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
  const name = visible(definition.name, 60);
  try {
    return await showProgress(
      t('Testing the MCP server "{0}"…', name),
      cancelled =>
        new Promise<Trial>(resolve => {
          cancelled.addEventListener('abort', () => resolve({ kind: 'cancelled' }));
          let patience: NodeJS.Timeout | undefined;
          const look = (isLate: boolean) => {
            const trial = trialOf(host.get(definition.id), isLate);
            if (trial === 'listing') patience ??= setTimeout(() => look(true), LISTS_MS);
            else if (trial) {
              clearTimeout(patience);
              resolve(trial);
            }
          };
          // A moment later, because a server counts as ready before its lists are requested.
          host.onDidChangeServer(() => setImmediate(() => look(false)));
          host.reconcile([started]);
          look(false);
        }),
    );
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

type Tried = ReturnType<McpHost['get']>;

function trialOf(server: Tried, isLate: boolean): Trial | 'listing' | undefined {
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
