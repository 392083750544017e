/** Agents run on a machine. The command is hidden in a web window. */
export async function shareServers(): Promise<void> {}
