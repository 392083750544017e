import { basename } from 'node:path';
import { messageOf } from '../../../base/errors';
import { readBounded, replaceFile } from '../../../base/files';
import { type Phrase, PhraseError, phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import type { StepFailure } from './checkResult';
import { type CoverageMarks, type CoverageSummary, marksOf } from './coverage';
import { changeText, compareSnapshots, type InterfaceSnapshot, readSnapshot, type Verdict } from './interfaceSnapshot';

const MAX_SNAPSHOT = 5 * 1024 * 1024;

/** The changes that a step lets pass. */
const PASSES: Record<'added' | 'wording' | 'nothing', readonly Verdict[]> = {
  added: ['added', 'wording'],
  wording: ['wording'],
  nothing: [],
};

/** The text of a snapshot, as it is in its file. */
export const snapshotText = (snapshot: InterfaceSnapshot): string => `${JSON.stringify(snapshot, null, 2)}\n`;

/** Rejects when there is a link at the path, or it can't be written. */
export const writeSnapshotFile = (path: string, snapshot: InterfaceSnapshot): Promise<void> =>
  replaceFile(path, snapshotText(snapshot));

/** Rejects with an error that says in a phrase why the file is no snapshot. */
export async function readSnapshotFile(path: string): Promise<InterfaceSnapshot> {
  let text: string;
  try {
    text = await readBounded(path, MAX_SNAPSHOT);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new PhraseError(phrase('it does not exist'));
    throw error;
  }
  const snapshot = readSnapshot(text);
  if ('text' in snapshot) throw new PhraseError(snapshot);
  return snapshot;
}

/**
 * Compares what a server offers with the snapshot in a file, or writes it there. Never rejects for what is in the file, or in its place.
 * @param path of the snapshot.
 */
export async function checkSnapshot(
  path: string,
  now: InterfaceSnapshot,
  allow: keyof typeof PASSES = 'added',
  updates = false,
): Promise<StepFailure[]> {
  const name = visible(basename(path), 100);
  const unusable = (why: Phrase | string): StepFailure[] => [
    { message: phrase('The snapshot {0} cannot be used: {1}. Run mcptest.js with --update to write it.', name, why) },
  ];
  if (updates) {
    try {
      await writeSnapshotFile(path, now);
      return [];
    } catch (error) {
      return [{ message: (error as Partial<PhraseError>).phrase ?? messageOf(error, 200) }];
    }
  }
  let before: InterfaceSnapshot;
  try {
    before = await readSnapshotFile(path);
  } catch (error) {
    return unusable((error as Partial<PhraseError>).phrase ?? messageOf(error, 200));
  }
  return compareSnapshots(before, now)
    .filter(({ verdict }) => !PASSES[allow].includes(verdict))
    .map(change => ({ message: phrase('The interface differs from its snapshot: {0}', changeText(change)) }));
}

/** Where coverage is shown. @param path of the snapshot, which need not be there. */
export async function coverageMarks(summary: CoverageSummary, path: string): Promise<CoverageMarks> {
  return marksOf(summary, await readBounded(path, MAX_SNAPSHOT).catch(() => undefined));
}
