/** A web window compares no server with a registry. */
export const listRegistry = async (): Promise<[]> => [];
