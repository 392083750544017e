/** A row of a list with boxes: a server, or one of its tools. */
export interface ToolRow {
  readonly server: string;
  /** Absent for the row of the server itself. */
  readonly key?: string;
  readonly tokens: number;
  /** A tool that is not offered even if it is checked. */
  readonly isOutside?: boolean;
}

/** Which tools are checked, in a list in which the box of a server stands for those of all its tools. */
export class CheckedTools {
  readonly #checked: Set<string>;

  constructor(
    private readonly rows: readonly ToolRow[],
    isChecked: (key: string) => boolean,
  ) {
    this.#checked = new Set(rows.flatMap(({ key }) => (key !== undefined && isChecked(key) ? [key] : [])));
  }

  has(key: string): boolean {
    return this.#checked.has(key);
  }

  /** Whether the box of a row is to be checked: that of a server if those of all its tools are. */
  isChecked({ server, key }: ToolRow): boolean {
    return key === undefined ? this.#toolsOf(server).every(tool => this.has(tool.key)) : this.has(key);
  }

  /** Takes over the boxes of those rows that are shown. What the box of a server became counts for all its tools. */
  take(shown: readonly ToolRow[], checked: ReadonlySet<ToolRow>): void {
    const servers = shown.filter(({ key }) => key === undefined);
    const turned = servers.filter(row => this.isChecked(row) !== checked.has(row));
    for (const row of shown) if (row.key !== undefined) this.#set(row.key, checked.has(row));
    for (const row of turned) for (const { key } of this.#toolsOf(row.server)) this.#set(key, checked.has(row));
  }

  /** How many of the tools are offered, how many there are, and what those that are offered cost in each request. */
  get totals(): { readonly offered: number; readonly all: number; readonly tokens: number } {
    const tools = this.rows.filter(isTool);
    const offered = tools.filter(({ key, isOutside }) => this.has(key) && !isOutside);
    return { offered: offered.length, all: tools.length, tokens: offered.reduce((sum, { tokens }) => sum + tokens, 0) };
  }

  #toolsOf(name: string) {
    return this.rows.filter(isTool).filter(({ server }) => server === name);
  }

  #set(key: string, checked: boolean): void {
    if (checked) this.#checked.add(key);
    else this.#checked.delete(key);
  }
}

const isTool = (row: ToolRow): row is ToolRow & { key: string } => row.key !== undefined;

/** The checked tools as an entry of `mcpHost.profiles`: a server with all its tools, or each of its tools by name. */
export function profileOf(
  rows: readonly ToolRow[],
  checked: Pick<CheckedTools, 'has' | 'isChecked'>,
): { readonly servers?: readonly string[]; readonly tools?: readonly string[] } {
  const whole = rows.filter(row => row.key === undefined && checked.isChecked(row)).map(({ server }) => server);
  const single = rows.filter(({ server, key }) => key !== undefined && checked.has(key) && !whole.includes(server));
  // A key is the server, a line break and the tool.
  const tools = single.map(({ server, key = '' }) => `${server}/${key.slice(server.length + 1)}`);
  return { ...(whole.length > 0 && { servers: whole }), ...(tools.length > 0 && { tools }) };
}
