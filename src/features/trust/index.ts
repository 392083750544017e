export { lastingAnswers, type NarrowedApproval, narrowApproval, notesOf, ruleText } from './callQuestion';
export * from './core';
export { askInput } from './inputQuestions';
export type { ListedAnswer, SamplingLine } from './manageTrust';
export type { ReviewDialog } from './reviewServers';
export { describeLaunches } from './reviewText';
export { ownSandbox, type SandboxDemand, sandboxLines } from './sandboxText';
export { SecretOwners } from './secretOwners';
export type { Trust } from './trust';
