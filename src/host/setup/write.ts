import { applyEdits, type Edit, modify, type ParseError, parse } from 'jsonc-parser';
import { findSetting, type LocateOptions } from '../settings/locate';
import { difference, formattingOf, settingPath } from '../settings/settingsEdit';
import type { SettingsAddition } from './plan';

/**
 * How servers and inputs are added to the text of a settings file. Comments and formatting elsewhere stay. Undefined when
 * the text is broken, or a setting of ours is not of its kind: it is for the person to mend.
 */
export function addToSettings(
  text: string,
  { servers, inputs }: Pick<SettingsAddition, 'servers' | 'inputs'>,
  options: LocateOptions = {},
): Edit | undefined {
  const errors: ParseError[] = [];
  parse(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [present, list] = (['servers', 'inputs'] as const).map(setting => findSetting(text, { ...options, setting }));
  if (errors.length > 0 || (present && present.type !== 'object') || (list && list.type !== 'array')) return undefined;
  const formattingOptions = formattingOf(text);
  let changed = text;
  const at = (setting: 'servers' | 'inputs') => settingPath(changed, setting, options);
  let next = list?.children?.length ?? 0;
  for (const input of inputs) {
    const edits = modify(changed, [...at('inputs'), next++], input, { isArrayInsertion: true, formattingOptions });
    changed = applyEdits(changed, edits);
  }
  for (const [name, entry] of Object.entries(servers))
    changed = applyEdits(changed, modify(changed, [...at('servers'), name], entry, { formattingOptions }));
  return difference(text, changed);
}
