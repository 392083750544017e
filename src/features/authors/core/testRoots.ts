import { dirname, isAbsolute, resolve } from 'node:path';
import { isWithin, realPlace } from '../../../base/filePlace';
import { phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { isSecretPlace } from '../../../host';
import type { TestFile } from './readTestFile';
import type { TestGuard } from './testGuard';

/**
 * The folders that the tests of a file tell their server of. Those in the empty folder that each test may have are not among them:
 * they are nobody's.
 */
export function rootsOf({ roots, emptyFolder }: Pick<TestFile, 'roots' | 'emptyFolder'>, path: string): string[] {
  return emptyFolder ? roots.filter(root => isAbsolute(root)) : roots.map(root => resolve(dirname(path), root));
}

/** Roots lie in one of these folders, wherever links lead, and in no place where secrets are kept. */
export function rootsWithin(folders: readonly string[]): TestGuard['rootProblem'] {
  return path => {
    const real = realPlace(path);
    const isInside = real !== undefined && folders.some(folder => isWithin(realPlace(folder) ?? folder, real));
    if (!isInside) return phrase('The root {0} is not in a workspace folder.', visible(path, 200));
    return isSecretPlace(real)
      ? phrase('The root {0} is a place where secrets are kept.', visible(path, 200))
      : undefined;
  };
}
