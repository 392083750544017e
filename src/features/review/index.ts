export { layOut, rowsText } from './core/reviewLayout';
export { ReviewDocuments, showWrapped } from './reviewDocuments';
export {
  askWhole,
  fitsDialog,
  inQuestion,
  isDrawnByWorkspace,
  markWords,
  type OpenWholePage,
  openWholePage,
  quotedJson,
  quotedRows,
  type WholeText,
  withSpaces,
} from './wholePage';
