import {
  type CallToolResult,
  SdkError,
  SdkErrorCode,
  type StandardSchemaV1,
  specTypeSchemas,
} from '@modelcontextprotocol/client';
import { isObject } from '../../base/json';

/** Called with the place of an optional part that was left out of an answer to a method, or of a request by it. */
export type LeftOut = (method: string, place: string) => void;

const RESULTS: Readonly<Record<string, StandardSchemaV1>> = {
  'completion/complete': specTypeSchemas.CompleteResult,
  'logging/setLevel': specTypeSchemas.EmptyResult,
  ping: specTypeSchemas.EmptyResult,
  'prompts/get': specTypeSchemas.GetPromptResult,
  'resources/read': specTypeSchemas.ReadResourceResult,
  'resources/subscribe': specTypeSchemas.EmptyResult,
  'resources/unsubscribe': specTypeSchemas.EmptyResult,
  'tools/call': specTypeSchemas.CallToolResult,
};
const REQUESTS: Readonly<Record<string, StandardSchemaV1>> = {
  'elicitation/create': specTypeSchemas.ElicitRequest,
  'sampling/createMessage': specTypeSchemas.CreateMessageRequest,
};

/** Reads messages that the SDK refuses because of an optional part. */
export class LenientMessages {
  constructor(private readonly leftOut: LeftOut = () => {}) {}

  /** A result that the SDK has refused with this error. Throws the error if a required field is invalid. */
  result(method: string, raw: unknown, error: SdkError, schema = RESULTS[method]): unknown {
    // The type belongs to the modern era; the SDK drops it.
    const { resultType = 'complete', ...result } = Object(raw) as Record<string, unknown>;
    const read = schema && resultType === 'complete' ? lenient(schema, result) : undefined;
    if (!read) throw error;
    for (const place of read.leftOut) this.leftOut(method, place);
    return read.value;
  }

  /** The result of a tool call in which these issues were found, likewise. */
  call(raw: unknown, issues: readonly StandardSchemaV1.Issue[]): CallToolResult {
    const said = issues.map(({ message, path }) => (path?.length ? `${path.map(String).join('.')}: ` : '') + message);
    const error = new SdkError(SdkErrorCode.InvalidResult, `Invalid result for tools/call: ${said.join(', ')}`);
    return this.result('tools/call', raw, error) as CallToolResult;
  }

  /** A server's request, or the answer to one of the SDK's own, as the SDK will accept it; or unchanged. */
  fitting<T extends object>(method: string, value: T, schema = REQUESTS[method]): T {
    const read = schema && lenient(schema, value);
    if (!read || read.leftOut.length === 0) return value;
    for (const place of read.leftOut) this.leftOut(method, place);
    return read.raw as T;
  }
}

/** A value in which the optional parts that its schema refused are missing. */
interface Lenient<T> {
  /** What the schema makes of it. */
  readonly value: T;
  /** The value as it came, without those parts. */
  readonly raw: unknown;
  /** Where those parts were, without the indices of arrays: "content[].annotations.lastModified". */
  readonly leftOut: readonly string[];
}

type Path = readonly (string | number)[];

/** An issue as zod reports it, in which the SDK writes its schemas. */
interface Issue extends StandardSchemaV1.Issue {
  readonly code?: string;
  /** The issues of each member of a union. */
  readonly errors?: readonly (readonly Issue[])[];
  readonly keys?: readonly string[];
  readonly values?: readonly unknown[];
  readonly maximum?: unknown;
}

/** An issue outside any union. */
interface Fault {
  readonly path: Path;
  readonly issue: Issue;
}

type Container = Record<string | number, unknown>;

interface Change {
  readonly path: Path;
  /** What stands there instead; undefined if nothing does. */
  readonly by?: unknown;
  /** Whether it stands there only for the schema. */
  readonly isUnknown?: true;
  /** Whether what is left out lacks something required. */
  readonly isIncomplete?: true;
}

const MAX_ROUNDS = 20;
const MAX_FAULTS = 10_000;
/** An item that is to be taken out of its array, after all paths of a round were used. */
const HOLE = Symbol('left out');

/**
 * Reads a value that its schema has refused: leaves out optional fields with invalid values, and keeps the rest.
 * Content of an unknown type is kept, and an array that is too long is cut. Undefined if a required field is invalid.
 *
 * Each round leaves out all that the schema reports. If something required is missing then, what contains it goes with the
 * next round. At the end, the schema must not have filled in anything for what was left out: then it was not optional.
 */
export function lenient<T>(schema: StandardSchemaV1<unknown, T>, value: unknown): Lenient<T> | undefined {
  const leftOut = new Map<string, Change>();
  const unknown: Change[] = [];
  let raw = value;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const result = schema['~standard'].validate(raw);
    if (result instanceof Promise) return undefined;
    if (!result.issues) {
      if (![...leftOut.values()].every(change => isOptional(change, schema, raw, result.value))) return undefined;
      const kept = unknown.map(({ path }) => ({ path, by: at(value, path) }));
      return { value: changed(result.value, kept) as T, raw: changed(raw, kept), leftOut: [...leftOut.keys()] };
    }
    const faults = result.issues.flatMap(issue => faultsOf(issue, raw, []));
    const changes = faults.flatMap(fault => changesFor(fault, raw));
    if (faults.length > MAX_FAULTS || changes.some(({ path }) => path.length === 0)) return undefined;
    for (const change of changes) {
      if (change.isUnknown) unknown.push(change);
      else leftOut.set(placeOf(change.path), change);
    }
    raw = changed(raw, changes);
  }
  return undefined;
}

