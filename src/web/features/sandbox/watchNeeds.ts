/** Nothing is started in a browser. */
export const watchNeeds = async (): Promise<void> => {};
