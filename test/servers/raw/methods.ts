import { ErrorCode, isObject, type Json, type JsonObject, RpcError } from './messages';
import type { Call, Offer } from './offer';
import type { RawSession } from './session';

type Method = (params: JsonObject, session: RawSession, call: Call) => Json | Promise<Json>;

/** The revisions with an `initialize` handshake; a client that asks for another is offered the last. */
const legacyVersions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];

/** One page of a list. The cursor is the next index behind a word, so that nobody takes it for a number. */
function page(key: string, offered: { definition: JsonObject }[], params: JsonObject, pageSize: number): JsonObject {
  const start = params.cursor === undefined ? 0 : Number(/^from-(\d+)$/.exec(String(params.cursor))?.[1] ?? Number.NaN);
  if (Number.isNaN(start)) throw new RpcError(ErrorCode.invalidParams, 'Invalid cursor');
  const end = start + pageSize;
  const items = offered.slice(start, end).map(({ definition }) => definition);
  return end < offered.length ? { [key]: items, nextCursor: `from-${end}` } : { [key]: items };
}

const argumentsOf = (params: JsonObject): JsonObject => (isObject(params.arguments) ? params.arguments : {});

function named<T extends { definition: { name: string } }>(items: T[], kind: string, name: Json | undefined): T {
  const found = items.find(i => i.definition.name === name);
  if (!found) throw new RpcError(ErrorCode.invalidParams, `Unknown ${kind}: ${String(name)}`);
  return found;
}

function read(offer: Offer, uri: string): Json {
  const resource = offer.resources.find(r => r.definition.uri === uri);
  if (resource) return resource.read();
  for (const template of offer.templates) {
    const result = template.read(uri);
    if (result) return result;
  }
  throw new RpcError(ErrorCode.resourceNotFound, 'Resource not found', { uri });
}

function complete(offer: Offer, params: JsonObject): JsonObject {
  const { name, value } = isObject(params.argument) ? params.argument : {};
  const values = (offer.completions[String(name)] ?? []).filter(v => v.startsWith(String(value)));
  return { completion: { values, total: values.length, hasMore: false } };
}

/** The methods of the legacy era, well-behaved. Anything else is answered with -32601, `server/discover` included. */
export const methods: Readonly<Record<string, Method>> = {
  initialize(params, { behaviour }) {
    const { offer, protocolVersion } = behaviour;
    const asked = String(params.protocolVersion);
    return {
      protocolVersion: protocolVersion ?? (legacyVersions.includes(asked) ? asked : '2025-11-25'),
      capabilities: offer.capabilities,
      serverInfo: offer.serverInfo,
      ...(offer.instructions === undefined ? {} : { instructions: offer.instructions }),
    };
  },
  ping: () => ({}),
  'logging/setLevel'(params, session) {
    session.logLevel = String(params.level);
    return {};
  },
  'tools/list': (params, { behaviour: { offer, pageSize } }) => page('tools', offer.tools, params, pageSize),
  'tools/call': (params, { behaviour: { offer } }, call) =>
    named(offer.tools, 'tool', params.name).call(argumentsOf(params), call),
  'prompts/list': (params, { behaviour: { offer, pageSize } }) => page('prompts', offer.prompts, params, pageSize),
  'prompts/get': (params, { behaviour: { offer } }) =>
    named(offer.prompts, 'prompt', params.name).get(argumentsOf(params)),
  'resources/list': (params, { behaviour: { offer, pageSize } }) =>
    page('resources', offer.resources, params, pageSize),
  'resources/templates/list': (params, { behaviour: { offer, pageSize } }) =>
    page('resourceTemplates', offer.templates, params, pageSize),
  'resources/read': (params, { behaviour: { offer } }) => read(offer, String(params.uri)),
  'completion/complete': (params, { behaviour: { offer } }) => complete(offer, params),
};
