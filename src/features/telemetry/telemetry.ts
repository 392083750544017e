import vscode = require('vscode');

import { english, type Phrase } from '../../base/phrase';
import { localized } from '../../editor/errorText';
import { ownValue } from '../../editor/settingValues';
import { say, t, window } from '../../editor/window';
import { type ConfiguredServers, resolveDefinitions } from '../../host';
import type { ServerDefinition, WatchSession } from '../../host/definition';
import type { InputDefinition } from '../../host/settings';
import { parseTelemetry, type TelemetrySettings } from '../settings';
import { askInput, type Trust } from '../trust';
import { type Receiver, Reporting } from './core/exportProgram';

interface TelemetryServices {
  readonly extension: Pick<vscode.Extension<unknown>, 'extensionUri' | 'packageJSON'>;
  /** Reads a value as if it were `mcpHost.servers` of the person, for its variables. */
  as(scope: 'user', value: unknown, inputs?: unknown): ConfiguredServers;
  readonly trust: Pick<Trust, 'inputs' | 'inputCommands'>;
}

/** What is to be done. */
interface WantedTelemetry {
  /** The value of the setting or rule. */
  readonly value: unknown;
  /** Who has written it. */
  readonly by: 'person' | 'organization';
}

const NAME = 'OpenTelemetry';

/** Reports requests to servers to the receiver that the person or their organization has named. */
export class Telemetry implements vscode.Disposable {
  #wanted = '';
  #reporting: Reporting | undefined;
  readonly #ending = new Set<Promise<void>>();
  readonly #log = window.createOutputChannel(say`MCP: OpenTelemetry`, { log: true });

  constructor(private readonly services: TelemetryServices) {}

  readonly watch: WatchSession = session => this.#reporting?.watch(session);

  /** Begins to report as this says, or ends it. */
  use(wanted: WantedTelemetry | undefined): void {
    const said = JSON.stringify(wanted) ?? '';
    if (said === this.#wanted) return;
    this.#wanted = said;
    this.#stop();
    if (!wanted) this.#log.info('Requests are no longer reported.');
    else {
      const settings = parseTelemetry(wanted.value);
      if ('values' in settings) this.#refuse(settings);
      else this.#report(settings, wanted.by);
    }
  }

  #report(settings: TelemetrySettings, by: WantedTelemetry['by']): void {
    const { endpoint, content } = settings;
    const whose = by === 'person' ? 'your settings say' : 'your organization says';
    const what = content ? 'with arguments, results and URIs' : 'without arguments, results and URIs';
    this.#log.info(`Requests to servers are reported to ${endpoint}, ${what}, as ${whose}.`);
    const { extensionUri, packageJSON } = this.services.extension;
    this.#reporting = new Reporting({
      program: vscode.Uri.joinPath(extensionUri, 'dist', 'telemetry.js').fsPath,
      version: packageJSON.version,
      content,
      receiver: this.#receiver(settings, by),
      log: (level, text) => this.#log[level === 'warning' ? 'warn' : 'info'](text),
    });
  }

  /** Sends what is left. Resolves when no process is left, after a few seconds at most. */
  async close(): Promise<void> {
    this.#stop();
    await Promise.all(this.#ending);
  }

  dispose(): void {
    this.#stop();
    this.#log.dispose();
  }

  #stop(): void {
    const reporting = this.#reporting;
    if (!reporting) return;
    this.#reporting = undefined;
    const ending = reporting.close().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  #refuse(problem: Phrase): void {
    this.#log.warn(`Nothing is reported: ${english(problem)}`);
    void window.showWarningMessage(
      t('The setting "{0}" is not used: {1}', 'mcpHost.openTelemetry', localized(problem)),
    );
  }

  /** Fills in the headers. They are resolved, and their inputs kept, like those of a server of the person. */
  async #receiver({ endpoint, headers }: TelemetrySettings, by: WantedTelemetry['by']): Promise<Receiver> {
    const ofPerson = ownValue(vscode.workspace.getConfiguration('mcpHost').inspect('inputs'));
    const inputs = by === 'person' ? ofPerson : undefined;
    const { definitions } = resolveDefinitions([
      this.services.as('user', { [NAME]: { type: 'http', url: endpoint, headers } }, inputs),
    ]);
    const [definition] = definitions;
    const { entry, problems = [] } = definition ?? {};
    for (const { message } of problems) this.#log.warn(typeof message === 'string' ? message : english(message));
    if (!definition || !entry) throw new Error('the headers are not valid');
    await this.#askPermission(definition);
    const admitted = await this.services.trust.inputs.admit(definition, entry);
    if ('needs' in admitted) throw new Error(english(admitted.reason));
    return { endpoint, headers: admitted.entry.type === 'stdio' ? {} : admitted.entry.headers };
  }

  /** Asks for the inputs that have no value yet. */
  async #askPermission(definition: ServerDefinition): Promise<void> {
    const { inputs, inputCommands } = this.services.trust;
    const missing: InputDefinition[] = await inputs.missing(definition);
    if (missing.length === 0) return;
    const ids = missing.map(({ id }) => `"${id}"`).join(', ');
    const enter = t('Enter Inputs');
    const chosen = await window.showInformationMessage(t('Reports to OpenTelemetry need the input {0}.', ids), enter);
    for (const [index, input] of (chosen === enter ? missing : []).entries()) {
      const asked = { input, source: definition.source, servers: [NAME], step: index + 1, totalSteps: missing.length };
      const value = await askInput(asked, inputCommands);
      if (value === undefined) return;
      await inputs.store(definition.source, input, value);
    }
  }
}
