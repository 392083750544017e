import type { Progress, Tool } from '@modelcontextprotocol/client';

import vscode = require('vscode');

import { Coalescer } from '../../../base/coalescer';
import { DisposableStore, type Event } from '../../../base/events';
import { webviewHtml } from '../../../editor/webview/webviewHtml';
import type { ServerConnection, ServerSet } from '../../../host';
import type { AppCall } from '../../apps';
import type { ApprovedCall, ToolCalls } from '../../trust';
import { copyRequest, messageOfStep } from '../callText';
import { type ToolTarget, titleOf } from '../chooseTool';
import type { SchemaProblem } from '../core/jsonSchema';
import { ArgumentForm } from '../core/page/argumentForm';
import { linkedResource } from '../core/page/resultBlocks';
import { type FromToolPage, fromToolPage, type PageAction, type ToToolPage } from '../core/page/toolPageMessages';
import type { ToolRun, ToolRuns } from '../core/page/toolRuns';
import type { FinishedCall } from '../core/resultText';
import type { ToolResults } from '../resultDocument';
import { describeArguments, describeForm, describeResult, describeRun, describeTool } from './describeTool';
import { pageTexts } from './toolPageTexts';

const { t } = vscode.l10n;

const COMMANDS: Record<PageAction, string> = {
  start: 'mcpHost.startServer',
  signIn: 'mcpHost.signIn',
  showLog: 'mcpHost.showServerLog',
  setApproval: 'mcpHost.setApproval',
  reviewChanges: 'mcpHost.reviewChanges',
  runInSteps: 'mcpHost.runToolInSteps',
};

/** Of which tool a page is: all that is kept of it over a reload, as arguments may be secrets. */
export interface ToolPlace {
  readonly server: string;
  readonly tool: string;
}

/** What pages need of others. */
export interface ToolPageServices {
  readonly extensionUri: vscode.Uri;
  readonly servers: ServerSet;
  readonly calls: Pick<ToolCalls, 'isAllowed' | 'refusal'>;
  readonly results: Pick<ToolResults, 'show'>;
  readonly schemaProblem: SchemaProblem;
  /** Approvals or pins have changed. */
  readonly onDidChangeTrust: Event<unknown>;
  /** Asks what must be asked before a call. Undefined: it is not made, and the person knows why. */
  approve(target: ToolTarget, args: Record<string, unknown>): Promise<ApprovedCall | undefined>;
  lastArguments(target: ToolTarget): Record<string, unknown> | undefined;
  openWebsite(server: ServerConnection, url: string): Promise<void>;
  /** Opens the app that a server brings for the results of a tool, if it has one: when the person says so, or by itself. */
  readonly app?: {
    has(call: FinishedCall): boolean;
    openFor(call: FinishedCall): void;
    onPageRun(call: AppCall): void;
  };
  /** The calls that were made from pages. */
  readonly runs: ToolRuns;
}

/**
 * The page of one tool. It owns what is typed there; its webview only draws, and can be hidden and come back. The server may
 * stop and the tool may vanish or change meanwhile: both are looked up each time.
 */
export class ToolPage implements vscode.Disposable {
  readonly #disposables = new DisposableStore();
  readonly #refresh = new Coalescer(() => void this.#update(), { quietMs: 30, maxMs: 200 });
  /** As it was when it was last there. */
  #tool: Tool | undefined;
  #form: ArgumentForm | undefined;
  #isReady = false;
  /** The person has answered what is asked before a call, or is about to. */
  #isAsking = false;
  #shown: number | undefined;
  readonly onDidDispose: vscode.Event<void>;

