export { type ApprovalChanges, answerText, type RuleChange, scopeText } from './approvalChanges';
export { WORKSPACE_ROOTS, wantedRoots } from './core/agreedRoots';
export type { ApprovalRule } from './core/approvals';
export type { AuditPort } from './core/audit';
export type { CommandConsents } from './core/commandConsents';
export type { Consents, LaunchReview } from './core/consent';
export type { Flow, FlowRead, Trail } from './core/flow';
export type { PinMode, PinState, PinStore, Pins } from './core/pins';
export { type NamedCaller, type Requests, requestTool } from './core/requestPolicy';
export { layOut, rowsText } from './core/reviewLayout';
export { adoptConsent } from './core/sharedConsent';
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
export { PinStorage } from './extensionStorage';
export { askInput } from './inputs/askInput';
export { inputKey } from './inputs/inputValues';
export { type NarrowedApproval, narrowApproval, ruleText } from './narrowApproval';
export { inQuestion, jsonOf, markWords, newsOf, quotedJson, quotedRows, withSpaces } from './review/argumentsText';
export { askWhole } from './review/askWhole';
export { fitsDialog } from './review/dialogText';
export { isDrawnByWorkspace } from './review/drawing';
export { type OpenWholePage, openWholePage, type WholeText } from './review/wholePage';
export type { ReviewDialog } from './reviewDialog';
export { ReviewDocuments } from './reviewDocuments';
export { describeLaunches } from './reviewText';
export { sandboxLines } from './sandboxText';
export type { Forbidden, Trust } from './trust';
export { UntrustedWorkspace } from './untrustedWorkspace';
