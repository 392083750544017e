import type { Progress } from '@modelcontextprotocol/client';
import { type Event, Owner } from '../../base/events';
import { isObject } from '../../base/json';
import { Coalescer } from '../../base/queue';
import { plain } from '../../base/text';
import { progressText } from '../../editor/dialogs';
import type { PageKind } from '../../editor/openPage';
import type { OpenQuestions } from '../../editor/openQuestions';
import { tabIcon, WebviewPage } from '../../editor/webviewPage';
import { t, window } from '../../editor/window';
import { CallTime, type ServerConnection, type ServerSet } from '../../host';
import { ArgumentForm } from './core/argumentForm';
import { type FromItemPage, fromItemPage, type PageAction, type ToItemPage } from './core/itemPageMessages';
import { type ItemRun, ItemRuns, keptArguments, readKeptArguments } from './core/itemRuns';
import { linkedResource } from './core/resultBlocks';
import { describeArguments, describeForm, describeResult, describeRun, pageTexts } from './itemPageTexts';
import {
  type Arguments,
  FieldSuggestions,
  type ItemPlace,
  keyOfItem,
  keyOfPlace,
  type PageRow,
  type PageSubject,
} from './pageSubject';
import { PromptSubject, type PromptSubjectServices } from './promptSubject';
import { TemplateSubject, type TemplateSubjectServices } from './templateSubject';
import { ToolSubject, type ToolSubjectServices } from './toolSubject';

import vscode = require('vscode');

type Services = Omit<ItemPageServices, 'runs'> & ToolSubjectServices & PromptSubjectServices & TemplateSubjectServices;

/** The icons of tabs, like those of rows. */
const ICONS: Readonly<Record<PageKind, string>> = { tools: 'tool', prompts: 'prompt', resourceTemplates: 'template' };

/** The pages of tools, prompts and resource templates: one for each, which is shown again rather than opened twice. */
export class ItemPages implements vscode.Disposable {
  readonly #pages = new Map<string, ItemPage>();
  readonly #runs = new ItemRuns();

  constructor(private readonly services: Services) {}

  open({ server, kind, item }: PageRow): void {
    const place = { kind, server: server.id, name: keyOfItem(item) };
    const open = this.#pages.get(keyOfPlace(place));
    if (open) {
      open.reveal();
      return;
    }
    const subject = this.#subject(place);
    const panel = window.createWebviewPanel('mcpHost.tool', plain(subject.title), vscode.ViewColumn.Active);
    this.#show(panel, subject);
  }

  /** Fills a page that was open before the window was reloaded. Nothing is run. */
  restore(panel: vscode.WebviewPanel, state: unknown): void {
    const place = placeIn(state);
    if (!place || this.#pages.has(keyOfPlace(place))) {
      panel.dispose();
      return;
    }
    const { kept, isRunning } = isObject(state) ? state : {};
    this.#show(panel, this.#subject(place), { typed: readKeptArguments(kept), wasRunning: isRunning === true });
  }

  dispose(): void {
    for (const page of this.#pages.values()) page.dispose();
  }

  #subject(place: ItemPlace): PageSubject {
    if (place.kind === 'tools') return new ToolSubject(place, this.services);
    return place.kind === 'prompts'
      ? new PromptSubject(place, this.services)
      : new TemplateSubject(place, this.services);
  }

