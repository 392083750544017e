import vscode = require('vscode');

import { plain } from '../../base/text';
import type { CommandHandlers } from '../../editor/commands';
import { localized } from '../../editor/errorText';
import { t, window } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';
import { settlePaths } from '../../host/definition';
import type { ReviewDocuments } from '../review';
import { ownSandbox, type SandboxDemand, sandboxLines } from '../trust';
import type { Organization } from './core/organization';
import { type Line, requestLines, rulesLines } from './core/rulesText';

interface Services {
  readonly servers: ServerSet;
  readonly organization: Organization;
  readonly documents: ReviewDocuments;
}

/** What confines programs in an organization. */
export const demandOf = (organization: Organization): SandboxDemand => ({
  setting: organization.sandboxOf(ownSandbox().setting),
  isDemanded: server => organization.confines(server),
});

/** Shows what the organization rules, and helps to ask it for more. */
export const organizationCommands = ({
  servers,
  organization,
  documents,
}: Services): Pick<CommandHandlers, 'requestApproval' | 'showOrganizationRules'> => ({
  showOrganizationRules: async () => {
    const rules = await organization.read();
    const launches = servers.all.map(({ definition }) => ({ ...definition, ...settled(definition) }));
    const lines = rulesLines(rules, organization.place, launches);
    await documents.show(t('Organization Rules'), servers.all[0]?.redact(textOf(lines)) ?? textOf(lines));
  },
  requestApproval: async argument => {
    const server = (argument as { server?: ServerConnection } | undefined)?.server;
    const { entry } = server ? settled(server.definition) : {};
    if (!server || !entry || server.state.kind !== 'failed') return;
    const { definition, state, catalog } = server;
    const lines = requestLines({
      name: server.name,
      entry,
      reason: state.error.phrases.reason,
      tools: catalog.knownItems('tools').map(({ name }) => name),
      confined: sandboxLines({ definition, reviewed: entry }, demandOf(organization)),
    });
    await vscode.env.clipboard.writeText(server.redact(textOf(lines)));
    void window.showInformationMessage(
      t('The request for "{0}" was copied. Paste it into a message to your administrator.', plain(server.id)),
    );
  },
});

const settled = ({ entry, place }: ServerConnection['definition']) =>
  entry ? { entry: settlePaths(entry, place) } : {};

const textOf = (lines: readonly Line[]) => lines.map(localized).join('\n');
