import { type Phrase, phrase } from '../../../base/phrase';
import type { ServerDefinition } from '../../../host/definition';
import { commandLine, shownAddress, valueText } from '../../../host/launch';
import { programIn, type ServerEntry } from '../../../host/settings';
import { packagesOf } from '../../supply/core';
import { fileLines } from './managedFile';
import { type OrganizationRules, refusalOf, remedyOf } from './organizationRules';

export type Line = Phrase | string;
type Server = Pick<ServerDefinition, 'name' | 'entry' | 'inputs'>;

/** The rules here, and what they refuse. @param place of their file. @param servers with absolute paths. */
export function rulesLines(rules: OrganizationRules, place: string, servers: readonly Server[]): Line[] {
  const { files } = rules;
  const found = files.flatMap(({ path, settings }): Line[] => [
    path,
    ...indented(
      'values' in settings
        ? [phrase('This file is not accepted, so it refuses every server: {0}', settings)]
        : fileLines(settings),
    ),
    '',
  ]);
  const none = !files.some(({ kind }) => kind === 'own') ? [phrase('There is no file {0}.', place), ''] : [];
  const remedy = files.length > 0 ? [phrase('Shown with each refusal: {0}', remedyOf(rules)), ''] : [];
  const verdicts = servers.flatMap(server => verdictOf(rules, server) ?? []);
  return [...found, ...none, ...ofEditor(rules), ...remedy, phrase('Servers of this window:'), ...indented(verdicts)];
}

const indented = (lines: readonly Line[]): Line[] => lines.map(line => ({ text: '  {0}', values: [line] }));

const ofEditor = ({ access, isOwnAccess, registry }: OrganizationRules): Line[] => [
  isOwnAccess
    ? phrase('Your setting "chat.mcp.access" of the editor: {0}', access)
    : phrase('Policy "chat.mcp.access" of the editor: {0}', access),
  ...(registry?.address === undefined ? [] : [phrase('Only servers that {0} lists may run', registry.address)]),
  '',
];

/** What rules say about a server. Undefined: its entry is invalid. */
export function verdictOf(rules: OrganizationRules, { name, entry, inputs }: Server): Phrase | undefined {
  if (!entry) return undefined;
  const refused = refusalOf(rules, { name, entry }, !inputs);
  if (refused) return phrase('{0}: refused, because {1}', name, refused);
  return inputs
    ? phrase('{0}: may start, if its inputs change nothing about that', name)
    : phrase('{0}: may start', name);
}

/** What an administrator needs to decide about a server. */
interface Request {
  readonly name: string;
  readonly entry: ServerEntry;
  readonly reason: Phrase | string;
  /** Names of tools, as far as they are known. */
  readonly tools: readonly string[];
  /** What it may touch, if it is confined. */
  readonly confined: readonly string[] | undefined;
}

/** The text of a request for approval. Values that may be secret are masked. */
export function requestLines({ name, entry, reason, tools, confined }: Request): Line[] {
  const isProgram = entry.type === 'stdio';
  const program = programIn(entry);
  const packages = program ? packagesOf(program.command, program.args) : [];
  const variables = Object.keys(isProgram ? entry.env : entry.headers).join(', ');
  return [
    phrase('Please allow the MCP server "{0}".', name),
    '',
    ...packages.map(({ ecosystem, name, version }) =>
      version === ''
        ? phrase('Package: {0}, without a fixed version', `${ecosystem} ${name}`)
        : phrase('Package: {0}', `${ecosystem} ${name} ${version}`),
    ),
    ...(isProgram ? [] : [phrase('Address: {0}', shownAddress(entry.url))]),
    ...(program ? [phrase('Command: {0}', commandLine(program.command, program.args))] : []),
    ...(variables === '' ? [] : [isProgram ? phrase('Variables: {0}', variables) : phrase('Headers: {0}', variables)]),
    tools.length > 0 ? phrase('Tools: {0}', tools.join(', ')) : phrase('Tools: not known, as it has not run yet'),
    ...(program ? (confined ?? [phrase('It is not confined: it can do whatever the person can.')]) : []),
    phrase('Refused, because {0}', reason),
    '',
    phrase('A rule that allows it:'),
    ...(isProgram ? [] : [JSON.stringify({ serverUrl: shownAddress(entry.url) })]),
    ...(program
      ? [JSON.stringify({ serverCommand: [program.command, ...program.args].map(word => valueText(word)) })]
      : []),
  ];
}
