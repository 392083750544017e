/** Web windows run no programs. */
export async function runProgram(): Promise<undefined> {}
