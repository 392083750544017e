import type { ElicitRequest, ElicitRequestURLParams, ElicitResult } from '@modelcontextprotocol/client';

import vscode = require('vscode');

import { INVALID_PARAMS } from '../../base/errors';
import { DisposableStore, Owner } from '../../base/events';
import { lengthOf } from '../../base/json';
import { Queue, whenAborted } from '../../base/queue';
import { PerMinute } from '../../base/rateAllowance';
import { type PlainText, plain, visible } from '../../base/text';
import type { OpenQuestions } from '../../editor/openQuestions';
import { t, window } from '../../editor/window';
import type { RunningCalls, ServerSet } from '../../host';
import type { ElicitationPort, LogPort, ServerDefinition } from '../../host/definition';
import { clientOf } from '../clients';
import type { AskedForm, FormAnswer, JsonSchema } from '../tools';
import type { AuditPort } from '../trust';
import { fieldsOf, visibleDefaults } from './core/formFields';
import {
  cancelled,
  declined,
  type Question,
  QuestionQueue,
  RefusedQuestion,
  SharedNotifications,
  Visits,
} from './core/questionQueue';
import { reviewUrl, type UrlReview } from './core/urlReview';
import { isAwaited } from './questionFocus';
import { askUrl } from './urlDialog';
import { tellWithdrawn, unlessWithdrawn, withdrawnText } from './withdrawal';

type Params = ElicitRequest['params'];
type Outcome = ElicitResult['action'] | 'refused' | 'withdrawn';

/** More than a person reads of one question, in characters of JSON. */
const MAX_LENGTH = 1_000_000;
/** How many pages that the person consented to are remembered. */
const MAX_OPENED = 100;

interface ElicitationServices {
  readonly servers: ServerSet;
  readonly calls: Pick<RunningCalls, 'at'>;
  readonly audit: () => AuditPort;
  readonly log: LogPort;
  readonly openQuestions: Pick<OpenQuestions, 'add'>;
  readonly askForm: (form: AskedForm) => Promise<FormAnswer>;
  readonly open?: (href: string) => Thenable<boolean>;
}

/** Asks the person what servers want to know (spec: client/elicitation), one at a time while the server waits. */
export class Elicitation extends Owner implements Omit<ElicitationPort, 'capability'> {
  readonly #questions = new QuestionQueue();
  /** A flood is reported once a minute, so that it does not push everything else out of a log. */
  readonly #floods = new PerMinute();
  /** The queue of everything that takes the focus, for all servers together. */
  readonly #dialogs = this.own(new Queue());
  readonly #visits = new Visits();
  readonly #shared = new SharedNotifications();
  readonly #opened = new Set<string>();
  readonly #answeredAt = new Map<string, number>();
  readonly #open: (href: string) => Thenable<boolean>;

  constructor(private readonly services: ElicitationServices) {
    super();
    this.#open = services.open ?? openExactly;
  }

  async elicit(server: ServerDefinition, params: Params, signal: AbortSignal): Promise<ElicitResult> {
    const life = this.#lifeOf(server, signal);
    try {
      if (lengthOf(params) > MAX_LENGTH)
        throw new RefusedQuestion(`it has more than ${MAX_LENGTH} characters`, INVALID_PARAMS, true);
      const answer = await this.#questions.ask(
        server.id,
        () => this.#showRequest(server, params, life.signal),
        life.signal,
      );
      this.#answeredAt.set(server.id, Date.now());
      this.#record(server, params, answer.action);
      return answer;
    } catch (error) {
      const isRefused = error instanceof RefusedQuestion;
      if (isRefused && error.isFlood && this.#floods.wait(server.id, 1) > 0) throw error;
      this.#record(server, params, isRefused ? 'refused' : 'withdrawn');
      const data = isRefused ? `its question was refused: ${error.message}` : 'its question was withdrawn';
      this.services.log.log(server, { source: 'lifecycle', level: isRefused ? 'warning' : 'info', data });
      throw error;
    } finally {
      life.dispose();
    }
  }

  async visit(
    server: ServerDefinition,
    urls: readonly ElicitRequestURLParams[],
    signal = new AbortController().signal,
  ): Promise<boolean> {
    const life = this.#lifeOf(server, signal);
    try {
      for (const url of urls) {
        const answer = await this.elicit(server, url, life.signal);
        if (answer.action !== 'accept') return false;
      }
      const ids = urls.map(({ elicitationId }) => elicitationId);
      return await this.#tryAgain(server, ids, life.signal);
    } catch (error) {
      if (!(error instanceof RefusedQuestion) && !life.signal.aborted) throw error;
      return false;
    } finally {
      life.dispose();
    }
  }

