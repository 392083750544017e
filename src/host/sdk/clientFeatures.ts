import type { ClientCapabilities, Root } from '@modelcontextprotocol/client';
import type { ServerDefinition } from '../definition/definition';
import type { HostPorts } from '../definition/ports';
import { formProblem } from './formLimits';
import type { HostClient } from './hostClient';
import { APP_MIME_TYPE, UI_EXTENSION } from './toolVisibility';

type Ports = Pick<HostPorts, 'roots' | 'sampling' | 'elicitation' | 'auth' | 'drawsApps'>;

/** Ways to sign in besides the protocol's own (repository ext-auth). They are of HTTP, as all authorization is. */
const SIGN_INS = {
  'io.modelcontextprotocol/oauth-client-credentials': {},
  'io.modelcontextprotocol/enterprise-managed-authorization': {},
};

/**
 * The capabilities of this client (spec: client/roots, client/sampling, client/elicitation), including those as tasks (spec
 * 2025-11-25: basic/utilities/tasks), and its extensions.
 */
export function clientCapabilities(
  { sampling, elicitation, auth, drawsApps }: Ports,
  definition: ServerDefinition,
): ClientCapabilities {
  const extensions = {
    ...(auth && definition.entry && definition.entry.type !== 'stdio' && SIGN_INS),
    ...(drawsApps && { [UI_EXTENSION]: { mimeTypes: [APP_MIME_TYPE] } }),
  };
  const samples = sampling?.capability(definition);
  const elicits = elicitation?.capability(definition);
  return {
    roots: { listChanged: true },
    ...(samples && { sampling: samples }),
    ...(elicits && { elicitation: elicits }),
    ...((samples || elicits) && {
      tasks: {
        list: {},
        cancel: {},
        requests: {
          ...(samples && { sampling: { createMessage: {} } }),
          ...(elicits && { elicitation: { create: {} } }),
        },
      },
    }),
    ...(Object.keys(extensions).length > 0 && { extensions }),
  };
}

/**
 * Why a request is refused before anyone sees it, however it came. Undefined: it is not refused. The SDK refuses what was never
 * offered.
 */
export function requestProblem(
  method: string,
  params: Record<string, unknown> = {},
  { sampling, elicitation }: ClientCapabilities = {},
): string | undefined {
  if (method === 'sampling/createMessage' && sampling && !sampling.tools) {
    const given = (['tools', 'toolChoice'] as const).find(name => (params[name] ?? undefined) !== undefined);
    return (
      given && `the sampling request was refused: it has "${given}", and the client did not declare sampling.tools`
    );
  }
  if (method !== 'elicitation/create' || !elicitation || params.mode === 'url') return undefined;
  const problem = formProblem(params.requestedSchema);
  return problem && `the form was refused: ${problem}`;
}

interface ServerAnswers {
  /** The current answer to `roots/list`. */
  roots(): Root[];
  /** The server no longer waits for a person, for this reason. */
  cancelled(method: string, reason: unknown): void;
}

/**
 * Answers requests from a server. The SDK uses the same handlers for both eras: for requests that are pushed, and for those
 * that come with an `input_required` result. Time that a person takes does not count against the limits of requests in
 * flight.
 */
export function answerServer(
  client: HostClient,
  { sampling, elicitation }: Ports,
  server: ServerDefinition,
  { roots, cancelled }: ServerAnswers,
): void {
  /** Time that a person takes does not count, and why the server no longer waits for them goes into its log. */
  const whileAsking = <T>(method: string, signal: AbortSignal, ask: () => Promise<T>): Promise<T> => {
    const tell = () => typeof signal.reason === 'string' && cancelled(method, signal.reason);
    signal.addEventListener('abort', tell);
    return client.deadlines.whileAsking(signal, ask).finally(() => signal.removeEventListener('abort', tell));
  };
  client.setRequestHandler('roots/list', () => ({ roots: roots() }));
  if (sampling?.capability(server)) {
    client.setRequestHandler('sampling/createMessage', ({ params }, { mcpReq }) =>
      whileAsking('its sampling/createMessage', mcpReq.signal, () =>
        sampling.createMessage(server, params, mcpReq.signal),
      ),
    );
  }
  if (elicitation?.capability(server)) {
    client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) =>
      whileAsking('its elicitation/create', mcpReq.signal, () => elicitation.elicit(server, params, mcpReq.signal)),
    );
    client.setNotificationHandler('notifications/elicitation/complete', ({ params }) =>
      elicitation.completed(server, params.elicitationId),
    );
  }
}
