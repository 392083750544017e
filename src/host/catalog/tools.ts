import type { Tool } from '@modelcontextprotocol/client';
import { isObject } from '../../base/json';
import { type Phrase, phrase } from '../../base/phrase';
import { DATA, isKnownDialect, MAX_SCHEMA_DEPTH, mayBeFault, NAMED } from '../../base/schemaKeywords';
import { visible } from '../../base/text';
import { typeName } from '../reading/carried';
import { isSchema, isType, keywordFault } from '../reading/keywordFaults';
import { single } from '../reading/shapes';
import { schemaFault } from '../sdk/schemaProblems';
import { toolDefinition } from './pinnedDefinitions';

/** In characters of JSON, approximately. A model is offered far less, and a form has no use for more. */
const MAX_SCHEMA_LENGTH = 256 * 1024;
const MAX_VALUE = 40;

type Role = 'schema' | 'names' | 'data';

/** A tool's JSON schema as it is offered, or why it can't be. */
interface ReadSchema {
  readonly schema: Readonly<Record<string, unknown>>;
  /** Worded to complete "its input schema ". */
  readonly problem?: Phrase | undefined;
  /** Something in it that its dialect does not allow, worded likewise. */
  readonly mistake?: Phrase | undefined;
}

interface Schemas {
  readonly inputSchema: unknown;
  readonly outputSchema: unknown;
}

/**
 * The schemas of a tool as they are offered: an input schema is one of an object, and an unusable output schema is left out.
 * `problem` says why the tool can't be called, `mistake` what is wrong with them nevertheless.
 */
export function readSchemas({ inputSchema, outputSchema }: Partial<Schemas>): Partial<Schemas> & {
  readonly problem?: Phrase;
  readonly mistake?: Phrase | undefined;
} {
  // A tool without a usable schema can be called all the same: the server decides.
  const given = single(inputSchema, '', () => {});
  const other = given === inputSchema && isObject(given) ? undefined : notAnObject(inputSchema);
  const input = readToolSchema(isObject(given) ? given : { type: 'object' });
  const { type } = input.schema;
  const isForOthers = isType(type) && ![type].flat().includes('object');
  const problem = input.problem ?? (isForOthers ? phrase('takes no object') : undefined);
  if (problem) return { problem: phrase('its input schema {0}', problem) };
  const output = outputSchema === undefined ? undefined : readToolSchema(outputSchema);
  const wrong = other ?? input.mistake ?? (type === 'object' ? undefined : phrase('does not say "type": "object"'));
  const wrongOutput = output?.problem ?? output?.mistake;
  return {
    inputSchema: type === 'object' ? input.schema : { ...input.schema, type: 'object' },
    ...(output && !output.problem && { outputSchema: output.schema }),
    mistake: wrong
      ? phrase('its input schema {0}', wrong)
      : wrongOutput && phrase('its output schema {0}', wrongOutput),
  };
}

const notAnObject = (value: unknown) => phrase('is {0}, not an object', typeName(value));

