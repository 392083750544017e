/** What the editor's policy refuses says so at its start. */
export const rulesForNew = async (): Promise<undefined> => undefined;
