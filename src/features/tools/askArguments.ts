import { isObject } from '../../base/json';
import { t } from '../../editor/window';
import { type JsonSchema, scaffold } from './core/schemaForm';
import type { RawJson } from './rawJson';
import { askToolArguments } from './toolForm';

type Arguments = Record<string, unknown>;

/**
 * Asks for arguments of something that is no tool, by the form of a tool. Undefined: the person gave up.
 * @param title what the arguments are for.
 */
export function askArguments(rawJson: RawJson, title: string, schema: JsonSchema): Promise<Arguments | undefined> {
  const action = (name: string) => t('Use for {0}', name);
  return askToolArguments({
    title,
    schema,
    editAll: async args => {
      const value = { ...scaffold(schema), ...args };
      const edited = await rawJson.edit({ name: title, schema, value, action: action(title) });
      return isObject(edited?.value) ? edited.value : undefined;
    },
    editOne: (name, schema, value) => rawJson.edit({ name: `${title} ${name}`, schema, value, action: action(name) }),
  });
}
