import { plainData, plainText } from '../../base/processes';
import type { LaunchGate } from '../definition/launchGate';
import type { HostPorts } from '../definition/ports';
import { parseEnvFile } from '../settings';
import type { TraceLog } from '../trace/traceLog';
import type { Redactor } from './redactor';
import { secretsOfEntry, secretsOfVariables } from './secrets';

/** Redacts everything that leaves the host through the editor's ports. */
export interface GuardedPorts extends Omit<HostPorts, 'launch'> {
  readonly launch: Pick<LaunchGate, 'admit'>;
  readonly redactor: Redactor;
  /** Messages on the wire, unredacted: they are redacted when read. */
  readonly trace: TraceLog;
}

/**
 * Puts the redactor between the host and the editor, so that no part of the host can bypass it: what is logged or remembered
 * goes through it here, and errors where they leave a connection (`ServerConnection`). It also learns secrets here before a
 * server can print them: the values given to a launch, and the `envFile`.
 */
export function guardPorts(ports: HostPorts, redactor: Redactor, trace: TraceLog): GuardedPorts {
  const { launch, sampling, elicitation, auth, drawsApps, sandbox, watch } = ports;
  return {
    redactor,
    trace,
    roots: ports.roots,
    ...(sampling && { sampling }),
    ...(elicitation && { elicitation }),
    // Its secrets are learned where they are used (`auth/context`).
    ...(auth && { auth }),
    ...(drawsApps && { drawsApps }),
    ...(watch && { watch }),
    sandbox,
    shellPath: () => ports.shellPath(),
    log: {
      log: (definition, entry) => {
        const { source, level, data, logger } = entry;
        ports.log.log(definition, {
          source,
          level,
          // Made plain first, because a colour code within a secret would hide it.
          data: redactor.value(plainData(data)),
          ...(logger !== undefined && { logger: redactor.text(plainText(String(logger))) }),
        });
      },
      level: definition => ports.log.level?.(definition),
    },
    memory: {
      read: key => ports.memory.read(key),
      write: (key, value) => ports.memory.write(key, redactor.value(value)),
    },
    readFile: async path => {
      const text = await ports.readFile(path);
      redactor.guess(`envFile ${path}`, secretsOfVariables(parseEnvFile(text)));
      return text;
    },
    launch: {
      admit: async (definition, purpose) => {
        const admitted = await launch.admit(definition, purpose);
        if (!('needs' in admitted)) {
          redactor.learn(definition.id, admitted.secrets);
          redactor.guess(definition.id, secretsOfEntry(admitted.entry));
        }
        return admitted;
      },
    },
  };
}
