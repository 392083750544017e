import { parseUrl, visible } from '../../../base/text';
import type { ServerDefinition } from '../../../host/definition';
import { type ServerEntry, socketOf } from '../../../host/settings';
import type { SessionFacts } from './operation';

const MAX_TEXT = 200;
const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** A text of a server or of settings, as an attribute: on one line, and not long. */
export const attribute = (text: string): string => visible(text, MAX_TEXT);

/** What is known of a session with a server: the version of the protocol, and the server's id of the session. */
export function sessionFacts(
  { name, entry }: Pick<ServerDefinition, 'name' | 'entry'>,
  version: string | undefined,
  id: string | undefined,
): SessionFacts {
  return {
    // The conventions name no attribute for it: without one, programs could not be told apart.
    'service.peer.name': attribute(name),
    ...(entry && networkFacts(entry)),
    ...(version !== undefined && { 'mcp.protocol.version': attribute(version) }),
    ...(id !== undefined && { 'mcp.session.id': attribute(id) }),
  };
}

/** The address without path and query, which may hold secrets. */
function networkFacts(entry: ServerEntry): SessionFacts {
  if (entry.type === 'stdio') return { 'network.transport': 'pipe' };
  if (socketOf(entry.url)) return { 'network.transport': 'unix', 'network.protocol.name': 'http' };
  const { hostname = '', port = '', protocol = '' } = parseUrl(entry.url) ?? {};
  const number = port === '' ? PORTS[protocol] : Number(port);
  return {
    'network.transport': 'tcp',
    'network.protocol.name': 'http',
    // An input in the host is filled in only at launch, and may be secret.
    ...(hostname !== '' && !hostname.includes('$') && { 'server.address': attribute(hostname) }),
    ...(number !== undefined && { 'server.port': number }),
  };
}