/** The faults behind an issue. Those of a union are the ones of the member that the value resembles most. */
function faultsOf(issue: Issue, root: unknown, above: Path): Fault[] {
  const path = [...above, ...(issue.path ?? []).map(part => (typeof part === 'object' ? part.key : part))] as Path;
  if (!issue.errors?.length) return [{ path, issue }];
  const members = issue.errors.map(errors => errors.flatMap(error => faultsOf(error, root, path)));
  const isOtherType = (fault: Fault) =>
    fault.path.length === path.length + 1 && fault.path.at(-1) === 'type' && fault.issue.values !== undefined;
  if (members.every(faults => faults.some(isOtherType)) && typeof at(root, [...path, 'type']) === 'string')
    return [{ path, issue }];
  const weight = (fault: Fault) => {
    if (fault.path.length === path.length || isOtherType(fault)) return MAX_FAULTS ** 2;
    return at(root, fault.path) === undefined ? MAX_FAULTS : 1;
  };
  const difference = (faults: Fault[]) => faults.reduce((sum, fault) => sum + weight(fault), 0);
  return members.reduce((best, faults) => (difference(faults) < difference(best) ? faults : best));
}

/** What to change because of a fault. An empty path: nothing can be left out. */
function changesFor({ path, issue }: Fault, root: unknown): Change[] {
  const odd = at(root, path);
  if (issue.code === 'unrecognized_keys') return (issue.keys ?? []).map(key => ({ path: [...path, key] }));
  if (issue.code === 'invalid_union' && isObject(odd))
    return [{ path, by: { type: 'text', text: '' }, isUnknown: true }];
  if (issue.code === 'too_big' && Array.isArray(odd)) return [{ path, by: odd.slice(0, Number(issue.maximum)) }];
  const depth = path.findIndex((_, index) => at(root, path.slice(0, index + 1)) === undefined);
  return [depth < 0 ? { path } : { path: path.slice(0, depth), isIncomplete: true }];
}

/**
 * Whether the schema does without what was left out. An item of an array, or something incomplete that may be an entry of a
 * record, is content unless all of the array or record is optional.
 */
function isOptional({ path, isIncomplete }: Change, schema: StandardSchemaV1, raw: unknown, value: unknown): boolean {
  const mayBeContent = typeof path.at(-1) === 'number' || (isIncomplete && path.length > 1);
  if (!mayBeContent) return allAt(value, path).length <= allAt(raw, path).length;
  const container = path.slice(0, -1);
  const result = schema['~standard'].validate(
    changed(
      raw,
      allAt(raw, container).map(path => ({ path })),
    ),
  );
  return !(result instanceof Promise) && !result.issues && allAt(result.value, container).length === 0;
}

/** A copy with these changes. Only what contains a change is copied. */
function changed(root: unknown, changes: readonly Change[]): unknown {
  const copies = new Set<object>();
  const shortened = new Set<unknown[]>();
  const top: Container = { root };
  for (const { path, by } of changes) {
    const [key, ...above] = ['root', ...path].reverse() as [string | number, ...(string | number)[]];
    const parent = above.reduceRight<Container | undefined>((parent, name) => copyIn(parent, name, copies), top);
    // It may have been left out with what it was in.
    if (!parent) continue;
    if (by !== undefined) parent[key] = by;
    else if (Array.isArray(parent)) {
      parent[key as number] = HOLE;
      shortened.add(parent);
    } else delete parent[key];
  }
  for (const items of shortened) items.splice(0, items.length, ...items.filter(item => item !== HOLE));
  return top.root;
}

/** Replaces a member by a copy, once. Undefined if there is nothing to copy. */
function copyIn(parent: Container | undefined, name: string | number, copies: Set<object>): Container | undefined {
  const there = parent?.[name];
  if (!parent || typeof there !== 'object' || there === null) return undefined;
  if (copies.has(there)) return there as Container;
  const copy = (Array.isArray(there) ? [...there] : { ...there }) as Container;
  copies.add(copy);
  parent[name] = copy;
  return copy;
}

function at(root: unknown, path: Path): unknown {
  return path.reduce((value, key) => (Object.hasOwn(Object(value), key) ? Object(value)[key] : undefined), root);
}

/** The paths of all that is in the place of a path, whatever the indices of the arrays above it. */
function allAt(root: unknown, path: Path, prefix: Path = []): Path[] {
  const [key, ...rest] = path;
  if (key === undefined) return root === undefined ? [] : [prefix];
  const keys = typeof key === 'string' ? [key] : Array.isArray(root) ? [...root.keys()] : [];
  return keys.flatMap(key => allAt(at(root, [key]), rest, [...prefix, key]));
}

function placeOf(path: Path): string {
  return path.reduce<string>((place, key) => {
    if (typeof key === 'number') return `${place}[]`;
    return place ? `${place}.${key}` : key;
  }, '');
}
