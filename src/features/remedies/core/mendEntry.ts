import type { Edit } from 'jsonc-parser';
import type { Remedy } from '../../../host';
import type { ServerDefinition } from '../../../host/definition';
import type { InputDefinition } from '../../../host/settings';
import { type LocateOptions, settingsFixes } from '../../settings';
import { appendToUrl, headerToInput, setField, variableToInput } from './entryEdits';

/** How a remedy changes settings. */
export interface Mended {
  readonly edit: Edit;
  /** An input that the edit needs, and its value. */
  readonly input?: InputDefinition;
  readonly value?: string;
}

/**
 * The settings edits of a remedy. Undefined for one that changes none, or when the entry is not in the text.
 * @param value the person's input.
 */
export function mendEntry(
  text: string,
  { name, problems }: Pick<ServerDefinition, 'name' | 'problems'>,
  { remedy, value }: { remedy: Remedy; value: string },
  options: LocateOptions,
): Mended | undefined {
  const only = (edit: Edit | undefined) => edit && { edit };
  switch (remedy.kind) {
    case 'appendPath':
      return only(appendToUrl(text, name, '/mcp', options));
    case 'raiseLimit':
      return only(setField(text, name, { path: ['timeouts', remedy.limit], value: remedy.ms }, options));
    case 'rename': {
      const problem = problems.find(({ path }) => String(path) === String(remedy.path));
      return problem && settingsFixes(text, problem, options)[0];
    }
    case 'makeInput': {
      const made = variableToInput(text, name, remedy.variable, options);
      return made && { ...made, value };
    }
    case 'setHeader': {
      const [, header = 'Authorization', given = value] = /^([\w-]+):\s*(.*)$/s.exec(value) ?? [];
      const isBearer = header.toLowerCase() === 'authorization' && !/\s/.test(given.replace(/^bearer\s+/i, ''));
      const made = headerToInput(text, name, { header, scheme: isBearer ? 'Bearer' : '' }, options);
      return made && { ...made, value: isBearer ? given.replace(/^bearer\s+/i, '') : given };
    }
    default:
      return undefined;
  }
}

/** Whether it changes the entry of a server, instead of something around it. */
export const mendsEntry = ({ kind }: Remedy): boolean =>
  kind === 'appendPath' || kind === 'raiseLimit' || kind === 'rename' || kind === 'makeInput' || kind === 'setHeader';
