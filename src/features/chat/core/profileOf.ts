import type { CheckedTools, ToolRow } from './checkedTools';

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
