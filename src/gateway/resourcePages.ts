import type { Result, ServerContext } from '@modelcontextprotocol/server';
import { INVALID_PARAMS } from '../base/errors';
import { isObject } from '../base/json';
import { revealed } from '../base/text';
import type { Pins } from '../features/trust/core';
import { type AllowedRequests, listResult, type ServerConnection } from '../host';
import type { PinnedResource } from '../host/catalog';
import { untilSettled } from './clientSubscriptions';
import { traceContext } from './traceContext';
import { WireError } from './wireError';

const MAX_CURSORS = 1_000;
/** An empty page counts as so many items: clients ask on. */
const MIN_PAGE = 10;
const METHODS = { resource: 'resources/list', resourceTemplate: 'resources/templates/list' } as const;

/** The resources and templates of a server, page by page as it has them (spec: server/utilities/pagination). */
export class ResourcePages {
  /** The cursors that the server has given, by what clients get of them: they ask for no other page. */
  readonly #cursors = new Map<unknown, string>();
  /** How many items the pages had that a client went through last. */
  readonly #listed = { resource: 0, resourceTemplate: 0 };

  /** @param most of each, in all pages. */
  constructor(
    private readonly server: ServerConnection,
    private readonly pins: Pick<Pins, 'offerResources'>,
    private readonly most: number,
  ) {}

  /** One page. An item without name and address is left out, because it would spoil the list. Rejects with a `WireError`. */
  async list(
    kind: PinnedResource,
    cursor: unknown,
    requests: Pick<AllowedRequests, 'forward'>,
    { signal, _meta: meta }: Pick<ServerContext['mcpReq'], 'signal' | '_meta'>,
  ): Promise<Result> {
    const page = this.#cursors.get(cursor);
    // Anything else would be a text of the client's for the server.
    if (cursor !== undefined && page === undefined) throw new WireError(INVALID_PARAMS, 'Invalid cursor');
    await untilSettled(this.server, signal);
    const _meta = traceContext(meta);
    const params = { ...(page !== undefined && { cursor: page }), ...(_meta && { _meta }) };
    const list = `${kind}s` as const;
    const request = { method: METHODS[kind], params };
    const { items, nextCursor } = await requests.forward(request, `list its ${list}`, listResult(list), { signal });
    const key = kind === 'resource' ? 'uri' : 'uriTemplate';
    const usable = items.filter(
      item => isObject(item) && typeof item[key] === 'string' && typeof item.name === 'string',
    );
    const offered = await this.pins.offerResources(this.server, kind, usable);
    this.#listed[kind] = (cursor === undefined ? 0 : this.#listed[kind]) + Math.max(offered.length, MIN_PAGE);
    if (typeof nextCursor !== 'string' || this.#listed[kind] >= this.most)
      return { [list]: offered.slice(0, this.most) };
    this.#cursors.set(revealed(nextCursor), nextCursor);
    for (const old of [...this.#cursors.keys()].slice(0, -MAX_CURSORS)) this.#cursors.delete(old);
    return { [list]: offered, nextCursor };
  }
}
