/** Files of notebooks: the editor runs the scripts in what one has as its output, so none of a server is opened as such. */
const NOTEBOOK = /\.(ipynb|dib|knb|nnb|sqlbook|rest-book|github-issues|bkr|ojsnb|apexnb|kustonb|knx|csnb|wlnb|vsnb)$/i;

/** Whether the editor opens a file of this name as a notebook. */
export const isOfNotebook = (fileName: string): boolean => NOTEBOOK.test(fileName);
