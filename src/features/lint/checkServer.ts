import type { CallToolResult, Tool } from '@modelcontextprotocol/client';

import vscode = require('vscode');

import { phrase } from '../../base/phrase';
import { type PlainText, visible } from '../../base/text';
import { showProgress } from '../../editor/dialogs';
import { localized } from '../../editor/errorText';
import { pickServer } from '../../editor/pickServer';
import { joined, t, window } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';
import type { Problem } from '../../host/settings';
import type { SettingsFiles } from '../settings';
import type { Requests, ToolCalls } from '../trust';
import type { SuiteVerdict } from './core/conformance';
import { probeFaults } from './core/faultProbes';
import { type Finding, lint, offeredBy, unsilenced } from './core/lint';

interface CheckOptions {
  readonly servers: ServerSet;
  readonly files: SettingsFiles;
  readonly calls: () => ToolCalls;
  readonly requests: () => Requests;
  /** Shows findings on servers at their entries. */
  refresh(): Promise<void>;
  /** Runs the conformance suite; undefined: it was not run. Not where no programs are started. */
  conformance?(server: ServerConnection): Promise<SuiteVerdict | undefined>;
  /** Other ways to check a server. Not where no programs are started. */
  readonly others?: Readonly<Record<OtherCheck, (server: ServerConnection) => Promise<void>>>;
}

/** What is done with the interface of a server besides looking for problems in it. */
type OtherCheck = 'saveSnapshot' | 'compareSnapshot' | 'compareDescriptions';

/** The actions of a check besides reading lists, each once. */
interface Done {
  readonly probed?: boolean;
  readonly suite?: SuiteVerdict;
}

/** *Check Server…*: what could be better about a server, at its entry in settings. */
export class CheckServer {
  /** Kept until the next check, or a change of the server. */
  readonly #found = new WeakMap<ServerConnection, { readonly launch: string; readonly findings: readonly Finding[] }>();

  constructor(private readonly options: CheckOptions) {}

  /** The findings of the last check of a server, at its entry. */
  problems(server: ServerConnection): readonly Problem[] {
    const found = this.#found.get(server);
    if (found?.launch !== server.definition.launch) return [];
    return unsilenced(found.findings, silencedOf(server)).map(({ rule, severity, where, message }) => ({
      severity,
      path: [server.name],
      onKey: true,
      docs: rule,
      message: where === '' ? message : phrase('{0}: {1}', visible(where, 200), message),
    }));
  }

  /** @param argument the row of a server; its `way`, if there is one, is not asked for. */
  async run(argument: unknown): Promise<void> {
    const { servers, others } = this.options;
    const isReady = ({ state }: ServerConnection) => state.kind === 'ready';
    const server = await pickServer(argument, servers, t('Select an MCP server to check'), isReady);
    if (!server) return;
    if (!isReady(server)) {
      await window.showInformationMessage(t('Start "{0}" first. Only a running server can be checked.', server.name));
      return;
    }
    const { way = others ? await chooseWay(server) : 'problems' } = Object(argument) as { way?: Way };
    if (way === undefined) return;
    if (way !== 'problems') return others?.[way](server);
    const findings = lint(await offeredBy(server));
    await this.#show(server, findings);
    await this.#answer(server, findings);
  }

