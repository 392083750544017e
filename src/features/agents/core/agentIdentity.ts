import { randomUUID } from 'node:crypto';
import { fingerprint } from '../../../base/fingerprint';
import { visible } from '../../../base/text';
import type { ClientDetail, ClientIdentity } from '../../clients';
import type { AgentProcess } from './peerProcess';
import type { SeenProgram } from './seenProgram';

/** The identity that an agent declares (spec: basic/lifecycle, `clientInfo`). */
export interface SaidInfo {
  readonly name: string;
  readonly version?: string;
}

/**
 * An agent as a person is asked about it: the name that it gives, and the program that the system says it is. What comes under the
 * same name from another program is asked about by itself. Where the system does not tell, each session is.
 */
export function agentIdentity(said: SaidInfo, { programs, parents, cwd, isCertain }: AgentProcess): ClientIdentity {
  const agent = programs.at(-1);
  const commandLines = programs.filter(({ words }) => words.length > 0).map(commandLineOf);
  const variables = programs.flatMap(program => program.variables);
  const sums = programs.flatMap(({ files }) => files.map(({ sha256 }) => sha256.slice(0, 16)));
  const details: (ClientDetail | false | undefined)[] = [
    said.version !== undefined && { what: 'version', text: visible(said.version, 100) },
    agent && { what: 'program', text: agent.shown },
    commandLines.length > 0 && { what: 'commandLine', text: commandLines.join(' ← ') },
    variables.length > 0 && { what: 'variables', text: variables.join(' ') },
    sums.length > 0 && { what: 'checksum', text: sums.join(' ') },
    parents.length > 0 && { what: 'parents', text: parents.join(' ← ') },
    { what: 'folder', text: cwd },
  ];
  const { name } = said;
  return {
    kind: 'agent',
    id: name,
    name,
    details: details.filter(detail => typeof detail === 'object'),
    program: fingerprint(programs.map(placeOf)),
    fingerprint: isCertain ? fingerprint({ name, programs: programs.map(contentOf) }) : randomUUID(),
    ...(!isCertain && { isUncertain: true }),
  };
}

/** An agent that updates itself stays in its place: installers put versions into paths. */
const withoutVersions = (text: string) => text.replace(/\d+(?:\.\d+)+(?:-[\w.]+)?/g, '*');

const placeOf = ({ executable, words, variables }: SeenProgram) => [
  withoutVersions(executable),
  words.map(withoutVersions),
  variables,
];

const contentOf = (program: SeenProgram) => [placeOf(program), program.files.map(({ sha256 }) => sha256)];

const commandLineOf = ({ executable, words }: SeenProgram) => [executable, ...words].join(' ');