  #show(panel: vscode.WebviewPanel, subject: PageSubject, before?: PageBefore): void {
    const page = new ItemPage(panel, subject, { ...this.services, runs: this.#runs }, before);
    const key = keyOfPlace(subject.place);
    this.#pages.set(key, page);
    page.onDidDispose(() => this.#pages.delete(key));
  }
}

function placeIn(state: unknown): ItemPlace | undefined {
  const { kind, server, name } = (isObject(state) ? state : {}) as Partial<Record<keyof ItemPlace, unknown>>;
  const known = (Object.keys(ICONS) as PageKind[]).find(one => one === kind);
  return known && typeof server === 'string' && typeof name === 'string' ? { kind: known, server, name } : undefined;
}

interface PageBefore {
  readonly typed?: Arguments | undefined;
  readonly wasRunning?: boolean;
}

/** Actions on a row of the server or of the item. */
const COMMANDS: Partial<Record<PageAction, string>> = {
  start: 'mcpHost.startServer',
  signIn: 'mcpHost.signIn',
  showLog: 'mcpHost.showServerLog',
  setApproval: 'mcpHost.manageTrust',
  reviewChanges: 'mcpHost.reviewChanges',
};

interface ItemPageServices {
  readonly extensionUri: vscode.Uri;
  readonly servers: ServerSet;
  readonly questions: Pick<OpenQuestions, 'onDidChange'>;
  /** Approvals or pins have changed. */
  readonly onDidChangeTrust: Event<unknown>;
  openWebsite(server: ServerConnection, url: string): Promise<void>;
  readonly runs: ItemRuns;
}

/** The page of a tool, prompt or template. It owns what is typed there; its webview only draws. */
class ItemPage extends Owner {
  readonly #page: WebviewPage<ToItemPage, FromItemPage>;
  readonly #refresh = this.own(new Coalescer(() => void this.#update(), { quietMs: 30, maxMs: 200 }));
  readonly #suggestions: FieldSuggestions;
  readonly #place: ItemPlace;
  readonly #key: string;
  #form: ArgumentForm | undefined;
  /** The person has answered what is asked before a run, or is about to. */
  #isAsking = false;
  #shown: number | undefined;
  readonly onDidDispose: vscode.Event<void>;

  constructor(
    private readonly panel: vscode.WebviewPanel,
    private readonly subject: PageSubject,
    private readonly services: ItemPageServices,
    private readonly before: PageBefore = {},
  ) {
    super();
    const { servers, extensionUri, runs } = services;
    panel.iconPath = tabIcon(extensionUri, ICONS[subject.place.kind]);
    this.#place = subject.place;
    this.#key = keyOfPlace(subject.place);
    this.onDidDispose = panel.onDidDispose;
    this.#suggestions = this.own(new FieldSuggestions(message => this.#page.post(message)));
    this.own(
      servers.onDidChange(change => (!change || change.server.id === this.#place.server) && this.#refresh.trigger()),
    );
    this.own(services.questions.onDidChange(() => this.#refresh.trigger()));
    this.own(services.onDidChangeTrust(() => this.#refresh.trigger()));
    this.own(runs.onDidChange(({ key, run }) => key === this.#key && this.#onRunChange(run)));
    this.own(panel.onDidDispose(() => this.dispose()));
    this.#shown = runs.of(this.#key).find(({ end }) => end)?.id;
    this.#page = this.own(
      new WebviewPage(panel, {
        extension: extensionUri,
        title: panel.title,
        script: 'tool-view.js',
        styles: ['page.css', 'tool.css'],
        media: true,
        read: fromItemPage,
        receive: message => this.#receive(message),
      }),
    );
  }

  /** Shows it again; the person begins with its first field. */
  reveal(): void {
    this.#focus('fields');
  }

  async #receive(sent: FromItemPage): Promise<void> {
    switch (sent.type) {
      case 'ready': {
        const { texts, buttons } = this.subject.words;
        const noResult = this.before.wasRunning && {
          noResult: t(
            'Interrupted by a reload. It may have been carried out all the same, so check before you run it again.',
          ),
        };
        this.#page.post({
          type: 'texts',
          texts: { ...pageTexts(), ...texts, ...noResult },
          buttons,
          place: this.#place,
        });
        if (this.#form) this.#postForm();
        await this.#update();
        this.#postRuns();
        this.#postResult();
        return;
      }
      case 'browse':
        return; // no field of a tool is known to be a path
      case 'suggest':
        return this.#form && this.#suggestions.ask(this.#form, sent, this.subject.suggest);
      case 'field':
      case 'choice':
      case 'json':
        if (this.#form?.take(sent)) this.#postArguments(sent.edit);
        return;
      case 'run':
        return this.#run(sent.anyway);
      case 'cancel':
        return this.services.runs.running(this.#key)?.cancel();
      case 'act':
        return this.#act(sent.action);
      default:
        await this.#onRun(sent);
    }
  }

  async #onRun(sent: Extract<FromItemPage, { run: number }>): Promise<void> {
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
      case 'open':
        return this.subject.open(run);
      case 'link':
        return this.#openLink(run, sent.block, sent.isWebsite);
    }
  }

  /** Opens what a result links to: read from its server, or in a browser once the person has seen the address. */
  async #openLink({ end }: ItemRun, block: number, isWebsite: boolean): Promise<void> {
    const { server } = this.subject;
    const resource = end?.kind === 'result' ? linkedResource(this.subject.content(end.result), block) : undefined;
    if (!resource || !server) return;
    if (isWebsite) await this.services.openWebsite(server, resource.uri);
    else await vscode.commands.executeCommand('mcpHost.openResource', { server, resource });
  }

  #focus(on: 'fields' | 'approval'): void {
    this.panel.reveal();
    this.#page.post({ type: 'focus', on });
  }

  async #act(action: PageAction): Promise<void> {
    if (action === 'answer') return this.subject.question?.answer();
    const { server, item } = this.subject;
    const command = COMMANDS[action];
    if (command) {
      const isOfServer = action === 'start' || action === 'signIn' || action === 'showLog' || !item;
      const row = server && isOfServer ? { server } : { server, item, kind: this.#place.kind };
      await vscode.commands.executeCommand(command, row);
      // A list that has asked for something had the focus.
      if (action === 'setApproval') this.#focus('approval');
      return;
    }
    const form = this.#form;
    // What is done with arguments needs them to be right; a copy of a call is for those who finish it elsewhere.
    if (!form || ((action === 'useInChat' || action === 'openFile') && !this.#isComplete(form))) return;
    await this.subject.act(action, form.args, this.services.runs.find(this.#key, this.#shown ?? -1));
  }

  /** Otherwise the page says what is missing. */
  #isComplete(form: ArgumentForm): boolean {
    const isComplete = form.check();
    if (!isComplete) this.#postArguments(undefined, true);
    return isComplete;
  }

  /** @param anyway though the schema as a whole objects. */
  async #run(anyway: boolean): Promise<void> {
    const { runs } = this.services;
    const [form, key] = [this.#form, this.#key];
    const { server, offered } = this.subject;
    if (!server || !offered || !form || this.#isAsking || runs.running(key)) return;
    const isRight = form.check();
    if (!isRight && !(anyway && form.wholeProblem !== undefined)) return this.#postArguments(undefined, true);
    this.#isAsking = true;
    const prepared = await this.subject.prepare(server, offered, form.args).finally(() => {
      this.#isAsking = false;
    });
    if (!prepared) return;
    const abort = new AbortController();
    const run = runs.begin(key, prepared.args, () => abort.abort());
    const time = new CallTime();
    try {
      const onProgress = (step: Progress) => runs.report(key, run, step);
      const running = prepared.run({ signal: abort.signal, onProgress, time });
      this.subject.began(prepared.args, running);
      const { result, problem } = await running;
      runs.end(key, run, { kind: 'result', result, problem }, time.ms);
    } catch (error) {
      runs.end(key, run, { kind: 'error', error }, time.ms);
    }
  }

  #onRunChange(run: ItemRun): void {
    if (!run.end && run.progress) {
      this.#postProgress(run);
      return;
    }
    this.#shown = run.end && run.id;
    this.#postRuns();
    this.#postResult();
  }

  /** Looks at the server and what it offers again. */
  async #update(): Promise<void> {
    // A page that is hidden asks when it is back.
    if (!this.#page.isReady) return;
    const { subject } = this;
    const { server, offered, item } = subject;
    if (item) {
      this.panel.title = subject.title;
      const schema = subject.schema(item);
      // What is typed outlives a change of the schema.
      if (!this.#form || JSON.stringify(this.#form.schema) !== JSON.stringify(schema)) {
        const last = this.before.typed ?? (server && offered && subject.lastArguments(server, offered));
        const before = this.#form?.args ?? last;
        this.#form = new ArgumentForm(schema, before, (...parts) => subject.problem(...parts));
        this.#postForm();
      }
    }
    this.#page.post(await subject.describe());
  }

  #postForm(): void {
    if (!this.#form) return;
    this.#page.post(describeForm(this.#form, this.subject));
    this.#postArguments();
  }

  #postArguments(edit = 0, isAsked = false): void {
    if (!this.#form) return;
    const now = describeArguments(this.#form, this.subject);
    const { server } = this.subject;
    const kept = server && keptArguments(this.#form.args, text => server.redact(text));
    this.#page.post({ type: 'arguments', arguments: now, edit, ...(isAsked && { isAsked }), kept });
  }

  #postRuns(): void {
    this.#page.post({ type: 'runs', runs: this.services.runs.of(this.#key).map(describeRun), shown: this.#shown });
  }

  #postProgress({ progress }: ItemRun): void {
    const text = progress ? progressText(progress) : '';
    const part = progress?.total ? Math.min(1, Math.max(0, progress.progress / progress.total)) : undefined;
    this.#page.post({ type: 'progress', text: [t('Running'), text].filter(Boolean).join(' · '), part });
  }

  #postResult(): void {
    const { runs } = this.services;
    const running = runs.running(this.#key);
    if (running) {
      this.#postProgress(running);
      return;
    }
    const run = runs.find(this.#key, this.#shown ?? -1);
    if (run) this.#page.post(describeResult(run, this.subject));
  }
}
