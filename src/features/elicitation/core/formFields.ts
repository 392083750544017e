import { isSecretName } from '../../../base/secretWords';
import { visible, visibleLines } from '../../../base/text';
import { MAX_FIELDS, schemaProblem } from '../../../host';
import { type FormStep, formOf, type JsonSchema, valueAt, withValue } from '../../tools';

export type Content = Record<string, unknown>;

/** One field of a server's form. */
export interface FormField {
  readonly step: FormStep;
  readonly name: string;
  /** For people: its title, or its name. */
  readonly label: string;
  /** Whether it seems to be for a secret, which servers must not ask for in a form. */
  readonly isSecret: boolean;
}

/** The fields of a form, in its order. A default that does not fit is ignored. `formProblem` has passed the schema. */
export function fieldsOf(schema: JsonSchema): FormField[] {
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>;
  return formOf(schema, MAX_FIELDS).map(step => {
    const name = step.path[0] ?? '';
    const { default: initial, ...rest } = step;
    const fits = initial !== undefined && schemaProblem(properties[name] ?? {}, initial) === undefined;
    return {
      step: fits ? step : (rest as FormStep),
      name,
      label: visible(step.title || name, 60),
      isSecret: step.kind === 'string' && (isSecretName(name) || isSecretName(step.title ?? '')),
    };
  });
}

/** The defaults of a form: what it begins with. */
export function defaultsOf(fields: readonly FormField[]): Content {
  return fields.reduce<Content>(
    (content, { step }) => (step.default === undefined ? content : withValue(content, step.path, step.default)),
    {},
  );
}

/** The same for a page, where what is sent is what can be seen: defaults with hidden characters are left out. */
export const visibleDefaults = (fields: readonly FormField[]): Content =>
  defaultsOf(
    fields.filter(({ step }) => typeof step.default !== 'string' || visibleLines(step.default) === step.default),
  );

/** In place of what should not be on a screen. */
export const SECRET = '••••';
/** Wider rows are cut by the list, however wide the window. */
const MAX_ROW = 60;

/** Whether rows of the summary show all of what would be sent: what is long, or has gaps and line breaks in it, does not fit. */
export const fitsSummary = (fields: readonly FormField[], content: Content): boolean =>
  fields.every(({ step, isSecret }) => {
    const value = valueAt(content, step.path);
    const texts = (Array.isArray(value) ? value : [value]).filter(one => typeof one === 'string');
    // Shown titles stand for what the form itself offers.
    const isChoice = step.kind === 'choice' || (step.kind === 'list' && step.items.kind === 'choice');
    const isPlain = (text: string) => visible(text, MAX_ROW) === text && !/ {3}/.test(text);
    return isSecret || isChoice || (texts.every(isPlain) && texts.join(', ').length <= MAX_ROW);
  });

/** A value as a row of the summary shows it, with the titles of choices. */
export function valueText({ step, isSecret }: FormField, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (isSecret) return SECRET;
  const field = step.kind === 'list' ? step.items : step;
  const label = (one: unknown) =>
    (field.kind === 'choice' && field.options.find(option => option.value === one)?.label) || String(one);
  return visible(Array.isArray(value) ? value.map(label).join(', ') : label(value), 200);
}
