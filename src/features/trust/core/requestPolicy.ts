import type { Tool } from '@modelcontextprotocol/client';
import { HostError } from '../../../base/errors';
import { type Phrase, phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { type RequestsOf, type ServerConnection, ServerRequests, type WantedRequest } from '../../../host';
import { plainId } from '../../../host/definition';
import { type ApprovalPolicy, type ByHand, isByHand, type Origin } from './approvals';
import type { AuditPort } from './audit';
import type { Flow, Trail } from './flow';
import type { Pins } from './pins';
import { type AskPerson, listedAgain, type WantedCall } from './toolCalls';

/** The caller of requests. One that acts for a model can ask the person. */
export type NamedCaller =
  | { readonly origin: ByHand }
  | (Pick<WantedCall, 'chat' | 'app' | 'client'> & {
      readonly origin: Exclude<Origin, ByHand>;
      readonly trail: Trail | undefined;
      readonly ask: AskPerson;
    });

/** Whether a request is logged. Lists and a person's own completions are not: they are frequent and give a model nothing. */
const isLogged = (origin: Origin, method: string) =>
  !LISTS.test(method) && !(isByHand(origin) && method === 'completion/complete');
const LISTS = /\/list$/;
/** In characters. */
const MAX_WHAT = 300;

/**
 * The only way to make requests other than tool calls. It is bound to a named caller and applies the rules for calls: changed
 * items and denied requests are refused; what a model reads is tracked, and a request that could send that out is asked
 * about. Each request is a line in the audit log.
 */
export class Requests {
  constructor(
    private readonly policy: ApprovalPolicy,
    private readonly pins: Pins,
    private readonly audit: AuditPort,
    private readonly flow: () => Pick<Flow, 'reason' | 'read'>,
  ) {}

  as(caller: NamedCaller): RequestsOf {
    return server => {
      const raw = ServerRequests.of(server);
      const made = <T>(request: WantedRequest, signal: AbortSignal | undefined, send: () => Promise<T>) =>
        this.#made(caller, server, { request, signal }, send);
      return {
        readResource: (uri, signal) =>
          made({ method: 'resources/read', params: { uri } }, signal, () => raw.readResource(uri, signal)),
        getPrompt: (name, args, signal) =>
          made({ method: 'prompts/get', params: { name, arguments: args } }, signal, () =>
            raw.getPrompt(name, args, signal),
          ),
        complete: (params, signal) =>
          made({ method: 'completion/complete', params }, signal, () => raw.complete(params, signal)),
        forward: (request, action, result, { onProgress: onprogress, ...options } = {}) =>
          made(request, options.signal, () =>
            raw.request(
              action,
              (client, given) =>
                client.request({ ...request }, result, { ...given, ...(onprogress && { onprogress }) }),
              options,
            ),
          ),
      };
    };
  }

  async #made<T>(
    caller: NamedCaller,
    server: ServerConnection,
    { request, signal }: { request: WantedRequest; signal: AbortSignal | undefined },
    send: () => Promise<T>,
  ): Promise<T> {
    const { method } = request;
    const record = (outcome: string) => this.#record(caller, server, request, outcome);
    try {
      await this.#assertAllowed(caller, server, request, signal);
      if (!isByHand(caller.origin) && GIVES_CONTENT.has(method)) this.flow().read(server, trailOf(caller));
      const result = await send();
      record('ok');
      return result;
    } catch (error) {
      record((error as Partial<HostError>).code ?? 'ERROR');
      throw error;
    }
  }

  async #assertAllowed(
    caller: NamedCaller,
    server: ServerConnection,
    request: WantedRequest,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { method } = request;
    const what = subjectOf(request);
    const refused = (code: 'CHANGED' | 'DENIED', reason: Phrase, remedy: Phrase) =>
      new HostError({ code, server: server.name, action: actionOf(method, what), reason, remedy });
    if (method === 'prompts/get') await listedAgain(server, 'prompts', signal);
    await this.pins.load(server);
    if (this.#isChanged(caller, server, method, what)) {
      throw refused(
        'CHANGED',
        phrase('it has changed since it was accepted'),
        phrase('To review the change, run "MCP Host: Review Changes…".'),
      );
    }
    if (!('ask' in caller) || LISTS.test(method)) return;
    const tool = requestTool(request, server);
    const args = { ...request.params };
    const { ask, ...by } = caller;
    const denied = () =>
      refused('DENIED', phrase('it was denied'), phrase('To change that, run "MCP Host: Manage Approvals…".'));
    const { id: serverId, name: serverName, definition } = server;
    const { source, launch } = definition;
    const known = { serverId, serverName, plainId: plainId(definition), scope: source.scope, launch };
    const answer = this.policy.decide({ ...known, tool, args, isChanged: false, origin: caller.origin });
    if (answer === 'deny') throw denied();
    const because = this.flow().reason({ server, tool, origin: caller.origin, trail: caller.trail, send: true });
    if (!because) return;
    const said = await ask({ ...by, server, tool, args, because }, 'accepted');
    if (said?.answer !== 'allow') throw denied();
  }

  #isChanged(caller: NamedCaller, server: ServerConnection, method: string, what: string): boolean {
    if (method === 'prompts/get')
      return server.catalog.prompts.some(prompt => prompt.name === what && this.pins.blocksPrompt(server, prompt));
    return method === 'resources/read' && !isByHand(caller.origin) && this.pins.blocksUri(server, what);
  }

  #record(caller: NamedCaller, server: ServerConnection, request: WantedRequest, outcome: string): void {
    const { method } = request;
    if (!isLogged(caller.origin, method)) return;
    const client = 'client' in caller && caller.client && { client: caller.client.id };
    const what = subjectOf(request).slice(0, MAX_WHAT);
    this.audit.record({ type: 'use', server: server.id, origin: caller.origin, ...client, method, what, outcome });
  }
}

/** Methods whose results a model reads. */
const GIVES_CONTENT: ReadonlySet<string> = new Set(['prompts/get', 'resources/read', 'skills/get']);

const trailOf = (caller: NamedCaller): Trail | undefined => ('trail' in caller ? caller.trail : undefined);

/** The subject of a request: its URI or name. */
function subjectOf({ params }: WantedRequest): string {
  const { uri, name, ref } = params as { uri?: unknown; name?: unknown; ref?: { uri?: unknown; name?: unknown } };
  return String(uri ?? name ?? ref?.uri ?? ref?.name ?? '');
}

const actionOf = (method: string, what: string): Phrase =>
  method === 'resources/read'
    ? phrase('read {0}', visible(what, 300))
    : method === 'prompts/get'
      ? phrase('get the prompt {0}', visible(what))
      : phrase('send {0}', visible(method, 80));

/**
 * Presents a request as a tool of the server, for questions and rules. URIs that the server itself has listed, and requests
 * without values from the caller, send nothing out.
 *
 * No tool of a server is named like a method; if one is, pins treat this as a change of it.
 */
export function requestTool({ method, params }: WantedRequest, server: ServerConnection): Tool {
  const isListed = method === 'resources/read' && server.catalog.resources.some(({ uri }) => uri === params.uri);
  return {
    name: method,
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: true, ...(isListed && { openWorldHint: false }) },
  };
}
