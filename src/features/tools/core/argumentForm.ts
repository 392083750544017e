import { indentedJson, isObject, placeOf } from '../../../base/json';
import { type Phrase, phrase } from '../../../base/phrase';
import { parseJson } from './enteredText';
import { coerce, countProblem, emptyOf, optionsOf, textFor } from './fieldChecks';
import type { FromItemPage } from './itemPageMessages';
import type { JsonSchema, Option } from './schemaFields';
import { type FormStep, formOf, valueAt, withValue } from './schemaForm';

type Arguments = Record<string, unknown>;

/** Beyond this many questions the form is JSON alone. */
const MAX_FIELDS = 300;

/** Parts of what the schema objects to beyond which no more are shown at their fields. */
const MAX_PROBLEMS = 100;

/** The person's input in a field: a text, or some of its choices. */
type FieldInput = { readonly text: string } | { readonly chosen: readonly number[] };

interface FieldState {
  readonly text: string;
  /** Indexes of the chosen options. */
  readonly chosen: readonly number[];
  readonly problem?: Phrase | string;
  /** Nothing is there though something has to be: no fault before the person wants to run it. */
  readonly isMissing?: boolean;
}

/** The arguments of a call as a form and as JSON, each showing changes of the other. What can't be read is kept. */
export class ArgumentForm {
  /** Empty for a schema that no form can express: `json` is all then. */
  readonly steps: readonly FormStep[];
  /** Why there is no form though there are arguments. */
  readonly isJsonOnly: boolean;
  #args: Arguments;
  /** Texts of fields that are not those of their values. */
  readonly #typed = new Map<number, string>();
  #json: string | undefined;
  #jsonProblem: Phrase | undefined;
  #schemaProblem: string | undefined;

  constructor(
    readonly schema: JsonSchema,
    initial: Arguments | undefined,
    private readonly schemaProblem: (schema: JsonSchema, value: unknown) => string | undefined,
    takesNull = true,
  ) {
    const steps = formOf(schema, { maxSteps: MAX_FIELDS, takesNull });
    this.isJsonOnly = steps[0]?.path.length === 0;
    this.steps = this.isJsonOnly ? [] : steps;
    this.#args = initial ?? this.#beginning();
  }

  get args(): Arguments {
    return this.#args;
  }

  /** The JSON beside the form. */
  get json(): string {
    return this.#json ?? indentedJson(this.#args);
  }

  get jsonProblem(): Phrase | undefined {
    return this.#jsonProblem;
  }

  /** The schema's problem with otherwise valid arguments; known after `check`. */
  get wholeProblem(): string | undefined {
    return this.#schemaProblem;
  }

  get fields(): FieldState[] {
    const problems = this.#schemaProblem?.replace(/\.$/, '').split('; ', MAX_PROBLEMS) ?? [];
    return this.steps.map((step, index) => {
      const field = this.#field(step, index);
      const named = problems.filter(problem => isAt(problem, placeOf(step.path))).join('; ');
      return field.problem === undefined && named !== '' ? { ...field, problem: `${named}.` } : field;
    });
  }

  /** Takes over what a page says was edited. False: it says something else. */
  take(sent: FromItemPage): sent is Extract<FromItemPage, { readonly edit: number }> {
    if (sent.type === 'field') this.setField(sent.index, { text: sent.text });
    else if (sent.type === 'choice') this.setField(sent.index, { chosen: sent.chosen });
    else if (sent.type === 'json') this.setJson(sent.text);
    else return false;
    return true;
  }

  setField(index: number, input: FieldInput): void {
    const step = this.steps[index];
    if (!step || ('text' in input && optionsOf(step))) return;
    this.#schemaProblem = undefined;
    // JSON that can't be read is given up for what the fields say, as they are what the person edits now.
    this.#json = this.#jsonProblem = undefined;
    if ('chosen' in input) {
      this.#typed.delete(index);
      this.#args = withValue(this.#args, step.path, chosenValue(step, input.chosen));
      return;
    }
    const read = coerce(step, input.text);
    this.#args = withValue(this.#args, step.path, 'value' in read ? read.value : undefined);
    this.#typed.set(index, input.text);
  }

