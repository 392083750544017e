// Servers that people use, in all that they list: each starts without an account or a network.
import { requireOnDemand } from '../../setup/onDemand';
import { type NpmServer, npmServers, type Wanted, wantedServers } from '../npm/servers';

const SECRET = 'aB3dE5gH7jK9mN1pQ3sT5v';

/** Beside those of `npmServers`. */
export const MORE: readonly Wanted[] = [
  { name: '@playwright/mcp', args: ['--headless'] },
  { name: '@sentry/mcp-server', args: ['--access-token', SECRET] },
  { name: 'chrome-devtools-mcp', args: ['--headless'] },
  { name: 'exa-mcp-server', env: { EXA_API_KEY: SECRET } },
  { name: 'firecrawl-mcp', env: { FIRECRAWL_API_KEY: SECRET } },
  { name: 'mongodb-mcp-server' },
];
/** Examples of apps. Nobody uses them as servers. */
const EXAMPLES = ['basic-vanillajs', 'budget-allocator', 'cohort-heatmap', 'scenario-modeler'];

/** By names that are valid in settings; installed first if they are missing. */
export async function lintedServers(): Promise<Record<string, NpmServer>> {
  const [known, require] = [await npmServers(), await requireOnDemand('lint')];
  const rest = Object.entries(known).filter(([name]) => !EXAMPLES.includes(name));
  return { ...Object.fromEntries(rest), ...wantedServers(require, MORE) };
}
