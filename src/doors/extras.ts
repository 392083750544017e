/**
 * What only some windows need: view rows, contents of resources, events, profiles, sandboxes, fetched packages, locks of
 * sign-ins, reports of requests, and the policies of calls and requests.
 */

export { isActedOn, nameToOpen } from '../editor/openedAs';
export { WindowLock } from '../features/auth/core/windowLock';
export { Redirects } from '../features/auth/redirects';
export { bundleOf } from '../features/bundles/core/bundleFolders';
export { ServerEvents } from '../features/events/serverEvents';
export * as admission from '../features/organization/core/organizationRules';
export { noticeFixed, readEditorPolicies } from '../features/organization/editorSettings';
export { Profiles } from '../features/profiles/profiles';
export { hexDump, MAX_HEX_BYTES } from '../features/resources/core/resourceContent';
export { isNotFound, ResourceReader } from '../features/resources/core/resourceReader';
export { LiveResources } from '../features/resources/liveResources';
export { mayBeAsked } from '../features/resources/ownAddresses';
export { resourceUri } from '../features/resources/resourceTarget';
export { rootsNode } from '../features/roots/rootRows';
export { RunningRows, restoreTasks } from '../features/running/runningRows';
export { ConfinedServers, watchFolder } from '../features/sandbox/confinedServers';
export { GiveUpNotice } from '../features/servers/giveUpNotice';
export { ServersTree } from '../features/servers/serversTree';
export * from '../features/supply/supply';
export { Telemetry } from '../features/telemetry/telemetry';
export { ApprovalPolicy } from '../features/trust/core/approvals';
export { CommandConsents } from '../features/trust/core/commandConsents';
export { Requests } from '../features/trust/core/requestPolicy';
export { Syslog } from '../features/trust/core/syslog';
export { ToolCalls } from '../features/trust/core/toolCalls';
export { dataFlow } from '../features/trust/dataFlow';
export { admitUntrusted } from '../features/trust/untrustedWorkspace';
export { launchFields } from '../host/launch';
