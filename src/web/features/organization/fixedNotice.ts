/** A web window reads no file that could fix a setting. */
export async function noticeFixed(): Promise<void> {}
