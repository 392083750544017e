import { visible } from '../../base/text';
import { schemaProblem } from '../../host';
import { type FormStep, formOf, type JsonSchema, valueAt, withValue } from './core/schemaForm';
import { askField, type StepAnswer } from './fieldInput';

type Arguments = Record<string, unknown>;

interface ToolFormOptions {
  /** The tool and server that the arguments are for. */
  title: string;
  schema: JsonSchema;
  /** From the last call. */
  initial?: Arguments | undefined;
  /** Has the person edit all arguments as JSON. Undefined: they gave up. */
  editAll: (args: Arguments) => Promise<Arguments | undefined>;
  /** Has the person edit one value that no input can express. Undefined: they gave up. */
  editOne: (name: string, schema: JsonSchema, value: unknown) => Promise<{ value: unknown } | undefined>;
}

/**
 * Asks for the arguments of a tool, one step per value, with Back and the option to continue in JSON. If the result does not
 * fit the schema as a whole, it is handed back as JSON, which shows the problem. Undefined when the person gave up.
 */
export async function askToolArguments(options: ToolFormOptions): Promise<Arguments | undefined> {
  const steps = formOf(options.schema);
  const [first] = steps;
  if (first?.path.length === 0) return options.editAll(options.initial ?? {});
  let args: Arguments = {};
  // Only what the form contains: an argument that the tool no longer has is not sent again.
  for (const step of steps) {
    const value = valueAt(options.initial, step.path);
    if (value !== undefined) args = withValue(args, step.path, value);
  }
  for (let index = 0; index < steps.length; ) {
    const step = steps[index]!;
    const answer = await askStep(options, steps, index, args);
    switch (answer.kind) {
      case 'cancel':
      case 'decline':
        return undefined;
      case 'back':
        index -= 1;
        break;
      case 'json':
        return options.editAll('value' in answer ? withValue(args, step.path, answer.value) : args);
      case 'value':
      case 'run':
        args = withValue(args, step.path, answer.value);
        index = answer.kind === 'run' ? steps.length : index + 1;
    }
  }
  return schemaProblem(options.schema, args) ? options.editAll(args) : args;
}

async function askStep(
  options: ToolFormOptions,
  steps: readonly FormStep[],
  index: number,
  args: Arguments,
): Promise<StepAnswer> {
  const step = steps[index]!;
  const before = valueAt(args, step.path);
  const answer = await askField({
    title: options.title,
    step,
    current: before ?? step.default,
    number: index + 1,
    total: steps.length,
    canRun: index + 1 < steps.length && steps.slice(index + 1).every(({ required }) => !required),
  });
  if (answer !== 'edit') return answer;
  const name = visible(step.path.join('.'), 80);
  const edited = await options.editOne(name, (step as { schema: JsonSchema }).schema, before ?? step.default ?? {});
  if (edited) return { kind: 'value', value: edited.value };
  return { kind: index > 0 ? 'back' : 'cancel' };
}
