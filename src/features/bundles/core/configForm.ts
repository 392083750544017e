import type { JsonSchema } from '../../tools';
import { type ConfigValues, withFolders } from './bundleEntry';
import type { ConfigOption } from './manifest';

/** The form that asks for a bundle's options. */
export interface ConfigForm {
  readonly schema: JsonSchema;
  readonly initial: Record<string, unknown>;
  /** Names of the fields whose text is not shown. */
  readonly secrets: readonly string[];
  /** Fields for paths, with what is chosen for them. */
  readonly paths: Readonly<Record<string, 'directory' | 'file'>>;
}

/**
 * @param earlier the values of the version that is replaced.
 * @param kept secret options that have a value already, which an empty field keeps.
 * @param folders what the variables of defaults stand for.
 */
export function configForm(
  options: readonly ConfigOption[],
  {
    earlier = {},
    kept,
    folders,
  }: { earlier?: ConfigValues; kept: ReadonlySet<string>; folders: Record<string, string> },
): ConfigForm {
  const initial = Object.fromEntries(
    options.flatMap(option => {
      const value = fitting(option, earlier[option.key]) ?? fitting(option, option.byDefault, folders);
      return value === undefined ? [] : [[option.key, value]];
    }),
  );
  const required = options.filter(({ isRequired, key }) => isRequired && !kept.has(key)).map(({ key }) => key);
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(options.map(option => [option.key, schemaOf(option)])),
      ...(required.length > 0 && { required }),
    },
    initial,
    secrets: options.filter(({ isSensitive }) => isSensitive).map(({ key }) => key),
    paths: Object.fromEntries(
      options.flatMap(({ key, type }) => (type === 'directory' || type === 'file' ? [[key, type]] : [])),
    ),
  };
}

function schemaOf(option: ConfigOption): JsonSchema {
  const { title, description, type, isMultiple, isRequired, min, max } = option;
  const about = { title, ...(description !== '' && { description }) };
  if (type === 'boolean') return { ...about, type };
  if (type === 'number') {
    return { ...about, type, ...(min !== undefined && { minimum: min }), ...(max !== undefined && { maximum: max }) };
  }
  if (isMultiple) return { ...about, type: 'array', items: { type: 'string' }, ...(isRequired && { minItems: 1 }) };
  return { ...about, type: 'string', ...(isRequired && { minLength: 1 }) };
}

/** The value if it is one for the option. */
function fitting(option: ConfigOption, value: unknown, folders: Record<string, string> = {}): unknown {
  const { type, isMultiple, isSensitive } = option;
  if (type === 'boolean' || type === 'number') return typeof value === type ? value : undefined;
  if (isSensitive) return undefined;
  const texts = (Array.isArray(value) ? value : [value])
    .filter(one => typeof one === 'string')
    .map(one => withFolders(one, folders));
  if (texts.length === 0) return undefined;
  return isMultiple ? texts : texts[0];
}