  setJson(text: string): void {
    this.#schemaProblem = undefined;
    this.#json = text;
    this.#jsonProblem = undefined;
    const read = parseJson(text);
    if ('problem' in read) this.#jsonProblem = read.problem;
    else if (isObject(read.value)) {
      this.#args = read.value;
      this.#typed.clear();
    } else this.#jsonProblem = phrase('The arguments of a tool are a JSON object.');
  }

  /** Replaces all arguments, as by those of an earlier call. */
  setArguments(args: Arguments): void {
    this.setJson(indentedJson(args));
  }

  /** Whether the arguments can be sent. The schema as a whole objects only if no field does. */
  check(): boolean {
    this.#schemaProblem = undefined;
    if (this.#jsonProblem || this.fields.some(({ problem }) => problem)) return false;
    this.#schemaProblem = this.schemaProblem(this.schema, this.#args);
    return this.#schemaProblem === undefined;
  }

  #field(step: FormStep, index: number): FieldState {
    const value = valueAt(this.#args, step.path);
    const options = optionsOf(step);
    const isLeftOut = value === null && step.nullable && step.kind !== 'union' && !this.#typed.has(index);
    if (isLeftOut && !options?.some(option => option.value === null)) return { text: '', chosen: [] };
    if (options) return choiceState(step, options, value);
    const text = this.#typed.get(index) ?? textFor(step, value);
    if (step.kind === 'record' && step.required && value === undefined && text === '')
      return { text, chosen: [], problem: phrase('A value is required.'), isMissing: true };
    const read = coerce(step, text);
    const isMissing = text.trim() === '' && step.required;
    return { text, chosen: [], ...('problem' in read && { problem: read.problem }), ...(isMissing && { isMissing }) };
  }

  #beginning(): Arguments {
    let args: Arguments = this.isJsonOnly ? scaffold(this.schema) : {};
    for (const step of this.steps) {
      // A record without rows is a value, which nothing that the person does would enter.
      const value = step.default ?? (step.kind === 'record' && step.required ? {} : undefined);
      if (value !== undefined) args = withValue(args, step.path, value);
    }
    return args;
  }
}

/** Whether a problem is about the value at a place, or about a part of it. */
const isAt = (problem: string, place: string): boolean =>
  problem.startsWith(place) && /^[ :.[]/.test(problem.slice(place.length));

/** Whether any number of its choices can be taken. */
const takesSeveral = ({ kind }: FormStep): boolean => kind === 'list';

function chosenValue(step: FormStep, chosen: readonly number[]): unknown {
  const values = chosen.flatMap(index => optionsOf(step)?.slice(index, index + 1) ?? []).map(({ value }) => value);
  if (!takesSeveral(step)) return values[0];
  return values.length === 0 && !step.required ? undefined : values;
}

function choiceState(step: FormStep, options: readonly Option[], value: unknown): FieldState {
  const values = takesSeveral(step) && Array.isArray(value) ? value : value === undefined ? [] : [value];
  const indexes = new Map(options.map((option, index) => [JSON.stringify(option.value), index] as const).reverse());
  const chosen = values.map(one => indexes.get(JSON.stringify(one)) ?? -1);
  const state = { text: '', chosen: chosen.filter(index => index >= 0) };
  if (chosen.some(index => index < 0))
    return { ...state, problem: phrase('The JSON has a value that is not one of the choices.') };
  if (value === undefined && step.required && !takesSeveral(step))
    return { ...state, problem: phrase('A value is required.'), isMissing: true };
  const wrongCount = step.kind === 'list' && (value !== undefined || step.required);
  const problem = wrongCount ? countProblem(step, state.chosen.length) : undefined;
  return problem ? { ...state, problem, ...(state.chosen.length === 0 && { isMissing: true }) } : state;
}

/** The initial JSON of a call: required values with their default, their only choice or an empty value. */
export function scaffold(inputSchema: JsonSchema): Record<string, unknown> {
  let args: Record<string, unknown> = {};
  for (const step of formOf(inputSchema)) {
    const value = step.default ?? (step.required ? emptyOf(step) : undefined);
    if (value !== undefined && step.path.length > 0) args = withValue(args, step.path, value);
  }
  return args;
}
