export { layOut, rowsText } from './core/reviewLayout';
export { ReviewDocuments, showWrapped } from './reviewDocuments';
export {
  askConsent,
  askDecision,
  askWhole,
  fitsDialog,
  inQuestion,
  isDrawnByOthers,
  isDrawnByWorkspace,
  markWords,
  type OpenWholePage,
  openWholePage,
  quotedJson,
  quotedRows,
  type WholeText,
  withSpaces,
} from './wholePage';
