/** Web windows start no programs. */
export const programProblems = (): readonly never[] => [];
