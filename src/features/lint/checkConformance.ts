import vscode = require('vscode');

import type { Phrase } from '../../base/phrase';
import { showProgress } from '../../editor/dialogs';
import { localized } from '../../editor/errorText';
import { t, window } from '../../editor/window';
import type { ServerConnection } from '../../host';
import type { ProgramPorts } from '../../host/definition';
import { openInstallPage } from '../remedies';
import {
  missingForSuite,
  runSuite,
  SUITE,
  SUITE_MINUTES,
  SUITE_NODE,
  SUITE_VERSION,
  type SuiteVerdict,
  suiteAddress,
  suiteCommand,
  suiteVerdict,
} from './core/conformance';

/** Runs the official conformance suite against a server, after asking. @returns undefined: it was not run. */
export async function checkConformance(
  server: ServerConnection,
  ports: ProgramPorts,
): Promise<SuiteVerdict | undefined> {
  const address = suiteAddress(server);
  if (!('url' in address)) {
    await window.showInformationMessage(t('{0}: {1}', server.name, localized(address)));
    return undefined;
  }
  if (!vscode.workspace.isTrusted) {
    await window.showInformationMessage(
      t('This workspace is not trusted, so the conformance suite is not run against "{0}".', server.name),
    );
    return undefined;
  }
  const clearOf = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const definition = { ...server.definition, place: { ...server.definition.place, clearOf } };
  const missing = await missingForSuite(definition, ports);
  if (missing) {
    await tellMissing(server, missing);
    return undefined;
  }
  const commandLine = suiteCommand(address.url, server.info!.protocolVersion);
  const run = t('Run');
  const detail = t(
    'npx fetches {0} in version {1} from the npm registry, unless it is there already, and runs it with your permissions:\n\n{2}\n\nFor {3} minutes at most, it starts sessions at this address, asks for lists, sends faulty requests, and uses tools, prompts and resources whose names begin with "test".',
    SUITE,
    SUITE_VERSION,
    commandLine,
    SUITE_MINUTES,
  );
  const question = t('Run the official conformance suite against "{0}"?', server.name);
  if ((await window.showWarningMessage(question, { modal: true, detail }, run)) !== run) return undefined;
  const outcome = await showProgress(t('Running the conformance suite against "{0}"', server.name), async signal =>
    runSuite({ commandLine, definition, ports, signal }),
  );
  if (outcome && 'reason' in outcome) {
    await window.showWarningMessage(
      t('The conformance suite could not be run against "{0}": {1}.', server.name, localized(outcome.reason)),
    );
    return undefined;
  }
  return outcome && suiteVerdict(outcome, server);
}

async function tellMissing({ name }: ServerConnection, missing: Phrase): Promise<void> {
  const show = t('Show how to install {0}', 'Node.js');
  const message = t(
    'The conformance suite cannot be run against "{0}": {1}. It needs npx and Node {2} or newer. Install Node, then restart the editor.',
    name,
    localized(missing),
    SUITE_NODE,
  );
  if ((await window.showWarningMessage(message, show)) === show) await openInstallPage('Node.js');
}
