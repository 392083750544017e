import type { Tool } from '@modelcontextprotocol/client';
import { HostError } from '../../../base/errors';
import { DisposableStore } from '../../../base/events';
import { type Phrase, phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import {
  eventChannel,
  givesContent,
  isCallerMethod,
  type OpenRequests,
  type RequestsOf,
  type ServerConnection,
  type WantedRequest,
  type WantedSubscription,
} from '../../../host';
import { noteProgram } from '../../../host/definition';
import { type ByHand, isByHand, type Origin } from './approvals';
import type { Trail } from './flow';
import { type AskApproval, listedAgain, policyCall, type ToolCallServices, type WantedCall } from './toolCalls';

/** The caller of requests. One that acts for a model can ask the person; for a test, `client` is its file. */
export type NamedCaller =
  | (Pick<WantedCall, 'client'> & { readonly origin: ByHand })
  | (Pick<WantedCall, 'chat' | 'app' | 'client'> & {
      readonly origin: Exclude<Origin, ByHand>;
      readonly trail: Trail | undefined;
      readonly ask: AskApproval;
    });

/** Whether denials and changes hold for a request: the person's own hand overrides them, and a file of tests is not that. */
const heedsDenials = (origin: Origin) => !isByHand(origin) || origin === 'test';

/** Whether a request is logged. Lists and a person's own completions are not: they are frequent and give a model nothing. */
const isLogged = (origin: Origin, method: string) =>
  !LISTS.test(method) && !(isByHand(origin) && method === 'completion/complete');
const LISTS = /\/list$/;
/** In characters. */
const MAX_WHAT = 300;

/** What the policy decides on: also what is sent for a caller in a way of its own. */
type PolicyRequest = Omit<WantedRequest, 'method'> & { readonly method: WantedRequest['method'] | 'events/stream' };

type RequestServices = Omit<ToolCallServices, 'make' | 'trace'>;

/**
 * The only way to make requests other than tool calls. It is bound to a named caller and applies the rules for calls: changed
 * items and denied requests are refused; what a model reads is tracked, and a request that could send that out is asked
 * about. Each request is a line in the audit log.
 */
export class Requests {
  readonly #services: RequestServices;

  constructor(services: RequestServices) {
    this.#services = services;
  }

  /** This policy for the servers of another host, which its owner opens. */
  over(open: OpenRequests): Requests {
    return new Requests({ ...this.#services, open });
  }

  as(caller: NamedCaller): RequestsOf {
    return server => {
      const raw = this.#services.open(server);
      const made = async <T>(
        request: PolicyRequest,
        signal: AbortSignal | undefined,
        send: () => Promise<T>,
      ): Promise<T> => {
        try {
          await this.#assertAllowed(caller, server, request, signal);
          if (!isByHand(caller.origin) && givesContent(request.method))
            this.#services.flow().read(server, 'trail' in caller ? caller.trail : undefined);
          const result = await send();
          this.#record(caller, server, request, 'ok');
          return result;
        } catch (error) {
          this.#record(caller, server, request, (error as Partial<HostError>).code ?? 'ERROR');
          throw error;
        }
      };
      return {
        readResource: (uri, signal, ofSkill) =>
          made({ method: 'resources/read', params: { uri }, ofSkill }, signal, () => raw.readResource(uri, signal)),
        getPrompt: (name, args, signal) =>
          made({ method: 'prompts/get', params: { name, arguments: args } }, signal, () =>
            raw.getPrompt(name, args, signal),
          ),
        complete: (params, signal) =>
          made({ method: 'completion/complete', params }, signal, () => raw.complete(params, signal)),
        subscribe: uri => {
          const subscription = new DisposableStore();
          const allowed = made({ method: 'resources/subscribe', params: { uri } }, undefined, async () => {
            subscription.add(raw.subscribe(uri));
          });
          // A caller that does not ask hears of no change.
          allowed.catch(() => {});
          return { allowed, dispose: () => subscription.dispose() } satisfies WantedSubscription;
        },
        followEvents: (name, args) => {
          const request = { method: 'events/stream', params: { name, arguments: args } } as const;
          return made(request, undefined, async () => eventChannel(raw, name, args));
        },
        permitted: (request, signal) => made(request, signal, async () => {}),
        forward: (request, action, result, { onProgress: onprogress, ...options } = {}) => {
          const { method, params } = request;
          return made(request, options.signal, () =>
            raw.request(
              action,
              (client, given) =>
                client.request({ method, params }, result, { ...given, ...(onprogress && { onprogress }) }),
              { ...options, isRead: isCallerMethod(method) },
            ),
          );
        },
      };
    };
  }

  async #assertAllowed(
    caller: NamedCaller,
    server: ServerConnection,
    request: PolicyRequest,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { method } = request;
    const what = subjectOf(request);
    const refused = (code: 'CHANGED' | 'DENIED', reason: Phrase, remedy: Phrase) =>
      new HostError({ code, server: server.name, action: actionOf(method, what), reason, remedy });
    if (method === 'prompts/get') await listedAgain(server, 'prompts', signal);
    await this.#services.pins.load(server);
    if (this.#isChanged(caller, server, method, what)) {
      throw refused(
        'CHANGED',
        phrase('it has changed since it was accepted'),
        phrase('To review the change, run "MCP Host: Review Changes…".'),
      );
    }
    const { origin } = caller;
    const denied = () =>
      refused('DENIED', phrase('it was denied'), phrase('To change that, run "MCP Host: Manage Trust…".'));
    if (!heedsDenials(origin)) return;
    if (!isCallerMethod(method) && method !== 'resources/subscribe') throw denied();
    if (LISTS.test(method)) return;
    const tool = requestTool(request, server);
    const args = { ...request.params };
    if (this.#services.policy.decide(policyCall({ server, tool, args, origin })).answer === 'deny') throw denied();
    if (!('ask' in caller)) return;
    const { ask, ...from } = caller;
    const by = { server, tool, origin, trail: caller.trail };
    const because = this.#services.flow().reason({ ...by, isRequest: true, ofSkill: request.ofSkill });
    if (!because) return;
    const isSame = noteProgram(server);
    const said = await ask({ ...from, server, tool, args, because }, 'accepted');
    if (said?.answer !== 'allow' || !isSame()) throw denied();
  }

  #isChanged(caller: NamedCaller, server: ServerConnection, method: string, what: string): boolean {
    const { pins } = this.#services;
    if (method === 'prompts/get')
      return server.catalog.prompts.some(prompt => prompt.name === what && pins.blocksPrompt(server, prompt));
    return OF_RESOURCES.has(method) && heedsDenials(caller.origin) && pins.blocksUri(server, what);
  }

  #record(caller: NamedCaller, server: ServerConnection, request: PolicyRequest, outcome: string): void {
    const { method } = request;
    if (!isLogged(caller.origin, method)) return;
    const client = caller.client && { client: caller.client.id };
    const what = subjectOf(request).slice(0, MAX_WHAT);
    this.#services.audit.record({
      type: 'use',
      server: server.id,
      origin: caller.origin,
      ...client,
      method,
      what,
      outcome,
    });
  }
}

