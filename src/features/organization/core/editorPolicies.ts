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
const REGISTRY = 'chat.mcp.gallery.serviceUrl';
/** The setting of each list, which is named in place of a file. */
const LIST_SETTINGS = {
  allowedMcpServers: 'chat.mcp.allowedServers',
  deniedMcpServers: 'chat.mcp.deniedServers',
} as const;
export const POLICY_LISTS = Object.entries(LIST_SETTINGS) as [
  keyof typeof LIST_SETTINGS,
  (typeof LIST_SETTINGS)[keyof typeof LIST_SETTINGS],
][];
type Policy = typeof ACCESS | typeof REGISTRY | (typeof POLICY_LISTS)[number][1];

/** @param read a setting of the editor by its name. */
export function editorPolicies(read: (name: Policy) => ReadSetting): EditorPolicies {
  const { value, byDefault } = read(ACCESS);
  const access = value === 'none' || value === 'registry' ? value : 'all';
  const lists = POLICY_LISTS.map(([key, name]) => [key, read(name).value] as const).filter(
    ([, value]) => value != null,
  );
  const registry = read(REGISTRY).value;
  return {
    access,
    isOwn: access !== 'all' && byDefault !== access,
    ...(lists.length > 0 && { lists: Object.fromEntries(lists) }),
    ...(typeof registry === 'string' && registry !== '' && { registry }),
  };
}
