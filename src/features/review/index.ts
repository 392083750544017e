export { layOut, rowsText } from './core/reviewLayout';
export { ReviewDocuments, showWrapped } from './reviewDocuments';
export {
  askDecision,
  askWhole,
  fitsDialog,
  hasColoursOfOthers,
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
