// Mistakes of the extension itself, as its log has them (`session.ts` of the host): a window that met one fails its tests.
import * as fs from 'node:fs';
import * as path from 'node:path';

/** The lines of the logs below a folder that tell of one. */
export function bugsIn(logs: string): string[] {
  if (!fs.existsSync(logs)) return [];
  return fs
    .readdirSync(logs, { recursive: true, encoding: 'utf8' })
    .filter(file => file.includes('mcp-host.mcp-host') && file.endsWith('.log'))
    .flatMap(file => fs.readFileSync(path.join(logs, file), 'utf8').split('\n'))
    .filter(line => line.includes('Bug in MCP Host'));
}
