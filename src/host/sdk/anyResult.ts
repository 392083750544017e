import type { StandardSchemaV1 } from '@modelcontextprotocol/client';
import { isObject } from '../../base/json';

/** Accepts any result: whoever asked checks what they use of it. */
export const anyResult = {
  '~standard': { version: 1 as const, vendor: 'mcp-host', validate: (value: unknown) => ({ value }) },
};

/** Accepts any object. Its members are checked one by one, because a bad one must not take the others down. */
export const anyObject: StandardSchemaV1<unknown, Record<string, unknown>> = {
  '~standard': {
    version: 1,
    vendor: 'mcp-host',
    validate: value => (isObject(value) ? { value } : { issues: [{ message: 'it is not an object' }] }),
  },
};
