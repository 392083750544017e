import type { Client, Tool } from '@modelcontextprotocol/client';
import { withoutNulls } from '../../base/json';
import { type Phrase, phrase } from '../../base/phrase';
import { type Note, respelled, spellingsOf, typeName } from '../reading/carried';
import { readItem } from '../reading/listItems';
import type { CatalogKind } from '../reading/lists';
import { parameterHeaderProblem } from '../sdk/parameterHeaders';
import { readSchemas } from './tools';

/** The deepest nesting in an item, apart from a tool's schemas. The SDK's schemas and JSON use recursion. */
const MAX_DEPTH = 100;
interface ReadList {
  readonly kind: CatalogKind;
  /** Names of the tools so far; those of good ones are added. */
  readonly names: Set<string>;
  /** Whether arguments go into headers too: `mirrorsParameters(client)`. */
  readonly mirrors: boolean;
}

/** The verdict on an item of a list. Nearly all are simple, which a quick check shows; the rest go through the SDK's schemas. */
export function judge({ kind, names, mirrors }: ReadList, item: unknown): CheckedItem {
  const checked = checkItem(kind, item);
  const problem = checked.item && kind === 'tools' ? toolProblem(checked.item as Tool, names, mirrors) : undefined;
  return problem ? { ...checked, problem } : checked;
}

interface CheckedItem {
  readonly item?: object;
  /** Why it is left out, worded to complete "it was left out: ". */
  readonly problem?: Phrase | string;
  /** What is wrong with an item that is taken nevertheless: "its input schema …". */
  readonly mistake?: Phrase | undefined;
  /** What is not as the specification says in an item that is taken nevertheless. */
  readonly notes?: readonly Parameters<Note>[];
}

/** One item in usable form, or what is wrong with it. Never throws. */
export function checkItem(kind: CatalogKind, item: unknown): CheckedItem {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    return { problem: phrase('it is {0}, not an object', typeName(item)) };
  }
  const whole = withoutNulls(item as Record<string, unknown>);
  if (kind !== 'tools') return checkMembers(kind, whole);
  const notes: Parameters<Note>[] = [];
  const named = respelled(whole, SCHEMAS, '', (...note) => notes.push(note));
  const { inputSchema, outputSchema, ...others } = named;
  const { problem, mistake, ...schemas } = readSchemas({ inputSchema, outputSchema });
  if (problem) return { problem };
  const checked = checkMembers(kind, others);
  if (!checked.item) return checked;
  return { item: { ...checked.item, ...schemas }, mistake, notes: [...notes, ...(checked.notes ?? [])] };
}

/** Arguments are mirrored into headers if there are headers: over HTTP in the modern era. */
export function mirrorsParameters(client: Client): boolean {
  return client.getProtocolEra() === 'modern' && client.transport?.hasPerRequestStream === true;
}

function toolProblem(tool: Tool, names: Set<string>, mirrors: boolean): Phrase | undefined {
  if (names.has(tool.name)) return phrase('it has the same name as another tool in the list');
  const problem = mirrors ? parameterHeaderProblem(tool.inputSchema) : undefined;
  if (problem === undefined) names.add(tool.name);
  return problem;
}

const SCHEMAS = spellingsOf('inputSchema', 'outputSchema');

/** The required key that each kind has in addition to `name`. */
const REQUIRED: { readonly [K in CatalogKind]?: string } = { resources: 'uri', resourceTemplates: 'uriTemplate' };

/** True for an item that has only strings: the SDK would return it unchanged. */
function isPlain(kind: CatalogKind, item: Record<string, unknown>): boolean {
  const required = REQUIRED[kind];
  for (const key in item) {
    const value = item[key];
    switch (key) {
      case 'name':
      case 'title':
      case 'description':
        if (typeof value !== 'string') return false;
        break;
      case 'mimeType':
        if (required === undefined || typeof value !== 'string') return false;
        break;
      case 'size':
        if (kind !== 'resources' || typeof value !== 'number') return false;
        break;
      default:
        if (key !== required || typeof value !== 'string') return false;
    }
  }
  return Object.hasOwn(item, 'name') && (required === undefined || Object.hasOwn(item, required));
}

/** In characters. Names and addresses are compared, taken apart and written in other ways wherever they are shown. */
const MAX_NAME = 10_000;

/** @param item for a tool, without its schemas. */
function checkMembers(kind: CatalogKind, item: Record<string, unknown>): CheckedItem {
  const long = ['name', 'title', 'uri', 'uriTemplate', 'mimeType'].find(
    key => String(item[key] ?? '').length > MAX_NAME,
  );
  if (long) return { problem: phrase('its "{0}" has more than {1} characters', long, MAX_NAME) };
  if (isPlain(kind, item)) return { item };
  if (isDeep(item)) return { problem: phrase('it is nested deeper than {0} levels', MAX_DEPTH) };
  const notes: Parameters<Note>[] = [];
  const read = readItem(kind, item, (...note) => notes.push(note));
  return typeof read === 'string' ? { problem: read } : { item: read, notes };
}

function isDeep(item: object): boolean {
  let level: unknown[] = [item];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap(node => (typeof node === 'object' && node !== null ? Object.values(node) : []));
  }
  return false;
}

/** What an item is called, as far as it says. */
export function nameOf(item: unknown): string {
  const { name, uri, uriTemplate } = Object(item) as Record<string, unknown>;
  return ([name, uri, uriTemplate].find(text => typeof text === 'string' && text !== '') as string | undefined) ?? '';
}
