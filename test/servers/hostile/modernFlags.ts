import type { JsonObject } from '../raw/messages';
import { isObject } from '../raw/messages';
import { type Flag, plain, withText } from './flag';

/** What the modern era wants of each result: its type, and how long it may be kept. */
const complete: JsonObject = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };

/** The era of the server, which is legacy without these. */
export const modernFlags: Readonly<Record<string, Flag>> = {
  'discover-later': withText(
    'json',
    'before --modern: these members in every answer to server/discover but the first',
    ({ incoming, offer }, json) => {
      let asked = 0;
      incoming.push((message, session) => {
        if (message.method !== 'server/discover' || message.id === undefined || message.id === null) return undefined;
        if (++asked === 1) return undefined;
        const changed = JSON.parse(json) as JsonObject;
        const result = { ...complete, supportedVersions: ['2026-07-28'], capabilities: offer.capabilities, ...changed };
        session.send({ jsonrpc: '2.0', id: message.id, result }, message.id, true);
        return 'handled';
      });
    },
  ),
  modern: plain('speak the modern era (2026-07-28) instead', ({ incoming, outgoing, offer }) => {
    incoming.push((message, session) => {
      if (message.method !== 'server/discover' || message.id === undefined || message.id === null) return undefined;
      const result: JsonObject = { supportedVersions: ['2026-07-28'], capabilities: offer.capabilities };
      const _meta = { 'io.modelcontextprotocol/serverInfo': offer.serverInfo };
      session.send({ jsonrpc: '2.0', id: message.id, result: { ...result, _meta } }, message.id, true);
      return 'handled';
    });
    // Each request says what it wants to be told; one that does not wants nothing.
    incoming.push(({ method, params }, session) => {
      const meta = isObject(params?._meta) ? params._meta : {};
      if (method !== undefined) session.logLevel = String(meta['io.modelcontextprotocol/logLevel'] ?? 'none');
      return undefined;
    });
    outgoing.push(message => {
      if (typeof message === 'string' || !isObject(message.result)) return [message];
      return [{ ...message, result: { ...complete, ...message.result } }];
    });
  }),
};
