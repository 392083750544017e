import type { Implementation, ProtocolEra, ServerCapabilities } from '@modelcontextprotocol/client';
import { isObject } from '../../base/json';
import type { ServerEntry } from '../settings';
import type { HostClient } from './hostClient';

/** The server's declarations during the handshake, and how it was reached. */
export interface ServerInfo {
  implementation: Implementation | undefined;
  protocolVersion: string;
  era: ProtocolEra;
  capabilities: ServerCapabilities;
  instructions: string | undefined;
  /** How long this holds, in milliseconds, as a server of the modern era says (spec: server/utilities/caching). */
  ttlMs?: number | undefined;
  transport: ServerEntry['type'];
}

/** Lifetime of the server info in milliseconds; 0 if the server gives no valid number. */
export const lifetime = (ttlMs: unknown): number => (typeof ttlMs === 'number' && ttlMs > 0 ? ttlMs : 0);

/** What a server said while a client connected to it. */
export function serverInfo(client: HostClient, transport: ServerInfo['transport']): ServerInfo {
  const protocolVersion = client.getNegotiatedProtocolVersion() ?? 'unknown';
  return {
    implementation: client.getServerVersion(),
    protocolVersion,
    era: client.getProtocolEra() ?? 'legacy',
    // Until 2024-11-05 there was no capability for completion: only a request shows whether it is supported.
    capabilities: { ...(protocolVersion < '2025' && { completions: {} }), ...client.getServerCapabilities() },
    instructions: client.getInstructions(),
    ttlMs: lifetime(client.getDiscoverResult()?.ttlMs),
    transport,
  };
}

/** The extension of servers that offer events (SEP-3415). */
const EVENTS = 'io.modelcontextprotocol/events';

/** What the server declares about its events; undefined if it offers none. The draft is for the modern era. */
export function eventSettings({ era, capabilities }: Pick<ServerInfo, 'era' | 'capabilities'>) {
  const settings: { readonly listChanged?: unknown } | undefined = capabilities.extensions?.[EVENTS];
  return era === 'modern' && isObject(settings) ? settings : undefined;
}

/** Whether the ready server offers events. Only then is it asked for any. */
export const servesEvents = ({ info }: { readonly info: ServerInfo | undefined }): boolean =>
  info !== undefined && eventSettings(info) !== undefined;

/** What a server declares when it serves skills (SEP-2640, repository ext-skills). */
const SKILLS = 'io.modelcontextprotocol/skills';

/** Whether the ready server serves skills. Only then is it asked for any. */
export const servesSkills = ({ info }: { readonly info: ServerInfo | undefined }): boolean =>
  isObject(info?.capabilities.extensions?.[SKILLS]);
