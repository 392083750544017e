/** Web windows run no programs, and do not offer this. */
export async function newServer(): Promise<void> {}