  async #answer(server: ServerConnection, all: readonly Finding[], done: Done = {}): Promise<void> {
    const findings = unsilenced(all, silencedOf(server));
    const silenced = all.length - findings.length;
    const { conformance } = this.options;
    const show = t('Show Problems');
    const probe = t('Send Faults…');
    const suite = t('Run Conformance Suite…');
    const message = summaryOf(server, findings);
    const chosen = await window.showInformationMessage(
      joined([message, silenced > 0 && silencedText(silenced), done.suite && suiteText(done.suite)]),
      ...(findings.length > 0 ? [show] : []),
      ...(done.probed ? [] : [probe]),
      ...(done.suite || !conformance ? [] : [suite]),
    );
    if (chosen === show) {
      await this.options.files.reveal(server.definition);
      await vscode.commands.executeCommand('workbench.actions.view.problems');
    }
    if (chosen === probe) await this.#probe(server, all, done);
    if (chosen === suite) {
      const verdict = await conformance?.(server);
      if (verdict) await this.#add(server, verdict.findings, all, { ...done, suite: verdict });
    }
  }

  /** Shows what more was found, first. */
  async #add(
    server: ServerConnection,
    found: readonly Finding[],
    before: readonly Finding[],
    done: Done,
  ): Promise<void> {
    const all = [...found, ...before];
    await this.#show(server, all);
    await this.#answer(server, all, done);
  }

  /** Nothing is sent before the person agrees: a server may do anything with a request. */
  async #probe(server: ServerConnection, findings: readonly Finding[], done: Done): Promise<void> {
    const send = t('Send');
    const message = t('Send faulty requests to "{0}"?', server.name);
    const detail = t(
      'It is asked for pages, tools, prompts and resources that do not exist. Its first tool that claims to be read-only gets a call that is cancelled and an argument of 1 MB. A faulty server may react in any way.',
    );
    if ((await window.showWarningMessage(message, { modal: true, detail }, send)) !== send) return;
    const found = await showProgress(t('Sending faulty requests to "{0}"', server.name), cancelled =>
      probeFaults(
        server,
        this.options.requests().as({ origin: 'check' })(server),
        (...wanted) => this.#call(server, ...wanted),
        cancelled,
      ),
    );
    await this.#add(server, found, findings, { ...done, probed: true });
  }

  /** As any other call, but that the person has agreed to all of these at once. A change of the tool is not accepted unseen. */
  async #call(
    server: ServerConnection,
    tool: Tool,
    args: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<CallToolResult | undefined> {
    const calls = this.options.calls();
    const approved = await calls.approve({ server, tool, args, origin: 'check' }, async (_, pin) =>
      pin === 'changed' ? undefined : { answer: 'allow' },
    );
    return approved.approved ? (await approved.run({ signal })).result : undefined;
  }

  async #show(server: ServerConnection, findings: readonly Finding[]): Promise<void> {
    this.#found.set(server, { launch: server.definition.launch, findings });
    const uri = this.options.files.uriOf(server.definition.source);
    // Hints are shown in files that are open.
    if (uri) await vscode.workspace.openTextDocument(uri).then(undefined, () => undefined);
    await this.options.refresh();
  }
}

type Way = OtherCheck | 'problems';

/** Asks what is to be done. Undefined when the person gave up. */
async function chooseWay({ name }: ServerConnection): Promise<Way | undefined> {
  const row = (way: Way, icon: string, label: PlainText) => ({ way, label, iconPath: new vscode.ThemeIcon(icon) });
  const rows = [
    row('problems', 'checklist', t('Find Problems in What It Lists')),
    row('compareSnapshot', 'diff', t('Compare with Interface Snapshot')),
    row('saveSnapshot', 'save', t('Save Interface Snapshot…')),
    row('compareDescriptions', 'sparkle', t('Compare Descriptions…')),
  ];
  return (await window.showQuickPick(rows, { title: t('Check {0}', name) }))?.way;
}

const textOf = ({ where, message }: Finding) =>
  where === '' ? localized(message) : `${visible(where, 100)}: ${localized(message)}`;

const silencedOf = ({ definition: { entry } }: ServerConnection) => (entry?.type === 'stdio' && entry.dev?.lint) || {};

const silencedText = (count: number) =>
  count === 1 ? t('1 more is silenced in its entry.') : t('{0} more are silenced in its entry.', count);

const suiteText = ({ failed, applied, leftOut }: SuiteVerdict) =>
  t(
    '{0} of the {1} conformance scenarios that apply to this server failed. {2} others are for test servers.',
    failed,
    applied,
    leftOut,
  );

function summaryOf({ name }: ServerConnection, findings: readonly Finding[]) {
  const [first] = findings;
  if (!first) return t('The check of "{0}" found nothing.', name);
  if (findings.length === 1) return t('The check of "{0}" found 1 problem: {1}', name, textOf(first));
  return t('The check of "{0}" found {1} problems. The first: {2}', name, findings.length, textOf(first));
}
