/** Nothing is installed in a web window, which runs no programs. */
const nothing = async (): Promise<undefined> => undefined;

export const runningPackage = nothing;
export const cachedPackage = nothing;
export const imageDigest = nothing;
export const registryVersion = nothing;

export const fetchedVersions = async (): Promise<Record<string, string>> => ({});
