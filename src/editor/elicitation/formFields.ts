import { MAX_FIELDS } from '../../host/elicitation/formLimits';
import { isSecretName } from '../../host/settings/secretWords';
import { visible } from '../../host/text';
import type { JsonSchema, SchemaProblem } from '../tools/schema';
import { type FormStep, formOf, withValue } from '../tools/schemaForm';

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

/** The fields of a form, in its order. A default that does not fit is none. `formProblem` has passed the schema. */
export function fieldsOf(schema: JsonSchema, schemaProblem: SchemaProblem): FormField[] {
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

/** A value as a row of the summary shows it, with the titles of choices. */
export function valueText({ step, isSecret }: FormField, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (isSecret) return '••••';
  const field = step.kind === 'list' ? step.items : step;
  const label = (one: unknown) =>
    (field.kind === 'choice' && field.options.find(option => option.value === one)?.label) || String(one);
  return visible(Array.isArray(value) ? value.map(label).join(', ') : label(value), 200);
}
