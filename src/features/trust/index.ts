export { type NarrowedApproval, narrowApproval, notesOf, ruleText } from './callQuestion';
export type { AuditPort } from './core/auditLog';
export type { CommandConsents } from './core/commandConsents';
export type { Consents, LaunchReview } from './core/consent';
export { adoptConsent, WORKSPACE_ROOTS, wantedRoots } from './core/consent';
export type { Flow, FlowRead, Trail } from './core/flow';
export type { PinMode, PinState, PinStore, Pins } from './core/pins';
export { type Requests, requestTool } from './core/requestPolicy';
export type {
  ApprovedCall,
  AskedCall,
  AskPerson,
  MadeCall,
  PersonsAnswer,
  RefusedCall,
  ToolCalls,
  WantedCall,
} from './core/toolCalls';
export { inputKey, ownerOf } from './extensionStorage';
export { askInput } from './inputQuestions';
export type { ListedAnswer, SamplingLine } from './manageTrust';
export type { ReviewDialog } from './reviewServers';
export { describeLaunches } from './reviewText';
export { sandboxLines } from './sandboxText';
export type { Trust } from './trust';
