import * as path from 'node:path';
import { Emitter, type Event, getOrInsert, type Lazy, lazy, Owner } from '../../base/events';
import { readBounded } from '../../base/files';
import { stringsOf } from '../../base/json';
import { SecretVault } from '../../base/secretVault';
import type { ServerNotices } from '../../editor/serverNotices';
import type { RowMark, RowMarks } from '../../editor/serverRows';
import { settingValue } from '../../editor/settingValues';
import { KEPT_FOR_GOOD, ScopedMemory, ScopedStorage } from '../../editor/storage';
import { t, verbatim } from '../../editor/window';
import type { ServerChange, ServerConnection, ServerSet } from '../../host';
import {
  type Admission,
  type LaunchCheck,
  LaunchGate,
  NO_CHECK,
  type ServerDefinition,
  type ServerId,
} from '../../host/definition';
import { fetchesAtStart, type launchFields, runsPackage } from '../../host/launch';
import { programIn, type ServerEntry } from '../../host/settings';
import type { ApprovalPolicy } from './core/approvals';
import { AuditLog } from './core/auditLog';
import type { CommandConsents } from './core/commandConsents';
import { Consents, type FetchedVersions } from './core/consent';
import type { Flow } from './core/flow';
import { type PinChange, type PinMode, type PinState, Pins } from './core/pins';
import type { Requests } from './core/requestPolicy';
import type { Syslog } from './core/syslog';
import type { AskApproval, ToolCalls } from './core/toolCalls';
import { InputValues } from './inputValues';
import { carryOutDecisions } from './launchDecisions';
import { SecretOwners, whereOf } from './secretOwners';
import type { admitUntrusted } from './untrustedWorkspace';
import { consentNotice, inputsNotice, type WaitingNotice } from './waitingNotices';

import vscode = require('vscode');

const MAX_ENV_FILE_BYTES = 1024 * 1024;

type ForbiddenAction = 'alwaysAllow' | 'sampling' | 'codeMode' | 'shareWithAgents';

/** Parts that are loaded on first use. */
interface TrustExtras {
  readonly askForCall: AskApproval;
  readonly organization: LaunchCheck & {
    readonly onDidRead: Event<void>;
    readonly fixed: {
      /** Whether changed definitions are blocked until they are accepted. */
      readonly pins?: 'enforce';
      /** The file that the audit log is copied to, or `syslog`. */
      readonly auditLog?: string;
    } & { readonly [F in ForbiddenAction]?: false };
  };
  later(): {
    readonly admitUntrusted: typeof admitUntrusted;
    readonly ApprovalPolicy: typeof ApprovalPolicy;
    readonly CommandConsents: typeof CommandConsents;
    readonly launchFields: typeof launchFields;
  };
  flow(): Flow;
  syslog(): Syslog;
  calls(trust: Trust): ToolCalls;
  requests(trust: Trust): Requests;
  /** The entry without the scripts that packages run when they are installed, unless it could undo that. */
  unscripted(definition: ServerDefinition, entry: ServerEntry): Admission;
  /** Versions on this machine of the packages that a server fetches without a fixed version. */
  fetchedVersions(definition: ServerDefinition): Promise<FetchedVersions>;
}

/** Permissions, accepted definitions and their log. Every launch passes `gate`, every tool call `calls`. */
export class Trust extends Owner {
  /** Whether a server may be launched now: consent first, then its inputs. */
  readonly gate: LaunchGate;
  readonly consents: Consents;
  readonly inputs: InputValues;
  readonly audit: AuditLog;
  readonly pins: Pins;
  /** Data-flow marks of each server, and what models have read. */
  readonly flow: Lazy<Flow>;
  readonly marks: RowMarks;
  readonly consentNotice: Pick<WaitingNotice<unknown>, 'look'>;
  /** Fires when the rules of the organization were read: `forbids` is as they say now. */
  readonly onDidReadRules: Event<void>;
  /** For calls that come from outside our own chat. */
  readonly askForCall: AskApproval;
  readonly #marksChanged = this.own(new Emitter<ServerId | undefined>());
  /** Changes that were reported, by server: each is reported once. */
  readonly #told = new WeakMap<ServerConnection, Set<string>>();

  readonly #inputCommands: Lazy<CommandConsents>;
  readonly #policy: Lazy<ApprovalPolicy>;
  readonly #calls: Lazy<ToolCalls>;
  readonly #requests: Lazy<Requests>;