  completed(server: ServerDefinition, elicitationId: string): void {
    this.#visits.completed(server.id, elicitationId);
  }

  #showRequest(server: ServerDefinition, params: Params, signal: AbortSignal): Promise<ElicitResult> {
    const calls = this.services.calls.at(server.id);
    const [call] = calls.length === 1 ? calls : [];
    const causedBy = { client: clientOf(calls)?.name, tool: call?.tool.name, chat: call?.chat };
    const question: Question = { server, message: params.message, ...causedBy, signal };
    return params.mode === 'url' ? this.#askUrl(question, params) : this.#askForm(question, params.requestedSchema);
  }

  async #askForm(question: Question, schema: JsonSchema): Promise<ElicitResult> {
    const fields = fieldsOf(schema);
    if (fields.some(({ step }) => step.path.length !== 1 || step.kind === 'json')) {
      throw new RefusedQuestion('the form has a field that can’t be shown', INVALID_PARAMS);
    }
    const secrets = fields.filter(({ isSecret }) => isSecret).map(({ name }) => name);
    const early = await this.#announce(question, secrets.length > 0 ? [secretWarning()] : []);
    if (early) return early;
    const { server, message, client, tool, chat, signal } = question;
    const waiting = new DisposableStore();
    // A page takes the focus only as it opens, so the dialogs of other servers wait no longer than that.
    const opened = await this.#inTurn(question, async () => ({
      answer: this.services.askForm({
        title: formTitle(question),
        heading:
          client === undefined
            ? t('MCP server "{0}" asks for input', server.name)
            : t('MCP server "{0}" asks for input, for {1}', server.name, visible(client, 60)),
        facts: [
          ...(tool === undefined ? [] : [t('The call of {0} waits for it.', visible(tool, 120))]),
          t(
            'Decline says that you refuse, Cancel that you do not answer now: both usually end the call. You can leave this tab and come back; closing it cancels.',
          ),
        ],
        message,
        schema,
        secrets,
        signal,
        opened: reveal => {
          waiting.add(this.services.openQuestions.add({ server, message: visible(message, 300), answer: reveal }));
          if (!chat) return;
          const text = t('MCP server "{0}" asks for input in a form.', server.name);
          waiting.add(chat.ask({ text, buttons: [['show', t('Show Form')]] }, reveal));
        },
        initial: visibleDefaults(fields),
        warning: secrets.length > 0 ? secretWarning() : undefined,
        withdrawn: withdrawnText(server),
      }),
    }));
    const answer = await Promise.resolve(opened?.answer).finally(() => waiting.dispose());
    if (opened && signal.aborted) tellWithdrawn(server);
    if (answer?.kind === 'submit') return { action: 'accept', content: answer.content as ElicitResult['content'] };
    return answer?.kind === 'decline' ? declined : cancelled;
  }

  async #askUrl(question: Question, params: Params & { mode: 'url' }): Promise<ElicitResult> {
    const review = reviewUrl(params.url);
    if ('refused' in review) throw new RefusedQuestion(`the page is not opened: ${review.refused}`, INVALID_PARAMS);
    const early = await this.#announce(question, []);
    if (early) return early;
    const { server } = question;
    const key = `${server.id}\n${review.href}`;
    const isRepeated = this.#opened.has(key);
    const services = {
      open: this.#open,
      inTurn: (dialog: () => Thenable<string | undefined>) => this.#inTurn(question, dialog),
    };
    const answer = await askUrl({ ...question, review, isRepeated }, services);
    if (answer.action !== 'accept') return answer;
    this.#opened.add(key);
    for (const old of [...this.#opened].slice(0, -MAX_OPENED)) this.#opened.delete(old);
    if (typeof params.elicitationId === 'string') this.#waitFor(server, params.elicitationId, review);
    return answer;
  }

  /** Asks in a notification whether to ask, unless the person waits for this server. Undefined: go on. */
  async #announce(question: Question, warnings: readonly string[]): Promise<ElicitResult | undefined> {
    const { server, message, client, signal } = question;
    const latestRequestAt = this.services.servers.get(server.id)?.latestRequestAt;
    const calls = this.services.calls.at(server.id);
    // Then an agent or extension waits, not the person, who may be typing in a terminal: no event tells us.
    const isForOthers = calls.length > 0 && calls.every(call => call.client !== undefined);
    if (!isForOthers && (await isAwaited(latestRequestAt, this.#answeredAt.get(server.id)))) return undefined;
    if (signal.aborted) return cancelled;
    const [answer, decline] = [t('Answer…'), t('Decline')];
    const asked =
      client === undefined
        ? t('MCP server "{0}" asks for input: {1}', server.name, visible(message, 300))
        : t('MCP server "{0}" asks for input, for {1}: {2}', server.name, visible(client, 60), visible(message, 300));
    const text = plain([asked, ...warnings].join(' '));
    const { promise, resolve } = Promise.withResolvers<string>();
    const { openQuestions } = this.services;
    const waiting = openQuestions.add({ server, message: visible(message, 300), answer: () => resolve(answer) });
    const shown = Promise.race([window.showInformationMessage(text, answer, decline), promise]);
    const chosen = await unlessWithdrawn(question, shown).finally(() => waiting.dispose());
    if (chosen === decline) return declined;
    return chosen === answer ? undefined : cancelled;
  }

  /**
   * Shows something that takes the focus once nothing else has it, and reports a withdrawal in the meantime. Its turn lasts
   * until it is closed, even if the question is withdrawn: a modal dialog stays open, and others would pile up behind it.
   */
  #inTurn<T>({ server, signal }: Question, show: () => Thenable<T>): Promise<T | undefined> {
    return this.#dialogs.run(async () => {
      if (signal.aborted) return undefined;
      const answer = await show();
      if (signal.aborted) tellWithdrawn(server);
      return answer;
    });
  }

  /** Shows a notification that stays until the server reports that the person is done there. */
  #waitFor(server: ServerDefinition, id: string, { host }: UrlReview): void {
    const abort = new AbortController();
    const life = this.#lifeOf(server, abort.signal);
    const title = t('{0}: waiting for you to finish at {1}', server.name, visible(host, 120));
    const location = vscode.ProgressLocation.Notification;
    void window
      .withProgress({ location, title, cancellable: true }, (_, token) => {
        token.onCancellationRequested(() => abort.abort());
        return this.#visits.done(server.id, id, life.signal);
      })
      .then(isDone => {
        life.dispose();
        const done = t('{0}: finished at {1}.', server.name, visible(host, 120));
        if (isDone) void window.showInformationMessage(plain(done));
      });
  }

  /** Whether the person wants to repeat the request for which pages had to be visited. */
  async #tryAgain(server: ServerDefinition, ids: readonly string[], signal: AbortSignal): Promise<boolean> {
    const again = t('Try Again');
    const ask = async (message: string) => {
      const show = () => window.showInformationMessage(plain(message), again, t('Give Up'));
      return (await this.#shared.ask(message, show)) === again;
    };
    const abort = new AbortController();
    const over = AbortSignal.any([signal, abort.signal]);
    const done = Promise.all(ids.map(id => this.#visits.done(server.id, id, over)));
    const whenDone = done.then(all =>
      all.every(Boolean)
        ? ask(t('{0} is ready. Do you want to try again what needed the page?', server.name))
        : never(),
    );
    const atOnce = ask(t('{0} needs you to finish there first. Then try again.', server.name));
    try {
      return (await Promise.race([atOnce, whenDone, whenAborted(signal)])) === true;
    } finally {
      abort.abort();
    }
  }

  /** Ends with `signal`, or when the server is gone and can't be answered. */
  #lifeOf({ id }: ServerDefinition, signal: AbortSignal): { signal: AbortSignal; dispose(): void } {
    const end = new AbortController();
    const disposables = new DisposableStore();
    disposables.add(
      this.services.servers.onDidChange(change => {
        const server = this.services.servers.get(id);
        const isOfIt = change === undefined || change.server.id === id;
        if (isOfIt && server?.state.kind !== 'ready' && server?.state.kind !== 'starting') end.abort();
      }),
    );
    return { signal: AbortSignal.any([signal, end.signal]), dispose: () => disposables.dispose() };
  }

  #record({ id }: ServerDefinition, params: Params, answer: Outcome): void {
    const about =
      params.mode === 'url'
        ? { mode: 'url' as const, ...hostOf(params.url) }
        : { mode: 'form' as const, fields: Object.keys(params.requestedSchema.properties).slice(0, 100) };
    this.services.audit().record({ type: 'elicitation', server: id, answer, ...about });
  }
}

const never = () => new Promise<never>(() => {});

const hostOf = (url: string) => (URL.canParse(url) ? { host: new URL(url).hostname.slice(0, 253) } : {});

/** Beside the servers' own words, where a field seems to be for a secret. */
const secretWarning = () => t('⚠ Servers must not ask for secrets this way');

function formTitle({ server, message, client }: Question): PlainText {
  return client === undefined
    ? t('{0} asks: {1}', visible(server.name, 40), visible(message, 45))
    : t('{0} asks, for {1}: {2}', visible(server.name, 40), visible(client, 30), visible(message, 45));
}

/** As a text: the editor would encode the parts of a `Uri` anew, and open another address than was shown. */
export function openExactly(href: string): Thenable<boolean> {
  return vscode.env.openExternal(href as unknown as vscode.Uri);
}
