import { isObject } from '../../../base/json';
import { type Dialect, mapVariables } from './hostVariables';
import { toEntry } from './importedEntry';
import { type DraftInput, type DraftNote, fitName, type Json, mapTexts, type ServerDraft } from './serverDraft';
import { nameOfServer } from './serverNames';

/** The most servers read; a file of another kind may have any number of keys. */
const MAX_SERVERS = 200;

/**
 * The servers in the content of another host's file, in whichever dialect: `servers` with `inputs` (VS Code), `mcpServers`
 * (most others; a list in Continue's YAML), `context_servers` (Zed), or the servers themselves. What is no server is left out.
 */
export function readServers(content: unknown, dialect: Dialect): ServerDraft[] {
  if (!isObject(content)) return [];
  const { found, inputs } = serversOf(content, dialect);
  const known = inputsOf(inputs);
  return found.slice(0, MAX_SERVERS).flatMap(([name, raw]) => {
    const notes: DraftNote[] = [];
    const note = (one: DraftNote) => void notes.push(one);
    const entry = toEntry(raw, dialect, note);
    if (!entry) return [];
    const inputs = new Map<string, DraftInput>();
    const input = (id: string, one: DraftInput) => void inputs.set(id, known.get(id) ?? one);
    const mapped = mapTexts(entry, text => mapVariables(text, dialect, { note, input }));
    return [{ name: fitName(name), entry: mapped, inputs: [...inputs.values()], values: new Map(), notes }];
  });
}

type Found = { found: [string, unknown][]; inputs?: unknown };

function serversOf(content: Json, dialect: Dialect): Found {
  const nested = [content['mcpHost.servers'], content['mcp.servers']].find(isObject);
  if (nested) return { found: Object.entries(nested), inputs: content['mcpHost.inputs'] };
  if (isObject(content.mcp) && isObject(content.mcp.servers)) return serversOf(content.mcp, 'vscode');
  if (isObject(content.context_servers)) return { found: Object.entries(content.context_servers) };
  if (isObject(content.mcpServers)) return { found: Object.entries(content.mcpServers), inputs: content.inputs };
  if (Array.isArray(content.mcpServers)) return { found: named(content.mcpServers) };
  if (isObject(content.servers) && !isServer(content.servers))
    return { found: Object.entries(content.servers), inputs: content.inputs };
  const experimental = isObject(content.experimental) && content.experimental.modelContextProtocolServers;
  if (Array.isArray(experimental)) return { found: named(experimental) };
  // What a README shows is often only a part.
  if (dialect !== 'unknown') return { found: [] };
  if (isServer(content)) return { found: named([content]) };
  return { found: Object.entries(content).filter(([, value]) => isServer(value)) };
}

const isServer = (value: unknown): boolean =>
  isObject(value) && ['command', 'url', 'serverUrl', 'httpUrl'].some(key => typeof value[key] === 'string');

/** A list of servers: each has its name in it, or one is made of what it runs. */
function named(servers: readonly unknown[]): [string, unknown][] {
  return servers.filter(isObject).map((server, index) => {
    const part = isObject(server.transport) ? { ...server, ...server.transport } : server;
    const name = typeof server.name === 'string' && server.name ? server.name : nameOfServer(part);
    return [name || `server-${index + 1}`, server];
  });
}

function inputsOf(inputs: unknown): Map<string, DraftInput> {
  const list = Array.isArray(inputs) ? inputs.filter(isObject) : [];
  return new Map(
    list
      .filter(({ id, type }) => typeof id === 'string' && typeof type === 'string')
      .map(input => [input.id as string, input as DraftInput]),
  );
}
