// The windows that journeys begin in.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { WorkbenchOptions } from '../../drivers/workbench';
import { npmServerPath } from '../../servers/npm';
import { fixturePath } from '../../servers/spawn';
import { inRepository, remove, temporaryFolder } from '../../setup/paths';
import { atExit } from '../../setup/processes';

/** The servers that the workspace `team` brings. */
export const team = ['tickets', 'wiki', 'builds', 'metrics', 'search'];

/** Where the confined server `files` has its program, and may not look. */
export const hidden = mkdtempSync('/tmp/mcp-host-hidden-');
/** Once this file exists, a tool of the server `notes` is another. */
export const drift = join(temporaryFolder(), 'now');
atExit(() => {
  remove(hidden);
  remove(dirname(drift));
});

const node = (...args: string[]) => ({ command: process.execPath, args });
const hostile = (...flags: string[]) => node(fixturePath('hostile'), ...flags);

/** A server that its sandbox keeps from its own program. */
function confined() {
  const program = join(hidden, 'node_modules/files/index.js');
  mkdirSync(dirname(program), { recursive: true });
  writeFileSync(program, `require(${JSON.stringify(fixturePath('hostile'))})`);
  return { files: { command: 'sh', args: ['-c', `exec node ${program}`], sandbox: { read: [inRepository()] } } };
}

/** Servers of the user, one for each journey of the window. */
const servers = () => ({
  ...confined(),
  notes: hostile(`--drift-when=${drift}`),
  loud: hostile('--flood-tool'),
  apps: node(fixturePath('apps'), '--hostile'),
  everything: node(npmServerPath('everything'), 'stdio'),
});

/** Writes the servers of a workspace, as its repository has them. */
function writeTeam(folder: string): void {
  const settings = { 'mcpHost.servers': Object.fromEntries(team.map(name => [name, hostile()])) };
  mkdirSync(join(folder, '.vscode'), { recursive: true });
  writeFileSync(join(folder, '.vscode/settings.json'), JSON.stringify(settings, null, 2));
}

export const places = {
  fresh: () => ({ workspace: 'fresh', viewport: { width: 1280, height: 760 } }),
  team: () => ({
    workspace: 'editor',
    prepare: writeTeam,
    settings: { 'mcpHost.pins': 'enforce', 'mcpHost.servers': servers() },
  }),
  sample: () => ({ viewport: { width: 1500, height: 950 } }),
} satisfies Record<string, () => WorkbenchOptions>;
