import { isObject } from '../../../base/json';
import type { ServerConnection } from '../../../host';

/** What a server declares when it serves skills (SEP-2640, repository ext-skills). */
const EXTENSION = 'io.modelcontextprotocol/skills';

/** Whether the ready server serves skills. Only then is it asked for any. */
export const servesSkills = ({ info }: Pick<ServerConnection, 'info'>): boolean =>
  isObject(info?.capabilities.extensions?.[EXTENSION]);