  constructor(
    servers: ServerSet,
    context: vscode.ExtensionContext,
    private readonly notices: ServerNotices,
    private readonly extras: TrustExtras,
  ) {
    super();
    const { organization } = extras;
    this.askForCall = extras.askForCall;
    this.onDidReadRules = organization.onDidRead;
    this.consents = new Consents(new ScopedStorage(context, 'mcpHost.consents'), (...launch) =>
      extras.later().launchFields(...launch),
    );
    this.inputs = new InputValues(
      new SecretVault(context.secrets),
      context.globalState,
      new SecretOwners(context.globalStorageUri.fsPath),
    );
    this.#inputCommands = lazy(() => {
      const storage = new ScopedStorage(context, 'mcpHost.inputCommands');
      return new (extras.later().CommandConsents)(storage, (source, id) => this.inputs.keyOf(source, id), whereOf);
    });
    const workspace: LaunchCheck = {
      admit: (definition, entry) =>
        vscode.workspace.isTrusted ? { entry } : extras.later().admitUntrusted(definition, entry),
    };
    const scripts: LaunchCheck = {
      admit: (definition, entry) => (skipsScripts() ? extras.unscripted(definition, entry) : { entry }),
    };
    const consent: LaunchCheck = {
      admit: async (definition, entry, purpose, isWhole) => {
        if (!isWhole && definition.fromWorkspace && runsPackage(definition)) {
          this.consents.fetched(definition.id, await extras.fetchedVersions(definition));
        }
        return this.consents.admit(definition, entry, purpose, isWhole);
      },
    };
    this.gate = new LaunchGate(
      { organization, trust: workspace, consent, inputs: this.inputs, scripts, last: NO_CHECK },
      file => readBounded(file, MAX_ENV_FILE_BYTES),
    );
    this.consentNotice = this.own(consentNotice(servers, this.consents));
    this.own(carryOutDecisions(servers, this.consents));
    this.own(inputsNotice(servers));
    // Each server knows the secrets of all of them.
    const redact = (text: string) => servers.all[0]?.redact(text) ?? text;
    const syslog = lazy(() => this.own(extras.syslog()));
    this.audit = new AuditLog(path.join(context.globalStorageUri.fsPath, 'audit'), redact, {
      copy: () => organization.fixed.auditLog,
      syslog: lines => syslog().write(lines),
    });
    this.#policy = lazy(() => {
      const options = () => ({ ...approvalOptions(), asksAlways: this.forbids('alwaysAllow') });
      const storage = new ScopedStorage(context, 'mcpHost.approvals');
      return this.own(new (extras.later().ApprovalPolicy)(storage, options));
    });
    // Asked for with each item of a list, and the editor takes long to say what a setting is.
    let pins = lazy(() => settingValue('pins'));
    const readAgain = () => {
      pins = lazy(() => settingValue('pins'));
    };
    this.own(vscode.workspace.onDidChangeConfiguration(readAgain));
    this.own(vscode.workspace.onDidGrantWorkspaceTrust(readAgain));
    this.pins = this.own(
      new Pins(
        new ScopedMemory(context, 'pins', KEPT_FOR_GOOD),
        definition => organization.fixed.pins ?? pinMode(definition, pins()),
      ),
    );
    this.marks = pinMarks(this.pins, this.#marksChanged.event);
    this.own(
      this.pins.onDidChange(id => {
        this.#marksChanged.fire(id);
        const server = servers.get(id);
        if (server) void this.#notice(server);
      }),
    );
    this.own(
      vscode.workspace.onDidChangeConfiguration(event => {
        if (event.affectsConfiguration('mcpHost.pins')) this.#marksChanged.fire(undefined);
      }),
    );
    this.flow = lazy(() => {
      const flow = extras.flow();
      this.own(flow.onDidChange(id => this.#marksChanged.fire(id)));
      return flow;
    });
    this.#calls = lazy(() => extras.calls(this));
    this.#requests = lazy(() => extras.requests(this));
    this.own(
      this.consents.onDidDecide(({ server, what, fingerprint }) =>
        this.audit.record({ type: 'consent', server, what, ...(fingerprint && { fingerprint }) }),
      ),
    );
    this.own(servers.onDidChange(change => void this.#onChange(change)));
  }

  /** Whether the person's organization forbids something. Its rules are read before each launch. */
  forbids(what: ForbiddenAction): boolean {
    return this.extras.organization.fixed[what] === false;
  }

  /** The commands that inputs may run without asking. */
  get inputCommands(): CommandConsents {
    return this.#inputCommands();
  }

  get policy(): ApprovalPolicy {
    return this.#policy();
  }

  get calls(): ToolCalls {
    return this.#calls();
  }

  /** The door to all other requests. */
  get requests(): Requests {
    return this.#requests();
  }

  /** The policies between servers and all models. */
  get forModels() {
    const { calls, requests, flow, pins, askForCall: ask } = this;
    return { calls, requests, flow, pins, ask };
  }

  /** Makes sure that nothing is lost when the window closes. */
  flush(): Promise<void> {
    return this.audit.flush();
  }

  async #onChange(change: ServerChange | undefined): Promise<void> {
    if (change?.what === 'state') this.#recordState(change.server);
    if (change?.what !== 'catalog') return;
    const { server } = change;
    await this.pins.load(server);
    await this.#notice(server);
  }

  async #notice(server: ServerConnection): Promise<void> {
    const told = getOrInsert(this.#told, server, () => new Set());
    const keyOf = ({ kind, name, hash }: PinChange) => `${kind}\n${name}\n${hash}`;
    const changes = this.pins.changes(server).filter(change => !told.has(keyOf(change)));
    // Collects all of them first, because another list may arrive while the answers for a tool are being withdrawn.
    for (const found of changes) told.add(keyOf(found));
    for (const found of changes) await this.#onPinChange(server, found);
    if (changes.length > 0) this.#tell(server, changes);
  }

  async #onPinChange(server: ServerConnection, { kind, name }: PinChange): Promise<void> {
    this.audit.record({ type: 'pin', server: server.id, kind, name, what: 'changed' });
    if (kind !== 'tool') return;
    const tool = server.catalog.tools.find(item => item.name === name);
    const { source, launch } = server.definition;
    const now = tool && { scope: source.scope, launch, tool };
    // For good, even if the tool changes back: the approval was given in good faith.
    if (!(await this.policy.withdraw(server.id, name, now))) return;
    this.audit.record({ type: 'approval', server: server.id, tool: name, answer: 'revoked', scope: 'all' });
  }

  #tell(server: ServerConnection, changes: readonly PinChange[]): void {
    const blocked = this.pins.mode(server.definition) === 'enforce';
    const what = changeText(server, changes);
    const review = t('Review…');
    const message = blocked ? `${what} ${t('The changes are blocked until you accept them.')}` : what;
    void this.notices.show('Warning', server, message, review).then(chosen => {
      if (chosen === review) void vscode.commands.executeCommand('mcpHost.reviewChanges', { server });
    });
  }

  #recordState(server: ServerConnection): void {
    const { id, state, definition } = server;
    const { entry } = definition;
    if (state.kind === 'starting' || !entry) return;
    const program = programIn(entry)?.command ?? '';
    const what = server.redact(entry.type === 'stdio' ? program : `${originOf(entry.url)} ${program}`.trim());
    const reason = 'error' in state ? state.error.code : undefined;
    this.audit.record({ type: 'launch', server: id, state: state.kind, what, ...(reason && { reason }) });
  }
}

