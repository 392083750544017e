/** The policy `chat.mcp.access` of the editor, or the person's setting of that name. */
export type EditorAccess = 'none' | 'registry' | 'all';

/** What the editor's policies say about MCP servers. */
export interface EditorPolicies {
  readonly access: EditorAccess;
  /** Whether the person's own settings say that, and no policy. */
  readonly isOwn?: boolean;
  /** `chat.mcp.allowedServers` and `chat.mcp.deniedServers`, as far as they are set. */
  readonly lists?: { readonly allowedMcpServers?: unknown; readonly deniedMcpServers?: unknown };
  /** `chat.mcp.gallery.serviceUrl`: the address of the registry. */
  readonly registry?: string;
}

/** The value of a setting, as the editor has it by `get` and by `inspect`. */
export interface ReadSetting {
  readonly value: unknown;
  /** The editor gives a policy, where there is one, as the default. */
  readonly byDefault: unknown;
}

const ACCESS = 'chat.mcp.access';
const ALLOWED = 'chat.mcp.allowedServers';
const DENIED = 'chat.mcp.deniedServers';
const REGISTRY = 'chat.mcp.gallery.serviceUrl';
type Policy = typeof ACCESS | typeof ALLOWED | typeof DENIED | typeof REGISTRY;

/** The setting of each list, which is named in place of a file. */
export const LIST_SETTINGS = { allowedMcpServers: ALLOWED, deniedMcpServers: DENIED } as const;

/** @param read a setting of the editor by its name. */
export function editorPolicies(read: (name: Policy) => ReadSetting): EditorPolicies {
  const { value, byDefault } = read(ACCESS);
  const access = value === 'none' || value === 'registry' ? value : 'all';
  const lists = {
    ...given('allowedMcpServers', read(ALLOWED).value),
    ...given('deniedMcpServers', read(DENIED).value),
  };
  const registry = read(REGISTRY).value;
  return {
    access,
    isOwn: access !== 'all' && byDefault !== access,
    ...(Object.keys(lists).length > 0 && { lists }),
    ...(typeof registry === 'string' && registry !== '' && { registry }),
  };
}

const given = (key: string, value: unknown) => (value === undefined || value === null ? {} : { [key]: value });
