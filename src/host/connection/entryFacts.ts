import type { ServerDefinition } from '../definition/definition';

/** Whether settings configure a header with credentials, which rules out a sign-in. */
export function hasAuthorization(entry: ServerDefinition['entry']): boolean {
  const names = entry && entry.type !== 'stdio' ? Object.keys(entry.headers) : [];
  return names.some(name => name.toLowerCase() === 'authorization');
}
