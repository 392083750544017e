// Messages to be copied, of servers whose settings hold secrets of each kind.
import { tmpdir } from 'node:os';
import { type CopiedMessage, reachOf } from '../../../../../src/features/trace/core/copyAsCode';
import type { ServerDefinition } from '../../../../../src/host/definition';
import { resolveDefinitions } from '../../../../../src/host/definitions';

const definitionOf = (entry: object): ServerDefinition => {
  const variables = {
    workspaceFolders: {},
    userHome: tmpdir(),
    env: (name: string) => (name === 'API_TOKEN' ? 'tok-from-env-1234' : undefined),
    config: () => undefined,
    hasInput: () => true,
  };
  const inputs = [{ type: 'promptString', id: 'key', description: 'Key', password: true }];
  const configured = { source: { scope: 'user' as const }, value: { s: entry }, inputs, variables };
  return resolveDefinitions([configured]).definitions[0]!;
};

export const reach = (entry: object) => reachOf(definitionOf(entry), text => text.replaceAll('redacted-1', '•••'))!;

export const call = {
  jsonrpc: '2.0',
  id: 3,
  method: 'tools/call',
  params: { name: "it's", arguments: { a: '$HOME `x`' } },
};

export const copied = (entry: object, more: Partial<CopiedMessage> = {}): CopiedMessage => ({
  text: JSON.stringify(call),
  reach: reach(entry),
  protocolVersion: '2025-11-25',
  era: 'legacy',
  ...more,
});

export const http = {
  url: 'https://example.com/mcp?api_key=plainkey99887766',
  headers: {
    Authorization: 'Bearer ${env:API_TOKEN}',
    'X-Api-Key': '${input:key}',
    'X-Token': 'literal-secret-77',
    'X-Team': 'blue',
  },
};
