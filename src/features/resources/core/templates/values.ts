import type { TemplateValue, TemplateVariable } from './uriTemplate';

/**
 * What a person typed for a variable as a value. One that takes several is split at commas, or at slashes where there is
 * no comma; `a=1, b=2` are pairs.
 */
export function templateValue({ several }: TemplateVariable, typed: string): TemplateValue {
  if (!several) return typed;
  const members = typed
    .split(typed.includes(',') ? ',' : '/')
    .map(member => member.trim())
    .filter(member => member !== '');
  const pairs = members.map(member => /^([^=]+)=(.*)$/s.exec(member)).filter(match => match !== null);
  if (pairs.length === 0 || pairs.length < members.length) return members;
  return Object.fromEntries(pairs.map(([, name, value]) => [name!, value!]));
}

/** All that was typed, as values by name; what was left empty has none. */
export function templateValues(
  variables: readonly TemplateVariable[],
  typed: Readonly<Record<string, string>>,
): Record<string, TemplateValue> {
  const filled = variables.filter(({ name }) => Object.hasOwn(typed, name) && typed[name] !== '');
  return Object.fromEntries(filled.map(variable => [variable.name, templateValue(variable, typed[variable.name]!)]));
}