  constructor(
    private readonly panel: vscode.WebviewPanel,
    private readonly place: ToolPlace,
    private readonly services: ToolPageServices,
  ) {
    const { servers, extensionUri } = services;
    this.onDidDispose = panel.onDidDispose;
    const own = <T extends { dispose(): void }>(disposable: T) => this.#disposables.add(disposable);
    own(servers.onDidChange(change => (!change || change.server.id === place.server) && this.#refresh.trigger()));
    own(services.onDidChangeTrust(() => this.#refresh.trigger()));
    own(services.runs.onDidChange(({ key, run }) => key === this.#key && this.#onRunChange(run)));
    own(panel.webview.onDidReceiveMessage(message => void this.#receive(fromToolPage(message))));
    own(
      panel.onDidChangeViewState(() => {
        // A hidden page is unloaded, and says so when it is back.
        if (!panel.visible) this.#isReady = false;
      }),
    );
    own(panel.onDidDispose(() => this.dispose()));
    this.#shown = services.runs.of(this.#key).find(({ end }) => end)?.id;
    const title = panel.title;
    panel.webview.html = webviewHtml(panel.webview, extensionUri, {
      title,
      script: 'tool-view.js',
      style: 'tool.css',
      media: true,
    });
  }

  reveal(): void {
    this.panel.reveal();
  }

  dispose(): void {
    this.#isReady = false;
    this.#refresh.cancel();
    this.#disposables.dispose();
  }

  get #key(): string {
    return keyOfPlace(this.place);
  }

  get #server(): ServerConnection | undefined {
    return this.services.servers.get(this.place.server);
  }

  /** As it is offered now; undefined when it can't be called. */
  get #offered(): Tool | undefined {
    return this.#server?.offers('tools').find(({ name }) => name === this.place.tool);
  }

  async #receive(sent: FromToolPage | undefined): Promise<void> {
    switch (sent?.type) {
      case 'ready':
        this.#isReady = true;
        this.#post({ type: 'texts', texts: pageTexts(), place: this.place });
        if (this.#form) this.#postForm();
        await this.#update();
        this.#postRuns();
        this.#postResult();
        return;
      case 'field':
        this.#form?.setField(sent.index, { text: sent.text });
        return this.#postArguments(sent.edit);
      case 'choice':
        this.#form?.setField(sent.index, { chosen: sent.chosen });
        return this.#postArguments(sent.edit);
      case 'json':
        this.#form?.setJson(sent.text);
        return this.#postArguments(sent.edit);
      case 'run':
        return this.#run(sent.anyway);
      case 'cancel':
        return this.services.runs.running(this.#key)?.cancel();
      case 'copyCall':
        return this.#form && copyRequest(this.place.tool, this.#form.args);
      case 'act':
        return this.#act(sent.action);
      default:
        if (sent) await this.#onRun(sent);
    }
  }

  async #onRun(sent: Extract<FromToolPage, { run: number }>): Promise<void> {
    const run = this.services.runs.find(this.#key, sent.run);
    if (!run) return;
    switch (sent.type) {
      case 'show':
        this.#shown = run.id;
        this.#postRuns();
        return this.#postResult();
      case 'use':
        this.#form?.setArguments(run.args);
        return this.#postArguments();
      case 'again':
        this.#form?.setArguments(run.args);
        this.#postArguments();
        return this.#run(true);
      case 'open': {
        const call = this.#finished(run);
        if (call) await this.services.results.show(call);
        return;
      }
      case 'openApp': {
        const call = this.#finished(run);
        if (call) this.services.app?.openFor(call);
        return;
      }
      case 'link':
        return this.#openLink(run, sent.block, sent.isWebsite);
    }
  }

  /** Opens what a result links to: read from its server, or in a browser once the person has seen the address. */
  async #openLink({ end }: ToolRun, block: number, isWebsite: boolean): Promise<void> {
    const resource = end?.kind === 'result' ? linkedResource(end.result, block) : undefined;
    if (!resource) return;
    const server = this.#server;
    if (!server) return;
    if (isWebsite) await this.services.openWebsite(server, resource.uri);
    else await vscode.commands.executeCommand('mcpHost.openResource', { server, resource });
  }

  async #act(action: PageAction): Promise<void> {
    const server = this.#server;
    const tool = this.#tool;
    const row = server && (action === 'start' || action === 'signIn' || action === 'showLog' || !tool);
    await vscode.commands.executeCommand(COMMANDS[action], row ? { server } : { server, item: tool, kind: 'tools' });
  }

  /** @param anyway though the schema as a whole objects. */
  async #run(anyway: boolean): Promise<void> {
    const { runs } = this.services;
    const [server, tool, form, key] = [this.#server, this.#offered, this.#form, this.#key];
    if (!server || !tool || !form || this.#isAsking || runs.running(key)) return;
    const isRight = form.check();
    if (!isRight && !(anyway && form.wholeProblem !== undefined)) return this.#postArguments(undefined, true);
    this.#isAsking = true;
    const call = await this.services.approve({ server, tool }, form.args).finally(() => {
      this.#isAsking = false;
    });
    if (!call) return;
    const abort = new AbortController();
    const run = runs.begin(key, call.args, () => abort.abort());
    const started = performance.now();
    try {
      const onProgress = (step: Progress) => runs.report(key, run, step);
      const running = call.run({ signal: abort.signal, onProgress });
      const outcome = running.then(({ result }) => result);
      outcome.catch(() => {});
      this.services.app?.onPageRun({ server, tool, args: call.args, outcome });
      const { result, problem, ms } = await running;
      runs.end(key, run, { kind: 'result', result, problem }, ms);
    } catch (error) {
      runs.end(key, run, { kind: 'error', error }, performance.now() - started);
    }
  }

  #onRunChange(run: ToolRun): void {
    if (!run.end && run.progress) {
      this.#postProgress(run);
      return;
    }
    this.#shown = run.end && run.id;
    this.#postRuns();
    this.#postResult();
  }

  #finished({ args, end, ms = 0 }: ToolRun): FinishedCall | undefined {
    if (end?.kind !== 'result' || !this.#tool) return undefined;
    const server = this.#server ?? { id: this.place.server, name: this.place.server };
    return { server, tool: this.#tool, args: { ...args }, result: end.result, problem: end.problem, ms };
  }

  /** Looks at the server and its tool again. */
  async #update(): Promise<void> {
    // A page that is hidden asks when it is back.
    if (!this.#isReady) return;
    const [server, tool] = [this.#server, this.#offered];
    if (tool) this.#tool = tool;
    const shown = this.#tool;
    if (shown) {
      this.panel.title = titleOf(shown);
      // What is typed outlives a change of the schema.
      if (!this.#form || JSON.stringify(this.#form.schema) !== JSON.stringify(shown.inputSchema)) {
        const before = this.#form?.args ?? (server && this.services.lastArguments({ server, tool: shown }));
        this.#form = new ArgumentForm(shown.inputSchema, before, this.services.schemaProblem);
        this.#postForm();
      }
    }
    const refusal =
      server && tool && (await this.services.calls.refusal({ server, tool, args: {}, origin: 'palette' }));
    const refused = refusal?.why === 'unanswered' ? undefined : refusal?.why;
    this.#post(describeTool(this.place.tool, server, shown, this.services.calls, refused));
  }

  #postForm(): void {
    if (!this.#form) return;
    this.#post(describeForm(this.#form));
    this.#postArguments();
  }

  #postArguments(edit = 0, isAsked = false): void {
    if (!this.#form) return;
    this.#post({ type: 'arguments', arguments: describeArguments(this.#form), edit, ...(isAsked && { isAsked }) });
  }

  #postRuns(): void {
    this.#post({ type: 'runs', runs: this.services.runs.of(this.#key).map(describeRun), shown: this.#shown });
  }

  #postProgress({ progress }: ToolRun): void {
    const text = progress ? messageOfStep(progress) : '';
    const part = progress?.total ? Math.min(1, Math.max(0, progress.progress / progress.total)) : undefined;
    this.#post({ type: 'progress', text: [t('Running'), text].filter(Boolean).join(' · '), part });
  }

  #postResult(): void {
    const { runs, app } = this.services;
    const running = runs.running(this.#key);
    if (running) {
      this.#postProgress(running);
      return;
    }
    const run = runs.find(this.#key, this.#shown ?? -1);
    const call = run && this.#finished(run);
    if (run) this.#post(describeResult(run, this.#server, call !== undefined && app?.has(call) === true));
  }

  #post(message: ToToolPage): void {
    if (this.#isReady) void this.panel.webview.postMessage(message);
  }
}

export const keyOfPlace = ({ server, tool }: ToolPlace): string => JSON.stringify([server, tool]);
