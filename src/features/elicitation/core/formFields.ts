import { asksForSecret } from '../../../base/secretWords';
import { visibleLines } from '../../../base/text';
import { MAX_FIELDS, schemaProblem } from '../../../host';
import { type FormStep, formOf, type JsonSchema, withValue } from '../../tools/core';

interface FormField {
  readonly step: FormStep;
  readonly name: string;
  /** Whether it seems to be for a secret, which servers must not ask for in a form. */
  readonly isSecret: boolean;
}

/** The fields of a form, in its order. A default that does not fit is ignored. `formProblem` has passed the schema. */
export function fieldsOf(schema: JsonSchema): FormField[] {
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>;
  return formOf(schema, { maxSteps: MAX_FIELDS, takesNull: false }).map(step => {
    const name = step.path[0] ?? '';
    const { default: initial, ...rest } = step;
    const fits = initial !== undefined && schemaProblem(properties[name] ?? {}, initial) === undefined;
    return {
      step: fits ? step : (rest as FormStep),
      name,
      isSecret: step.kind === 'string' && asksForSecret(name, step.title),
    };
  });
}

/** What a form begins with. What is sent is what can be seen: defaults with hidden characters are left out. */
export function visibleDefaults(fields: readonly FormField[]): Record<string, unknown> {
  let content = {};
  for (const { step } of fields) {
    const isVisible = typeof step.default !== 'string' || visibleLines(step.default) === step.default;
    if (step.default !== undefined && isVisible) content = withValue(content, step.path, step.default);
  }
  return content;
}
