import type { Prompt, Resource, ResourceTemplateType, StandardSchemaV1, Tool } from '@modelcontextprotocol/client';
import { isObject } from '../../base/json';
import { english, type Phrase, phrase } from '../../base/phrase';

/** The items that a server can offer, by kind. */
export interface CatalogItems {
  tools: Tool;
  prompts: Prompt;
  resources: Resource;
  resourceTemplates: ResourceTemplateType;
}

export type CatalogKind = keyof CatalogItems;

export const CATALOG_KINDS: readonly CatalogKind[] = ['tools', 'prompts', 'resources', 'resourceTemplates'];

/** The capability that a list belongs to. */
export const capabilityOf = (kind: CatalogKind) => (kind === 'resourceTemplates' ? 'resources' : kind);

/** One page of a list as the server sent it, with unchecked items. */
interface ListPage {
  readonly items: readonly unknown[];
  /** Any value. From a good server it is a string, or absent at the end. */
  readonly nextCursor: unknown;
  /** Any value. In the modern era it should be a number. */
  readonly ttlMs: unknown;
  /** Any value. In the modern era it should be `public` or `private`. */
  readonly cacheScope: unknown;
}

/** A schema in the form that the SDK takes. */
export function schemaOf<T>(validate: (value: unknown) => StandardSchemaV1.Result<T>): StandardSchemaV1<unknown, T> {
  return { '~standard': { version: 1, vendor: 'mcp-host', validate } };
}

/** A schema for one page of a list that refuses no item. */
interface ListResultSchema extends StandardSchemaV1<unknown, ListPage> {
  /** Where the items are. */
  readonly key: CatalogKind;
}

/**
 * The member in which a stand-in, which passes the SDK's checks, carries the actual result: see `listStandIn` and
 * `callStandIn`.
 */
export const original = Symbol('original');

/**
 * How a page of a list is read: only that it is a list is checked, as one bad item must not take the others down (the
 * SDK's schemas refuse the whole list). The items are checked one by one in `catalogItems.ts`.
 */
export function listResult(key: CatalogKind): ListResultSchema {
  const schema = schemaOf<ListPage>(value => {
    const result = ((value as { [original]?: unknown })[original] ?? value) as Record<string, unknown>;
    const items = Object.hasOwn(result, key) ? result[key] : undefined;
    if (!Array.isArray(items))
      return { issues: [{ message: `"${key}" is ${english(typeName(items))} and not an array` }] };
    return { value: { items, nextCursor: result.nextCursor, ttlMs: result.ttlMs, cacheScope: result.cacheScope } };
  });
  return { ...schema, key };
}

export function isListResult(schema: unknown): schema is ListResultSchema {
  return typeof schema === 'object' && schema !== null && 'key' in schema && '~standard' in schema;
}

/**
 * A result that passes the SDK's own check in the modern era, which comes before any schema that it is given: it has an
 * empty list and valid caching hints. It carries the actual result for `listResult`.
 */
export function listStandIn(result: unknown, key: CatalogKind): unknown {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return result;
  const { resultType } = result as { resultType?: unknown };
  if (resultType !== 'complete') return result;
  return { resultType, [key]: [], ttlMs: 0, cacheScope: 'private', [original]: result };
}

/**
 * An empty result that carries the task that a call became (extension io.modelcontextprotocol/tasks), which the SDK would
 * refuse in the modern era without even revealing its id.
 */
export function callStandIn(result: unknown): unknown {
  const isTask = (result as { resultType?: unknown } | null)?.resultType === 'task';
  return isTask ? { resultType: 'complete', content: [], [original]: result } : result;
}

const TYPES: Readonly<Record<string, Phrase>> = {
  undefined: phrase('missing'),
  string: phrase('a string'),
  number: phrase('a number'),
  boolean: phrase('a boolean'),
};

/** The name of a JSON value's type: "null", "a string", "an array". */
export function typeName(value: unknown): Phrase {
  if (value === null) return phrase('null');
  if (Array.isArray(value)) return phrase('an array');
  return TYPES[typeof value] ?? phrase('an object');
}

/** Accepts any result: the caller checks what it uses. */
export const anyResult = schemaOf<unknown>(value => ({ value }));

/** Accepts any object. Its members are checked one by one, because a bad one must not take the others down. */
export const anyObject = schemaOf<Record<string, unknown>>(value =>
  isObject(value) ? { value } : { issues: [{ message: 'it is not an object' }] },
);
