/** What the editor does with tests of servers, and snapshots of what they offer. In its own bundle (`doors.ts`). */
export { RecordTest } from './recordTest';
export { Snapshots } from './snapshots';
export { TestExplorer } from './testExplorer';
