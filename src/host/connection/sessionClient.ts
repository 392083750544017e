import type {
  ClientCapabilities,
  CreateMessageRequest,
  Implementation,
  LoggingLevel,
  Root,
} from '@modelcontextprotocol/client';
import { bugIn, messageOf } from '../../base/errors';
import { visible } from '../../base/text';
import { APP_MIME_TYPE, UI_EXTENSION } from '../catalog/tools';
import type { ServerDefinition } from '../definition/definition';
import type { HostPorts } from '../definition/ports';
import { carriedIn, schemaOf } from '../reading/carried';
import { carriedForm, carryingForm, formProblem } from '../sdk/forms';
import { type ClientHooks, HostClient } from '../sdk/hostClient';
import { SchemaChecks } from '../sdk/schemaChecks';
import type { GuardedPorts } from '../secrets/redactor';
import { LEGACY_REVISIONS } from '../settings/schema';

/** What the client of a session reports, and asks for. */
export interface ClientListeners
  extends Required<Pick<ClientHooks, 'logLevel' | 'leftOut' | 'streamed' | 'eventTypesChanged'>> {
  listChanged(kind: 'tools' | 'prompts' | 'resources'): void;
  resourceUpdated(uri: string): void;
  /** The current answer to `roots/list`. */
  roots(): Root[];
  log(source: 'stderr' | 'stdout' | 'lifecycle', level: LoggingLevel, text: string): void;
}

/** The SDK's client for one connection, with the answers to everything that a server may ask or notify. */
export function createClient(
  server: ServerDefinition,
  ports: GuardedPorts,
  listeners: ClientListeners,
  { clientInfo, probeMs }: { readonly clientInfo: Implementation; readonly probeMs: number },
): HostClient {
  const log = (level: LoggingLevel, text: string) => listeners.log('lifecycle', level, text);
  const revision = server.entry?.protocol;
  const cancelled = (method: string, reason: unknown) => {
    // `Pings` reports missed pings.
    if (method === 'ping' || method === 'server/discover') return;
    log('info', `${method} was cancelled: ${visible(messageOf(reason, 200))}`);
  };
  const watched = {
    server,
    began: performance.now(),
    get protocolVersion() {
      return client.getNegotiatedProtocolVersion();
    },
    get id() {
      return client.transport?.sessionId;
    },
    redact: (text: string) => ports.redactor.text(text),
  };
  const client: HostClient = new HostClient(
    clientInfo,
    {
      capabilities: clientCapabilities(ports, server),
      jsonSchemaValidator: new SchemaChecks(),
      ...(revision && { supportedProtocolVersions: [revision, ...LEGACY_REVISIONS.filter(one => one !== revision)] }),
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: probeMs } },
    },
    {
      logLevel: () => listeners.logLevel(),
      problem: requestProblem,
      carried: (method, params) => (method === 'elicitation/create' ? carryingForm(params) : params),
      leftOut: listeners.leftOut,
      streamed: listeners.streamed,
      refused: problem => log('warning', problem),
      tasks: (said, level = 'info') => log(level, said),
      cancelled,
      watch: () => ports.watch?.(watched),
      eventTypesChanged: () => listeners.eventTypesChanged(),
    },
  );
  answerServer(client, ports, server, { roots: () => listeners.roots(), cancelled });
  client.setNotificationHandler('notifications/message', ({ params }) =>
    ports.log.log(server, { source: 'server', ...params }),
  );
  for (const kind of ['tools', 'prompts', 'resources'] as const) {
    client.setNotificationHandler(`notifications/${kind}/list_changed`, () => listeners.listChanged(kind));
  }
  client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
    listeners.resourceUpdated(params.uri),
  );
  client.onerror = error => {
    // The SDK puts whole messages into its errors.
    const bug = bugIn(error);
    log(bug === undefined ? 'debug' : 'error', bug ?? messageOf(error));
  };
  return client;
}

/** The parameters of a request for a model, out of the stand-in that the SDK has judged. */
const samplingParams = schemaOf(value => ({ value: carriedIn(value) as CreateMessageRequest['params'] }));

type Ports = Pick<HostPorts, 'roots' | 'sampling' | 'elicitation' | 'auth' | 'drawsApps'>;

/** Ways to sign in besides the protocol's own (repository ext-auth). They are of HTTP, as all authorization is. */
const SIGN_INS = {
  'io.modelcontextprotocol/oauth-client-credentials': {},
  'io.modelcontextprotocol/enterprise-managed-authorization': {},
};

/** What this client can do (spec: client/roots, sampling, elicitation, 2025-11-25 tasks), and its extensions. */
function clientCapabilities(
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

/** Why a request is refused before anyone sees it. Undefined: it is not. The SDK refuses what was never offered. */
function requestProblem(
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

/**
 * Answers requests from a server. The SDK uses the same handlers for both eras: for requests that are pushed, and for those
 * that come with an `input_required` result. Time that a person takes does not count against the limits of requests in
 * flight.
 */
function answerServer(
  client: HostClient,
  { sampling, elicitation }: Ports,
  server: ServerDefinition,
  { roots, cancelled }: Pick<ClientListeners, 'roots'> & Required<Pick<ClientHooks, 'cancelled'>>,
): void {
  /** Time that a person takes does not count, and why the server no longer waits for them goes into its log. */
  const whileAsking = <T>(method: string, signal: AbortSignal, ask: () => Promise<T>): Promise<T> => {
    const tell = () => typeof signal.reason === 'string' && cancelled(method, signal.reason);
    signal.addEventListener('abort', tell);
    return client.deadlines.whileAsking(signal, ask).finally(() => signal.removeEventListener('abort', tell));
  };
  client.setRequestHandler('roots/list', () => ({ roots: roots() }));
  if (sampling?.capability(server)) {
    client.setRequestHandler('sampling/createMessage', { params: samplingParams }, (params, { mcpReq }) =>
      whileAsking('its sampling/createMessage', mcpReq.signal, () =>
        sampling.createMessage(server, params, mcpReq.signal),
      ),
    );
  }
  if (elicitation?.capability(server)) {
    client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) =>
      whileAsking('its elicitation/create', mcpReq.signal, () =>
        elicitation.elicit(server, carriedForm(params), mcpReq.signal),
      ),
    );
    client.setNotificationHandler('notifications/elicitation/complete', ({ params }) =>
      elicitation.completed(server, params.elicitationId),
    );
  }
}
