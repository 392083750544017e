// In place of: node:path
import { withoutTrailingSlashes } from '../base/text';

/** The part of `node:path` that this extension uses, by the rules of POSIX: paths of web windows are those of URIs. */
export const sep = '/';
export const delimiter = ':';

export const isAbsolute = (path: string): boolean => path.startsWith(sep);

export function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split(sep)) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (!isAbsolute(path)) parts.push(part);
  }
  const joined = parts.join(sep);
  return isAbsolute(path) ? sep + joined : joined || '.';
}

export const join = (...paths: string[]): string => normalize(paths.filter(Boolean).join(sep));

export function resolve(...paths: string[]): string {
  const last = paths.findLastIndex(isAbsolute);
  return join(sep, ...paths.slice(Math.max(0, last)));
}

export const dirname = (path: string): string => (isAbsolute(path) ? join(path, '..') : join('.', path, '..'));

export const parse = (path: string): { root: string } => ({ root: isAbsolute(path) ? sep : '' });

export const basename = (path: string): string => withoutTrailingSlashes(path).split(sep).at(-1)!;

export function relative(from: string, to: string): string {
  const [a, b] = [resolve(from), resolve(to)].map(path => path.split(sep).filter(Boolean)) as [string[], string[]];
  const differs = a.findIndex((part, index) => part !== b[index]);
  const shared = differs < 0 ? a.length : differs;
  return [...a.slice(shared).map(() => '..'), ...b.slice(shared)].join(sep);
}
