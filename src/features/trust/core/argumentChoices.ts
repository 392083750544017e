import { dirname } from 'node:path';
import { isWithin, pathOf, realPlace } from '../../../base/filePlace';
import { type ArgumentCondition, type ArgumentRule, isKeepable, originOf, pointerOf } from './argumentRules';

/** The choices for one argument of future calls, the narrowest first and `any` last. */
export interface ArgumentPart {
  readonly path: string;
  readonly choices: readonly ArgumentCondition[];
}

export interface ChoiceContext {
  /** Folders of the workspace, links resolved. A path in one is narrowed only to folders within it. */
  readonly folders: readonly string[];
  /** Whether the server runs on this machine. Links on other machines can't be resolved. */
  readonly isLocal: boolean;
  /** Whether a text contains a secret, which must not be stored. */
  readonly isSecret: (text: string) => boolean;
}

const MAX_DEPTH = 4;
/** More than these are not asked for one by one. */
const MAX_PARTS = 30;
const MAX_FOLDERS = 20;

/** The choices for narrowing an approval of a call with these arguments. */
export function argumentChoices(args: Readonly<Record<string, unknown>>, context: ChoiceContext): ArgumentPart[] {
  const fine = partsOf(args, MAX_DEPTH);
  const parts = fine.length > MAX_PARTS ? partsOf(args, 1) : fine;
  return parts.map(({ path, value }) => ({ path: pointerOf(path), choices: choicesOf(path, value, context) }));
}

/** The choices for changing a rule: each condition unchanged, wider, or as narrow as its value allows. */
export function ruleChoices(rule: ArgumentRule, context: ChoiceContext): ArgumentPart[] {
  return rule.map(condition => {
    const { path } = condition;
    const others: ArgumentCondition[] =
      condition.is === 'below'
        ? foldersAbove(condition.folder, context.folders).map(folder => ({ path, is: 'below', folder }))
        : [];
    const all = [condition, ...others, ...(condition.is === 'any' ? [] : [{ path, is: 'any' } as const])];
    return { path, choices: all };
  });
}

function partsOf(args: Readonly<Record<string, unknown>>, depth: number): { path: string[]; value: unknown }[] {
  return Object.entries(args).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (depth <= 1 || !isObject || Object.keys(value).length === 0) return [{ path: [name], value }];
    const inner = partsOf(value as Record<string, unknown>, depth - 1);
    return inner.map(part => ({ ...part, path: [name, ...part.path] }));
  });
}

function choicesOf(path: readonly string[], value: unknown, context: ChoiceContext): ArgumentCondition[] {
  const whole = pointerOf(path);
  const canKeep = isKeepable(value) && !context.isSecret(JSON.stringify(value));
  const exact: ArgumentCondition[] = canKeep ? [{ path: whole, is: 'equals', value }] : [];
  const isList = Array.isArray(value);
  const texts: readonly unknown[] = isList ? value : [value];
  const each = pointerOf(path, isList);
  const places = texts.length > 0 && texts.every(text => typeof text === 'string') ? texts : [];
  return [
    ...exact,
    ...foldersOf(places, context).map(folder => ({ path: each, is: 'below', folder }) as const),
    ...hostsOf(places).map(hosts => ({ path: each, is: 'host', hosts }) as const),
    { path: whole, is: 'any' },
  ];
}

/** The folders that hold all of these files, the innermost first. */
function foldersOf(texts: readonly string[], { folders, isLocal, isSecret }: ChoiceContext): string[] {
  if (!isLocal || texts.length === 0) return [];
  const holding = texts.map(text => {
    const path = pathOf(text);
    const place = path === undefined ? undefined : realPlace(path);
    return place === undefined ? [] : folders.includes(place) ? [place] : foldersAbove(place, folders);
  });
  const [first = [], ...others] = holding;
  return first.filter(folder => !isSecret(folder) && others.every(other => other.includes(folder)));
}

/** The folders above a path: up to the workspace folder; elsewhere only the next one, and never a whole disk. */
function foldersAbove(place: string, folders: readonly string[]): string[] {
  const limit = folders
    .filter(folder => folder !== place && isWithin(folder, place))
    .sort((a, b) => a.length - b.length)[0];
  const above: string[] = [];
  for (let at = dirname(place); above.length < MAX_FOLDERS && at !== dirname(at); at = dirname(at)) {
    above.push(at);
    if (limit === undefined || at === limit) break;
  }
  return above;
}

function hostsOf(texts: readonly string[]): string[][] {
  const origins = texts.map(originOf);
  const known = origins.filter(origin => origin !== undefined);
  return known.length === origins.length && known.length > 0 ? [[...new Set(known)].sort()] : [];
}
