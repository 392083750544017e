import { Owner } from '../../base/events';
import { english } from '../../base/phrase';
import { tokenOf } from '../../editor/dialogs';
import type { OpenQuestions } from '../../editor/openQuestions';
import { settingValue } from '../../editor/settingValues';
import { keepIn, type PlainState } from '../../editor/storage';
import { t, window } from '../../editor/window';
import type { CallChat, RunningCall, RunningCalls, ServerConnection, ServerSet } from '../../host';
import type { SamplingPort, ServerDefinition } from '../../host/definition';
import { imageTypeOf } from '../languageModel';
import type { SamplingLine, Trust } from '../trust';
import { requestProblem, type SamplingParams } from './core/checkRequest';
import {
  DEFAULT_LIMITS,
  depthOf,
  SamplingChoices,
  SamplingError,
  SamplingLimits,
  type SamplingLimitValues,
  SamplingLog,
  SamplingQueue,
  SamplingUsage,
  type Span,
} from './core/samplingLimits';
import { asPolicy, type SamplingPolicy } from './core/samplingPolicy';
import {
  type ChosenModel,
  type GeneratedAnswer,
  generate,
  inputTokens,
  modelsFor,
  pickModel,
  type SamplingResult,
} from './generate';
import { requestText } from './requestText';
import { answerPage, type ReviewedAnswer, type ReviewedRequest, requestPage } from './reviewPages';
import { samplingStore } from './samplingPort';
import { SamplingQuestions } from './samplingQuestions';
import { type ReviewAction, SamplingReviews } from './samplingReviews';
import { samplingLine } from './usageView';

import vscode = require('vscode');

const USAGE_KEY = 'mcpHost.samplingUsage';
const MAX_WAITING = 10;

interface SamplingServices {
  servers: ServerSet;
  trust: Pick<Trust, 'audit' | 'forbids'>;
  calls: Pick<RunningCalls, 'at'>;
  context: Pick<vscode.ExtensionContext, 'globalState' | 'workspaceState'>;
  openQuestions: Pick<OpenQuestions, 'add'>;
}

/** The running work of a server that makes a request. */
interface AskedDuring {
  readonly running: readonly RunningCall[];
  readonly chat: CallChat | undefined;
  readonly signal: AbortSignal;
}

/**
 * Asks language models of the editor for servers (spec: client/sampling), with a person in the loop. Every request is
 * checked, limited, reviewed unless the person has allowed the server, and recorded in the audit log.
 */
export class Sampling extends Owner implements Omit<SamplingPort, 'capability'> {
  readonly #choices: SamplingChoices;
  readonly #usage: SamplingUsage;
  readonly #limits: SamplingLimits;
  /** Requests of servers that are allowed do not wait for reviews of others. */
  readonly #reviews = this.own(new SamplingQueue(MAX_WAITING));
  readonly #allowed = this.own(new SamplingQueue(MAX_WAITING));
  readonly #documents = this.own(new SamplingReviews());
  readonly #questions: SamplingQuestions;
  readonly #generating = new Set<Span>();
  readonly #log: SamplingLog;

