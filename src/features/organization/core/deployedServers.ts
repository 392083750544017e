import { isObject } from '../../../base/json';
import { type Phrase, phrase } from '../../../base/phrase';
import { parseServerRule, type ServerRule } from './serverRules';

/**
 * Reads the servers of a `managed-mcp.json` as rules: exactly these commands and addresses. Variables of the other product are not
 * filled in, as the person may set them, so that a server with any is not allowed here.
 * @returns why they can't be relied on, or the rules.
 */
export function parseDeployed(servers: unknown): ServerRule[] | Phrase {
  if (!isObject(servers)) return phrase('"{0}" is no list of servers', 'mcpServers');
  const rules: ServerRule[] = [];
  for (const [name, server] of Object.entries(servers)) {
    const rule = deployed(server);
    if (!rule || 'values' in rule) return phrase('its server "{0}" has neither a command nor an address', name);
    rules.push(rule);
  }
  return rules;
}

function deployed(server: unknown): ServerRule | Phrase | undefined {
  if (!isObject(server)) return undefined;
  const { command, args = [], url } = server;
  if (url !== undefined && command === undefined) {
    // No wildcard: it is an address, not a rule.
    return typeof url === 'string' && url.includes('*') ? undefined : parseServerRule({ serverUrl: url });
  }
  if (url !== undefined || !Array.isArray(args)) return undefined;
  return parseServerRule({ serverCommand: [command, ...args] });
}
