import type { Disposable } from 'vscode';
import { QuestionFiles } from './questionFiles';
import { TestExplorer } from './testExplorer';

/** What the editor does with tests of servers, and snapshots of what they offer. In its own bundle (`doors.ts`). */
export { RecordTest } from './recordTest';
export { Snapshots } from './snapshots';

export function exploreTests(owner: Disposable[], ...parts: ConstructorParameters<typeof TestExplorer>): TestExplorer {
  const explorer = new TestExplorer(...parts);
  owner.push(explorer);
  return explorer;
}

export const checkQuestions = (owner: Disposable[], ...parts: ConstructorParameters<typeof QuestionFiles>): number =>
  owner.push(new QuestionFiles(...parts));
