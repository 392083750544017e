export type { AuditPort } from './auditLog';
export type { CommandConsents } from './commandConsents';
export type { Consents, LaunchReview } from './consent';
export { adoptConsent, WORKSPACE_ROOTS, wantedRoots } from './consent';
export type { Flow, FlowRead, Trail } from './flow';
export type { PinMode, PinState, PinStore, Pins } from './pins';
export { type Requests, requestTool } from './requestPolicy';
export type {
  ApprovedCall,
  AskApproval,
  CallToApprove,
  MadeCall,
  PersonsAnswer,
  RefusedCall,
  ToolCalls,
  WantedCall,
} from './toolCalls';
