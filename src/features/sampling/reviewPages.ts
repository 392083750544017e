import { visible } from '../../base/text';
import { errorText, localized } from '../../editor/errorText';
import { t, window } from '../../editor/window';
import { imageTypeOf } from '../languageModel';
import { requestProblem, type SamplingParams } from './core/checkRequest';
import { SamplingError } from './core/samplingLimits';
import { fromReviewText, toReviewText } from './core/samplingText';
import { ModelToolNames } from './core/toModel';
import type { ChosenModel, SamplingResult } from './generate';
import type { Answers } from './samplingQuestions';
import { answerExcerpt, type ReviewPage, requestExcerpt } from './samplingReviews';

/** A request as the person sends it. */
export interface ReviewedRequest {
  readonly params: SamplingParams;
  readonly model: ChosenModel;
  readonly edited: boolean;
}

interface AskedRequest {
  readonly server: string;
  readonly params: SamplingParams;
  readonly model: ChosenModel;
  readonly choose: (current: ChosenModel) => Promise<ChosenModel | undefined>;
}

/** The review of a request: everything in it that reaches a model, and what happens to the rest. */
export function requestPage(
  { server, params, model: first, choose }: AskedRequest,
  { resolve, reject }: Answers<ReviewedRequest>,
  refresh: () => void,
): ReviewPage {
  const { _meta, task: _task, ...shown } = params;
  const content = toReviewText(shown);
  let model = first;
  const name = () => visible(model.model.name, 60);
  return {
    name: t('Request from {0}', server),
    content,
    excerpt: requestExcerpt(shown),
    actions: () => [
      { action: 'confirm', title: t('$(check) Send to {0}', name()) },
      { action: 'compare', title: t('$(diff) Compare with Original') },
      { action: 'chooseModel', title: t('$(sparkle) Choose Model…') },
      { action: 'refuse', title: t('$(close) Deny') },
    ],
    notes: () =>
      new Map([
        ['systemPrompt', t('Sent as the first message, because the editor has no system prompts')],
        ['modelPreferences', model.why === undefined ? name() : t('{0} ({1})', name(), model.why)],
        ['maxTokens', t('Enforced here: the answer is cut off there')],
        ['temperature', t('Passed on to {0}, which may ignore it', name())],
        ['stopSequences', t('Enforced here: the answer ends before the first of these')],
        ['includeContext', t('Ignored: the model gets only what is shown here')],
        ...(new ModelToolNames(shown).areChanged
          ? ([['tools', t('Some of these names are changed for the model, and changed back in the answer')]] as const)
          : []),
        ['metadata', t('Not passed on: no model in this editor accepts it')],
      ]),
    act: async (action, text, sawAll) => {
      if (action === 'refuse') return reject(SamplingError.denied());
      if (action === 'chooseModel') {
        model = (await choose(model)) ?? model;
        return refresh();
      }
      const edited = text !== content.text;
      // What was not edited is sent exactly as it came.
      const value = edited ? parsed(text, content.images) : shown;
      const wrong = value instanceof Error ? undefined : requestProblem(value, { imageTypeOf });
      const problem = value instanceof Error ? errorText(value) : wrong && localized(wrong);
      if (problem) return void window.showErrorMessage(t('This can’t be sent: {0}', visible(problem, 300)));
      const chosen = model;
      if (!(await sawAll(edited ? toReviewText(value).text : content.text))) return;
      resolve({ params: value as SamplingParams, model: chosen, edited });
    },
  };
}

/** The review of an answer before the server gets it. Model and stop reason are facts, and can't be edited. */
export function answerPage(
  server: string,
  result: SamplingResult,
  { resolve, reject }: Answers<ReviewedAnswer>,
): ReviewPage {
  const content = toReviewText(result);
  return {
    name: t('Answer for {0}', server),
    content,
    excerpt: answerExcerpt(result),
    actions: () => [
      { action: 'confirm', title: t('$(check) Send Answer to Server') },
      { action: 'compare', title: t("$(diff) Compare with Model's Answer") },
      { action: 'refuse', title: t('$(close) Discard') },
    ],
    notes: () => new Map([['stopReason', stopNote(result.stopReason)]]),
    act: async (action, text, sawAll) => {
      if (action === 'refuse') return reject(SamplingError.discarded());
      if (action === 'chooseModel') {
        return void window.showInformationMessage(t('The model has answered and can’t be changed any more.'));
      }
      const edited = text !== content.text;
      const value = edited ? parsed(text, content.images) : result;
      const problem = value instanceof Error ? errorText(value) : answerProblem(value, result);
      if (problem) return void window.showErrorMessage(t('This can’t be returned: {0}', visible(problem, 300)));
      if (!(await sawAll(edited ? toReviewText(value).text : content.text))) return;
      resolve({ result: value as SamplingResult, edited });
    },
  };
}

export interface ReviewedAnswer {
  readonly result: SamplingResult;
  readonly edited: boolean;
}

function parsed(text: string, images: Parameters<typeof fromReviewText>[1]): unknown {
  try {
    return fromReviewText(text, images);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Only texts of the answer may differ. */
function answerProblem(value: unknown, result: SamplingResult): string | undefined {
  const outline = (part: unknown) => JSON.stringify(part, (key, inner) => (key === 'text' ? typeof inner : inner));
  return outline(value) === outline(result) ? undefined : t('only the texts of an answer can be changed');
}

function stopNote(reason: string | undefined): string {
  if (reason === 'maxTokens') return t('Cut off: it exceeded maxTokens');
  return reason === 'stopSequence' ? t('Ended before a stop sequence') : '';
}
