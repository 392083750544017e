import vscode = require('vscode');

import { lazy } from './base/events';
import { loadExtras, loadSetup } from './doors';
import type { ServerNotices } from './editor/serverNotices';
import { managedPlaces } from './features/organization/core/managedPlaces';
import { Organization } from './features/organization/core/organization';
import { Trust } from './features/trust/trust';
import type { OpenRequests, RunningCalls } from './host';
import { namesInstaller } from './host/launch';
import type { ServersWindow } from './serversWindow';

/** How often the organization's files are looked at. */
const WATCH_ORGANIZATION_MS = 5_000;

interface TrustParts {
  readonly notices: ServerNotices;
  readonly calls: RunningCalls;
  /** Past every policy. */
  readonly open: OpenRequests;
  /** The folder of what confined programs have. */
  readonly sandboxes: string;
}

/** What says what servers may do, and who is told of it: the organization, the person, telemetry. */
export function startTrust(window: ServersWindow, parts: TrustParts) {
  const organization = startOrganization(window);
  const trust = makeTrust(window, organization, parts);
  return { organization, trust, telemetry: startTelemetry(window, organization, trust) };
}

function startOrganization({ own, configuration, servers }: ServersWindow): Organization {
  const organization = own(
    new Organization({
      places: managedPlaces(),
      watchMs: WATCH_ORGANIZATION_MS,
      editor: () => {
        const { access, allowedServers, deniedServers } = vscode.workspace.getConfiguration('chat.mcp');
        const isSet = (access && access !== 'all') || allowedServers || deniedServers;
        return isSet ? loadExtras().readEditorPolicies() : undefined;
      },
      list: address => loadSetup().listRegistry(address),
      admission: () => loadExtras().admission,
    }),
  );
  own(organization.onDidRead(() => configuration.manage(organization.place, organization.fixed)));
  void organization.read(); // each launch does, but there may be no other server
  const enforce = () => organization.enforce(servers.all);
  own(organization.onDidChange(enforce));
  own(
    vscode.workspace.onDidChangeConfiguration(event => {
      if (event.affectsConfiguration('chat.mcp')) void enforce();
      if (organization.fixes) void loadExtras().noticeFixed(event, organization.fixed);
    }),
  );
  return organization;
}

function makeTrust(
  { context, own, servers, features }: ServersWindow,
  organization: Organization,
  { notices, calls, open, sandboxes }: TrustParts,
): Trust {
  return own(
    new Trust(servers, context, notices, {
      organization,
      askForCall: (...call) => features().questions.askForCall(...call),
      later: loadExtras,
      flow: () => loadExtras().dataFlow(context, servers),
      syslog: () => new (loadExtras().Syslog)(),
      calls: ({ policy, pins, audit, flow }) =>
        new (loadExtras().ToolCalls)({
          open,
          policy,
          pins,
          audit,
          flow,
          make: calls.make,
          trace: () => servers.trace,
        }),
      requests: ({ policy, pins, audit, flow }) => new (loadExtras().Requests)({ open, policy, pins, audit, flow }),
      unscripted: (definition, entry) =>
        namesInstaller({ entry }) ? loadExtras().unscripted(definition, entry) : { entry },
      fetchedVersions: definition => loadExtras().fetchedVersions(definition, sandboxes),
    }),
  );
}

function startTelemetry({ context, own, configuration }: ServersWindow, organization: Organization, trust: Trust) {
  /** Loaded when the person or their organization names a receiver. */
  const telemetry = lazy(() =>
    own(
      new (loadExtras().Telemetry)({
        extension: context.extension,
        as: (...value) => configuration.as(...value),
        trust,
      }),
    ),
  );
  const report = () => {
    const fixed = organization.fixed.openTelemetry;
    const value = fixed ?? configuration.openTelemetry;
    if (value === undefined && !telemetry.loaded) return;
    telemetry().use(value === undefined ? undefined : { value, by: fixed ? 'organization' : 'person' });
  };
  report();
  own(configuration.onDidChange(report));
  own(organization.onDidRead(report));
  return telemetry;
}
