import type { ServerId } from './definition';

const TESTS = 'mcptest ';

/** The id of the server that a test file describes. */
export const testId = (path: string): ServerId => `${TESTS}${path}`;

export const isTestId = (id: ServerId): boolean => id.startsWith(TESTS);
