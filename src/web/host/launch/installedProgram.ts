/** Web windows start no programs. */
export const installedPrograms = (): undefined => undefined;
