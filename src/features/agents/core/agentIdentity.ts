import { fingerprint } from '../../../base/fingerprint';
import { visible } from '../../../base/text';
import type { ClientDetail, ClientIdentity } from '../../clients';
import { type AgentProcess, agentProgram } from './peerProcess';

/** The identity that an agent declares (spec: basic/lifecycle, `clientInfo`). */
export interface SaidInfo {
  readonly name: string;
  readonly version?: string;
}

/**
 * An agent as a person is asked about it. It is known by the name that it gives, and pinned to the program that the system says it
 * is: what comes under the same name from another program is asked about again.
 */
export function agentIdentity(said: SaidInfo, process: AgentProcess): ClientIdentity {
  const program = agentProgram(process);
  const details: (ClientDetail | false | undefined)[] = [
    said.version !== undefined && { what: 'version', text: visible(said.version, 100) },
    program !== undefined && { what: 'program', text: program },
    process.chain.length > 0 && { what: 'parents', text: process.chain.join(' ← ') },
    { what: 'folder', text: process.cwd },
  ];
  return {
    kind: 'agent',
    id: said.name,
    name: said.name,
    details: details.filter(detail => typeof detail === 'object'),
    fingerprint: fingerprint({ name: said.name, program: program && withoutVersions(program) }),
  };
}

/** An agent that updates itself stays the same one: installers put versions into paths. */
const withoutVersions = (program: string) => program.replace(/\d+(?:\.\d+)+(?:-[\w.]+)?/g, '*');