  constructor(private readonly services: SamplingServices) {
    super();
    const state: PlainState = services.context.globalState;
    this.#questions = this.own(new SamplingQuestions(services.openQuestions));
    this.#choices = new SamplingChoices(
      samplingStore(services.context),
      () => samplingSettings().policy,
      () => services.trust.forbids('sampling'),
    );
    this.#usage = new SamplingUsage({
      get: () => state.get(USAGE_KEY),
      set: usage => keepIn(state, USAGE_KEY, usage),
    });
    this.#limits = new SamplingLimits(this.#usage, samplingSettings);
    this.#log = new SamplingLog(this.#usage, services.trust.audit);
  }

  /** What a server may ask the models, and has. */
  lineOf(server: ServerConnection): SamplingLine {
    return samplingLine(server, this.#choices, this.#usage, this.services.trust.forbids('sampling'));
  }

  /** A server that the person gave another name is answered as before. */
  renamed(from: ServerDefinition, to: ServerDefinition): Promise<void> {
    return this.#choices.copy(from, to);
  }

  readonly commands = {
    chooseSamplingModel: (uri?: unknown) => this.#act('chooseModel', uri),
    compareSampling: (uri?: unknown) => this.#act('compare', uri),
    confirmSampling: (uri?: unknown) => this.#act('confirm', uri),
    denySampling: (uri?: unknown) => this.#act('refuse', uri),
  };

  /** Rejects with a `SamplingError`, whose code and message the server gets. */
  async createMessage(server: ServerDefinition, params: SamplingParams, signal: AbortSignal): Promise<SamplingResult> {
    const ended = new AbortController();
    const watch = this.services.servers.onDidChange(change => {
      // In the modern era, nothing else tells us that nobody is waiting any more.
      const isGone = !change
        ? !this.services.servers.get(server.id)
        : change.server.id === server.id && !isUp(change.server);
      if (isGone) ended.abort();
    });
    const calls = this.services.calls.at(server.id);
    const chat = chatOf(calls);
    const signals = [signal, ended.signal, ...(chat ? [chat.stopped] : [])];
    try {
      return await this.#answer(server, params, { running: calls, chat, signal: AbortSignal.any(signals) });
    } catch (error) {
      const failure = error instanceof SamplingError ? error : SamplingError.failed(String(error));
      this.#log.recordRefusal(server.id, failure);
      throw failure;
    } finally {
      watch.dispose();
    }
  }

  #act(action: ReviewAction, uri: unknown): Promise<void> {
    return this.#documents.act(action, uri instanceof vscode.Uri ? uri : undefined);
  }

  async #answer(
    server: ServerDefinition,
    params: SamplingParams,
    { running, chat, signal }: AskedDuring,
  ): Promise<SamplingResult> {
    const policy = this.#permitted(server);
    this.#limits.enter(server.id, depthOf(running, [...this.#generating]));
    const problem = requestProblem(params, { imageTypeOf });
    if (problem) throw SamplingError.invalid(english(problem));
    const queue = policy === 'allow' ? this.#allowed : this.#reviews;
    const answer = async () => {
      // It may have waited for long.
      const isAllowed = this.#permitted(server) === 'allow' && policy === 'allow';
      this.#limits.checkTokens(server.id);
      const models = await modelsFor(params, this.#choices.model(server));
      const asked = isAllowed
        ? { params, model: models[0]!, edited: false }
        : await this.#reviewRequest(server, params, models, { running, chat, signal });
      const generated = await this.#generate(server.name, asked, signal);
      // The tokens are spent, whatever happens to the answer.
      const how = isAllowed ? 'allow' : asked.edited ? 'edit' : 'send';
      this.#log.recordAnswer(server.id, how, asked.model.model.id, generated.tokens);
      if (isAllowed || !samplingSettings().reviewAnswers) return generated.result;
      return this.#reviewAnswer(server, generated.result, chat, signal);
    };
    return queue.run(answer, signal);
  }

  /** Throws when no request of this server is answered. */
  #permitted(server: ServerDefinition): Exclude<SamplingPolicy, 'deny'> {
    const policy = this.#choices.policy(server);
    if (policy !== 'deny') return policy;
    throw SamplingError.deniedAlways(
      this.services.trust.forbids('sampling')
        ? 'The organization allows no sampling'
        : 'The user denies this server all sampling requests',
    );
  }

  async #reviewRequest(
    server: ServerDefinition,
    params: SamplingParams,
    models: readonly ChosenModel[],
    { running, chat, signal }: AskedDuring,
  ): Promise<ReviewedRequest> {
    const model = models[0]!;
    const tokens = await inputTokens(model.model, params);
    const { waiting } = this.#reviews;
    const { name } = server;
    const message = requestText({ server: name, params, running, tokens, model: model.model.name, waiting });
    const choose = (current: ChosenModel) => pickModel(models, current.model, tokenOf(signal));
    const open = (answers: Parameters<typeof requestPage>[1]) => {
      const page = this.#documents.open(
        requestPage({ server: name, params, model, choose }, answers, () => page.refresh()),
      );
      return page;
    };
    const decided = (sent: ReviewedRequest) =>
      sent.edited
        ? t('Sent to {0}, as edited by you.', sent.model.model.name)
        : t('Sent to {0}.', sent.model.model.name);
    const announcement = { server, message, notifies: true, chat, decided };
    return this.#questions.ask(announcement, signal, open, () => SamplingError.denied());
  }

  async #reviewAnswer(
    server: ServerDefinition,
    result: SamplingResult,
    chat: CallChat | undefined,
    signal: AbortSignal,
  ): Promise<SamplingResult> {
    const { name } = server;
    const decided = ({ edited }: ReviewedAnswer) =>
      edited ? t('Returned to {0}, as edited by you.', name) : t('Returned to {0}.', name);
    const message = t('{0} answered. This goes to MCP server "{1}":', result.model, name);
    const reviewed = await this.#questions.ask(
      { server, message, notifies: false, chat, decided },
      signal,
      (answers: Parameters<typeof answerPage>[2]) => this.#documents.open(answerPage(name, result, answers)),
      () => SamplingError.discarded(),
    );
    return reviewed.result;
  }

  async #generate(
    server: string,
    { model: { model }, params }: ReviewedRequest,
    signal: AbortSignal,
  ): Promise<GeneratedAnswer> {
    const span = { started: performance.now() };
    this.#generating.add(span);
    const title = t('{0} is answering MCP server "{1}"…', model.name, server);
    try {
      const location = vscode.ProgressLocation.Window;
      return await window.withProgress({ location, title }, () => generate(model, params, server, signal));
    } finally {
      this.#generating.delete(span);
    }
  }
}

/** Where the person is asked: in a chat turn if everything that the server is working on came from it. */
function chatOf(calls: readonly RunningCall[]): CallChat | undefined {
  const chat = calls[0]?.chat;
  return calls.every(call => call.chat === chat) ? chat : undefined;
}

const isUp = ({ state: { kind } }: { state: { kind: string } }) => kind === 'ready' || kind === 'starting';

interface SamplingSettings extends SamplingLimitValues {
  readonly policy: SamplingPolicy;
  readonly reviewAnswers: boolean;
}

function samplingSettings(): SamplingSettings {
  const number = (key: keyof SamplingLimitValues) => {
    const value = settingValue(`sampling.${key}`);
    return typeof value === 'number' && value >= 0 ? value : DEFAULT_LIMITS[key];
  };
  return {
    policy: asPolicy(settingValue('sampling.policy')),
    reviewAnswers: settingValue('sampling.reviewAnswers') !== false,
    requestsPerMinute: number('requestsPerMinute'),
    tokensPerHour: number('tokensPerHour'),
    tokensPerDay: number('tokensPerDay'),
  };
}
