/** How many times longer than elsewhere things may take: 1 where `TEST_PATIENCE` says nothing. */
export const patience = () => Number(process.env.TEST_PATIENCE ?? 1);