/** A JSON schema of a tool, without useless keywords. Each part is visited once and none run: servers wrote it. */
function readToolSchema(schema: unknown): ReadSchema {
  if (!isObject(schema)) return { schema: {}, problem: notAnObject(schema) };
  const broken = new Map<object, Set<string>>();
  let mistake: Phrase | undefined;
  let length = 0;
  let isFaultless = true;
  const open: [node: unknown, depth: number, role: Role, place: string][] = [[schema, 0, 'schema', '']];
  while (open.length > 0 && length <= MAX_SCHEMA_LENGTH) {
    const [node, depth, role, place] = open.pop()!;
    if (typeof node !== 'object' || node === null) {
      length += typeof node === 'string' ? node.length + 3 : 6;
      continue;
    }
    if (depth > MAX_SCHEMA_DEPTH)
      return { schema, problem: phrase('is nested deeper than {0} levels', MAX_SCHEMA_DEPTH) };
    length += 2;
    if (Array.isArray(node)) {
      length += node.length;
      if (length > MAX_SCHEMA_LENGTH) break;
      for (const item of node) open.push([item, depth + 1, role, place]);
      continue;
    }
    for (const [key, value] of Object.entries(node)) {
      length += key.length + 4;
      const below = place === '' ? key : `${place}.${key}`;
      isFaultless &&= role !== 'schema' || !mayBeFault(key, value);
      const fault = faultOf(key, value, role, schema.$schema);
      if (fault === 'broken') broken.set(node, (broken.get(node) ?? new Set()).add(key));
      if (fault && value !== null && key !== '__proto__')
        mistake ??= phrase('is not valid: "{0}" can\'t be {1}', visible(below, 100), shown(value));
      open.push([value, depth + 1, roleOf(key, role), below]);
    }
  }
  if (length > MAX_SCHEMA_LENGTH) return { schema, problem: phrase('is larger than {0} KB', MAX_SCHEMA_LENGTH / 1024) };
  const usable = broken.size > 0 ? without(schema, broken) : schema;
  // Another dialect may allow what is not valid in ours.
  if (!isKnownDialect(schema)) mistake = schemaFault(schema) ?? mistake;
  return { schema: usable, mistake: mistake ?? (isFaultless ? undefined : schemaFault(usable)) };
}

function faultOf(key: string, value: unknown, role: Role, dialect: unknown): 'broken' | 'invalid' | undefined {
  // Copies are made of what is offered, and that would become their prototype.
  if (key === '__proto__') return 'broken';
  if (role === 'schema') return keywordFault(key, value, dialect);
  return role === 'names' && !isSchema(value) ? 'invalid' : undefined;
}

function roleOf(key: string, role: Role): Role {
  if (role === 'names') return 'schema';
  if (role === 'data' || DATA.has(key)) return 'data';
  return NAMED.has(key) ? 'names' : 'schema';
}

/** A copy without these members. It is not deep: see `MAX_SCHEMA_DEPTH`. */
function without(schema: object, members: ReadonlyMap<object, ReadonlySet<string>>): Record<string, unknown> {
  const text = JSON.stringify(schema, function (this: object, key, value) {
    return members.get(this)?.has(key) ? undefined : value;
  });
  return JSON.parse(text);
}

function shown(value: unknown): Phrase | string {
  const isShort = typeof value !== 'object' || (Array.isArray(value) && value.every(item => typeof item !== 'object'));
  return isShort ? visible(JSON.stringify(value), MAX_VALUE) : typeName(value);
}

/** Whether two definitions of a tool are equal apart from the headers of its arguments. */
export function isSameButHeaders(one: Tool, other: Tool): boolean {
  const withoutHeaders = (key: string, value: unknown) => (key === 'x-mcp-header' ? undefined : value);
  const text = (tool: Tool) => JSON.stringify(toolDefinition(tool), withoutHeaders);
  return text(one) === text(other);
}

/** The extension for user interfaces of servers: MCP Apps. */
export const UI_EXTENSION = 'io.modelcontextprotocol/ui';
/** The one kind of page that there is (spec: ext-apps 2026-01-26, "UI Resource Format"). */
export const APP_MIME_TYPE = 'text/html;profile=mcp-app';

/**
 * Whether a tool is for models, or for the server's own apps; both, unless the server says otherwise (spec: ext-apps
 * 2026-01-26, "Visibility"). A tool that is not for models must not reach one.
 */
export function isFor(who: 'model' | 'app', tool: Pick<Tool, '_meta'>): boolean {
  const { visibility } = uiOf(tool);
  if (typeof visibility === 'string') return visibility === who;
  return !Array.isArray(visibility) || visibility.includes(who);
}

/** The address of the app that shows a tool's results, if it has one. */
export function appOf(tool: Pick<Tool, '_meta'>): string | undefined {
  const uri = uiOf(tool).resourceUri ?? tool._meta?.['ui/resourceUri'];
  return typeof uri === 'string' && uri.startsWith('ui://') ? uri : undefined;
}

const uiOf = ({ _meta }: Pick<Tool, '_meta'>): Record<string, unknown> => (isObject(_meta?.ui) ? _meta.ui : {});
