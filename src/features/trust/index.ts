export { type NarrowedApproval, narrowApproval, notesOf, ruleText } from './callQuestion';
export * from './core';
export { inputKey, ownerOf } from './extensionStorage';
export { askInput } from './inputQuestions';
export type { ListedAnswer, SamplingLine } from './manageTrust';
export type { ReviewDialog } from './reviewServers';
export { describeLaunches } from './reviewText';
export { sandboxLines } from './sandboxText';
export type { Trust } from './trust';
