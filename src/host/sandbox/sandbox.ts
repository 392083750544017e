import { fileURLToPath } from 'node:url';
import { HostError } from '../../base/errors';
import { english, phrase } from '../../base/phrase';
import type { ServerDefinition } from '../definition/definition';
import type { HostPorts } from '../definition/ports';
import { SandboxAttempts } from './attempts';
import { type ConfineOptions, whyUnable } from './confine';
import { asideFolder, confinementOf, type Machine, sandboxFolder } from './confinement';
import { BASE_VARIABLES } from './knownPlaces';

/** How a program is confined. */
export interface Sandbox extends ConfineOptions {
  /** Whether it inherits a variable of the editor's environment. */
  inherits(name: string): boolean;
}

interface SandboxHere {
  machine?: Machine;
  /** Why nothing can be confined on this machine. */
  whyNot?: typeof whyUnable;
}

/**
 * Returns how a program is confined. Undefined: it isn't, and runs with all rights of the person.
 *
 * @throws HostError when its entry or the organization requires a sandbox that is not possible: the program must not run without one.
 */
export async function sandboxFor(
  definition: ServerDefinition,
  { sandbox: port, roots }: Pick<HostPorts, 'sandbox' | 'roots'>,
  note: ConfineOptions['note'],
  { machine = process, whyNot = whyUnable }: SandboxHere = {},
): Promise<Sandbox | undefined> {
  const { name, place, entry } = definition;
  const isWatched = port.isWatched(definition);
  const setting = port.setting();
  const isDemanded = port.isDemanded(definition);
  const found = confinementOf(definition, setting, machine, isWatched);
  if (found.kind === 'free') return undefined;
  if (found.kind === 'unable') {
    const isContainer = found.why === 'container';
    if (isDemanded) {
      throw new HostError({
        code: 'NOT_ALLOWED',
        server: name,
        action: phrase('start'),
        reason: isContainer
          ? phrase('your organization requires a sandbox, which cannot confine a container')
          : phrase('your organization requires a sandbox, but programs can be confined on Linux and macOS only'),
        remedy: phrase('Ask your administrator to allow it.'),
      });
    }
    if (!found.isAsked) {
      const why = isContainer ? 'its container confines it instead' : 'that is possible on Linux and macOS only';
      note(`it is not confined, although "mcpHost.sandbox" says so: ${why}`);
      return undefined;
    }
    throw new HostError({
      code: 'SANDBOX_RULES',
      server: name,
      action: phrase('start'),
      reason: isContainer
        ? phrase('its entry requires a sandbox, which cannot confine a container')
        : phrase('its entry requires a sandbox, but programs can be confined on Linux and macOS only'),
      remedy: isContainer
        ? phrase('Remove "sandbox", and confine it by options of the container.')
        : phrase(
            'Run it on one of these, for example in a WSL, SSH or container window. Or set "sandbox" to false to run it here with all your rights.',
          ),
    });
  }
  if (!found.isAsked && port.granted(definition).isFree) {
    note('it is not confined: you allowed it to run so');
    return undefined;
  }
  // Nobody requires this, so the server runs unconfined where sandboxes are not available.
  const missing = !found.isAsked && !isDemanded && setting === 'workspaceServers' ? await whyNot() : undefined;
  if (missing) {
    note(
      `it is not confined, although "mcpHost.sandbox" says so: ${english(missing.reason)}. ${english(missing.remedy)}`,
    );
    return undefined;
  }
  const { rules } = found;
  const names = new Set(rules.env);
  const attempts = new SandboxAttempts(isWatched);
  return {
    ...{ name, rules, base: place.base, folder: sandboxFolder(port.storage, definition), bridge: port.bridge, note },
    keeps: entry?.type === 'stdio' && entry.envFile !== undefined ? [entry.envFile] : [],
    aside: asideFolder(port.storage),
    ...(port.watch && { watch: port.watch }),
    attempts,
    limits: () => port.limits(),
    granted: () => port.granted(definition),
    // An entry may also rule out any network.
    ...(rules.network?.length !== 0 && { askHost: host => port.askHost(definition, host) }),
    roots: roots.list(definition).flatMap(({ uri }) => (/^file:/i.test(uri) ? [fileURLToPath(uri)] : [])),
    inherits: variable => port.inheritsAll() || names.has(variable) || BASE_VARIABLES.test(variable),
  };
}