const OF_RESOURCES: ReadonlySet<string> = new Set(['resources/read', 'resources/subscribe']);

function subjectOf({ params }: PolicyRequest): string {
  const { uri, name, ref } = params as { uri?: unknown; name?: unknown; ref?: { uri?: unknown; name?: unknown } };
  return String(uri ?? name ?? ref?.uri ?? ref?.name ?? '');
}

function actionOf(method: string, what: string): Phrase {
  switch (method) {
    case 'resources/read':
      return phrase('read {0}', visible(what, 300));
    case 'prompts/get':
      return phrase('get the prompt {0}', visible(what));
    case 'resources/subscribe':
      return phrase('subscribe to {0}', visible(what, 300));
    case 'events/stream':
      return phrase('follow the events {0}', visible(what));
    default:
      return phrase('send {0}', visible(method, 80));
  }
}

/**
 * Presents a request as a tool of the server, for questions and rules. That the server itself has listed a URI is a hint that reading
 * it sends nothing out, and no more: of many that it lists, which one is read says something.
 *
 * No tool of a server is named like a method; if one is, pins treat this as a change of it.
 */
export function requestTool({ method, params, ofSkill }: PolicyRequest, server: ServerConnection): Tool {
  const isListed =
    ofSkill !== undefined ||
    (OF_RESOURCES.has(method) && server.catalog.resources.some(({ uri }) => uri === params.uri));
  return {
    name: method,
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: true, ...(isListed && { openWorldHint: false }) },
  };
}
