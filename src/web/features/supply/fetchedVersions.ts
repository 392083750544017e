/** Nothing is fetched in a web window, which runs no programs. */
export const fetchedVersions = async (): Promise<Record<string, string>> => ({});
