/** A tool in a list with boxes. */
export interface ToolRow {
  readonly server: string;
  readonly key: string;
  readonly tokens: number;
  /** It is not offered even if it is checked. */
  readonly isOutside?: boolean;
}

interface ToolTotals {
  /** How many are offered. */
  readonly offered: number;
  readonly all: number;
  /** What those that are offered cost in each request. */
  readonly tokens: number;
}

export class CheckedTools {
  readonly #checked: Set<string>;

  constructor(rows: readonly ToolRow[], isChecked: (key: string) => boolean) {
    this.#checked = new Set(rows.map(({ key }) => key).filter(isChecked));
  }

  has({ key }: ToolRow): boolean {
    return this.#checked.has(key);
  }

  /** Checks those of the rows that are in `checked`, and unchecks the others of them. */
  take(rows: readonly ToolRow[], checked: ReadonlySet<ToolRow>): void {
    for (const row of rows) {
      if (checked.has(row)) this.#checked.add(row.key);
      else this.#checked.delete(row.key);
    }
  }

  totals(rows: readonly ToolRow[]): ToolTotals {
    const offered = rows.filter(row => this.has(row) && !row.isOutside);
    return { offered: offered.length, all: rows.length, tokens: offered.reduce((sum, { tokens }) => sum + tokens, 0) };
  }
}

/** The checked tools as an entry of `mcpHost.profiles`: a server with all its tools, or each of its tools by name. */
export function profileOf(
  rows: readonly ToolRow[],
  checked: Pick<CheckedTools, 'has'>,
): { readonly servers?: readonly string[]; readonly tools?: readonly string[] } {
  const servers = Map.groupBy(rows, ({ server }) => server);
  const whole = [...servers].filter(([, tools]) => tools.every(row => checked.has(row))).map(([server]) => server);
  const single = rows.filter(row => checked.has(row) && !whole.includes(row.server));
  // A key is the server, a line break and the tool.
  const tools = single.map(({ server, key }) => `${server}/${key.slice(server.length + 1)}`);
  return { ...(whole.length > 0 && { servers: whole }), ...(tools.length > 0 && { tools }) };
}
