import { dirname } from 'node:path';
import type { BlockedAttempt } from '../../../host';
import type { SandboxRefusal } from './proposal';

/** A folder that a server wants to change, or a file where only that can be allowed, with the attempts behind it. */
export interface WriteWish {
  readonly path: string;
  readonly isFolder: boolean;
  readonly attempts: readonly BlockedAttempt[];
}

/** What a server wants to write and can be allowed to, folder by folder, in the order of its attempts. */
export function writeWishes(refusals: readonly SandboxRefusal[]): WriteWish[] {
  const wishes = new Map<string, WriteWish>();
  for (const { attempt, isKept, allowances } of refusals) {
    if (attempt.kind !== 'write' || isKept || allowances.length === 0) continue;
    const isFolder = allowances.includes('folder');
    const path = isFolder ? dirname(attempt.what) : attempt.what;
    wishes.set(path, { path, isFolder, attempts: [...(wishes.get(path)?.attempts ?? []), attempt] });
  }
  return [...wishes.values()];
}
