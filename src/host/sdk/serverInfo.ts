import type { Implementation, ProtocolEra, ServerCapabilities } from '@modelcontextprotocol/client';
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
