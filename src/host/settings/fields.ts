import type * as z from 'zod';
import { type Phrase, phrase } from '../../base/phrase';
import type { ServerEntry, serverInput } from './schema';

export type FieldName = keyof z.input<typeof serverInput>;

/** The value of a field in an entry that was checked. */
export type EntryValue<F extends FieldName, E = ServerEntry> = E extends unknown
  ? F extends keyof E
    ? NonNullable<E[F]>
    : never
  : never;

interface Field {
  /**
   * What the field decides:
   * - `program`: what is started or reached. A change restarts the server and needs consent; answers about its tools end.
   * - `rights`: what the program may touch. A change restarts the server and needs consent.
   * - `session`: how the editor talks to it. A change restarts the server.
   * - `development`: what happens when its author changes its files. Commands in it need consent.
   * - `use`: how the editor uses it. A change applies at once.
   */
  readonly role: 'program' | 'rights' | 'session' | 'development' | 'use';
  /** What it must be, and an example as JSON. */
  readonly is: readonly [expected: Phrase, example: string];
  /** How much of the value a diagnostics report shows. Absent: only that the field is set. */
  readonly report?: 'whole' | 'names' | 'program' | 'options' | 'address';
  /** Whether `mcp.json` of VS Code has it too. */
  readonly isShared?: true;
}

const path = phrase('a path in quotes');
const strings = phrase('an object of strings');

/** One row for each field of the schema; a field without a row does not compile. */
export const FIELDS = {
  type: { role: 'program', is: [phrase('"stdio", "http" or "sse"'), '"http"'], report: 'whole', isShared: true },
  command: { role: 'program', is: [phrase('a string'), '"npx"'], report: 'program', isShared: true },
  args: { role: 'program', is: [phrase('a list of strings'), '["-y", "package"]'], report: 'options', isShared: true },
  env: { role: 'program', is: [strings, '{ "NAME": "value" }'], report: 'names', isShared: true },
  envFile: { role: 'program', is: [path, '"${workspaceFolder}/.env"'], isShared: true },
  cwd: { role: 'program', is: [path, '"${workspaceFolder}"'], isShared: true },
  url: {
    role: 'program',
    is: [phrase('an address in quotes'), '"https://example.com/mcp"'],
    report: 'address',
    isShared: true,
  },
  headers: { role: 'program', is: [strings, '{ "X-Name": "value" }'], report: 'names', isShared: true },
  headersHelper: {
    role: 'program',
    is: [phrase('a command line, or an object with a "command"'), '"/opt/bin/get-headers"'],
  },
  oauth: { role: 'program', is: [strings, '{ "clientId": "my-client" }'], report: 'names' },
  enabled: { role: 'use', is: [phrase('true or false'), 'false'], report: 'whole' },
  start: { role: 'use', is: [phrase('"onStartup", "onDemand" or "never"'), '"onDemand"'], report: 'whole' },
  timeouts: { role: 'use', is: [phrase('an object of milliseconds'), '{ "startMs": 60000 }'], report: 'whole' },
  logLevel: { role: 'use', is: [phrase('a level from "debug" to "emergency"'), '"info"'], report: 'whole' },
  protocol: {
    role: 'session',
    is: [phrase('a revision from "2024-11-05" to "2025-11-25"'), '"2025-11-25"'],
    report: 'whole',
  },
  roots: { role: 'use', is: [phrase('"workspace", "none" or a list of paths'), '["${workspaceFolder}/src"]'] },
  sandbox: {
    role: 'rights',
    is: [phrase('true, false, or an object of lists'), '{ "write": ["${workspaceFolder}"], "network": [] }'],
    report: 'names',
  },
  dev: {
    role: 'development',
    is: [phrase('an object with patterns of files'), '{ "watch": "src/**/*.ts", "build": "npm run build" }'],
    report: 'names',
  },
} as const satisfies Record<FieldName, Field>;

/** How much of a field a report shows: see `Field`. */
export type FieldReport = Field['report'];

export const fieldOf = (name: PropertyKey | undefined): Field | undefined =>
  Object.hasOwn(FIELDS, name ?? '') ? FIELDS[name as FieldName] : undefined;

/** Those that `mcp.json` of VS Code has too. */
export const SHARED_FIELDS = Object.keys(FIELDS).filter(name => fieldOf(name)?.isShared);

/** The fields that a person reviews before a program starts. */
export type ReviewedField = {
  [F in FieldName]: (typeof FIELDS)[F]['role'] extends 'program' | 'rights' | 'development' ? F : never;
}[FieldName];

export function fieldsWith(entry: ServerEntry, ...roles: readonly Field['role'][]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => roles.includes(FIELDS[name as FieldName].role)));
}
