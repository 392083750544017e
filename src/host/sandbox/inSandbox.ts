import { launchEnvironment } from '../launch/environment';
import type { Launch } from '../launch/processGroup';
import type { Sandbox, sandboxFor } from './sandbox';
import type { ConfinedLaunch } from './sandboxEngine';

/** The environment of a program, reduced to what its sandbox lets through. */
export function environmentIn(
  sandbox: Sandbox | undefined,
  sources: Parameters<typeof launchEnvironment>[0],
): NodeJS.ProcessEnv {
  const inherited = sandbox && Object.entries(process.env).filter(([name]) => sandbox.inherits(name));
  return launchEnvironment(inherited ? { ...sources, inherited: Object.fromEntries(inherited) } : sources);
}

/** How a program is confined; undefined: it isn't. What that takes is a bundle of its own (esbuild.js). @throws as `sandboxFor` */
export async function sandboxOf(
  ...[definition, ports, note]: Parameters<typeof sandboxFor>
): Promise<Sandbox | undefined> {
  const { entry, fromWorkspace } = definition;
  const asks = entry?.type === 'stdio' && entry.sandbox !== undefined;
  const { sandbox: port } = ports;
  const setting = port.setting();
  const isMeant = setting === 'all' || (setting === 'workspaceServers' && fromWorkspace);
  if (!asks && !isMeant && !port.isWatched(definition)) return undefined;
  const { sandboxFor } = require('./index') as typeof import('./index');
  return sandboxFor(definition, ports, note);
}

export function inSandbox(launch: Launch, sandbox: Sandbox): Promise<ConfinedLaunch> {
  const { confine } = require('./index') as typeof import('./index');
  return confine(launch, sandbox);
}