function changeText({ name }: ServerConnection, changes: readonly PinChange[]): string {
  const { length } = changes;
  if (changes.every(({ kind }) => kind === 'tool'))
    return length === 1
      ? verbatim('MCP server "{0}" changed a tool after you accepted it.', name)
      : verbatim('MCP server "{0}" changed {1} tools after you accepted them.', name, length);
  return length === 1
    ? verbatim('MCP server "{0}" changed something after you accepted it.', name)
    : verbatim('MCP server "{0}" changed {1} things after you accepted them.', name, length);
}

const skipsScripts = () => settingValue('installScripts') === 'skip';

const approvalOptions = (): { skipReadOnly: boolean; deny: readonly string[] } => ({
  skipReadOnly: settingValue('approvals.skipReadOnly') === true,
  deny: stringsOf(settingValue('approvals.deny')),
});

/** Definitions of a workspace or the network must never change unseen; a program of the person is only watched. */
function pinMode(definition: ServerDefinition, mode: unknown): PinMode {
  if (mode === 'enforce' || mode === 'warn' || mode === 'off') return mode;
  const { source, entry } = definition;
  return source.scope !== 'user' || entry?.type !== 'stdio' || fetchesAtStart(definition) ? 'enforce' : 'warn';
}

function originOf(url: string): string {
  if (!URL.canParse(url)) return '';
  const { protocol, pathname, origin } = new URL(url);
  // A socket has none.
  return origin === 'null' ? `${protocol}//${pathname}` : origin;
}

function pinMarks(pins: Pins, onDidChange: RowMarks['onDidChange']): RowMarks {
  const markOf = ({ definition }: ServerConnection, state: PinState): RowMark | undefined => {
    const mode = pins.mode(definition);
    if (mode === 'off' || (state !== 'new' && state !== 'changed')) return undefined;
    return state === 'changed' && mode === 'enforce' ? 'blocked' : state;
  };
  return {
    onDidChange,
    of: (server, { kind, item }) =>
      markOf(server, kind === 'tools' ? pins.toolState(server, item) : pins.promptState(server, item)),
    instructions: server => {
      const isChanged = pins.changes(server).some(({ kind }) => kind === 'instructions');
      return markOf(server, isChanged ? 'changed' : 'accepted');
    },
    changes: server => pins.changes(server).length,
  };
}
