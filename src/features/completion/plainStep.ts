import vscode = require('vscode');

import { plain, visibleLines } from '../../base/text';
import { t, window } from '../../editor/window';
import { endOf, explanation, missingText, prepareStep, type StepContext, type StepResult } from './step';

/** Asks for one argument in an input box. If the server suggests something for what is typed, a list takes over. */
export function plainStep(context: StepContext, late?: vscode.Event<string>): Promise<StepResult> {
  const { feed, question, current = '', preview } = context;
  const input = window.createInputBox();
  prepareStep(input, context);
  input.value = current;
  input.placeholder = question.required ? '' : t('Press Enter to leave it empty');
  if (context.step > 1) input.buttons = [vscode.QuickInputButtons.Back];
  const describe = () => {
    const shown = preview && visibleLines(preview(input.value), 500);
    input.prompt = plain([explanation(context), shown].filter(Boolean).join(' · '));
  };
  describe();
  const ended = endOf(input, context.token, end => {
    context.listen(() => {
      const { busy, completion } = feed!.state;
      input.busy = busy;
      if (!busy && completion?.values.length)
        end({ kind: 'suggesting', typed: input.value, late: input.onDidChangeValue });
    });
    const change = (value: string) => {
      input.validationMessage = undefined;
      describe();
      feed?.type(value);
    };
    const typedBefore = late?.(value => {
      input.value = input.value === current ? value : value + input.value;
      change(input.value);
    });
    return [
      ...(typedBefore ? [typedBefore] : []),
      input.onDidTriggerButton(() => end({ kind: 'back' })),
      input.onDidChangeValue(change),
      input.onDidAccept(() => {
        if (input.value || !question.required) end({ kind: 'value', value: input.value });
        else input.validationMessage = plain(missingText(context));
      }),
    ];
  });
  context.show(input);
  return ended;
}
