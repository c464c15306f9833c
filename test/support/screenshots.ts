/** Whether pictures are to be written. */
export const updatesScreenshots = (): boolean => process.env.UPDATE_SCREENSHOTS === '1';
