import type { Implementation, ProtocolEra, ServerCapabilities } from '@modelcontextprotocol/client';
import { isObject } from '../../base/json';
import type { ServerEntry } from '../settings';

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
