export const readManagedFile = async (): Promise<undefined> => undefined;
