/** 4, 6, or 0 for what is no IP address. */
export function isIP(text: string): 0 | 4 | 6 {
  if (/^(\d{1,3})(\.\d{1,3}){3}$/.test(text)) return text.split('.').every(part => Number(part) < 256) ? 4 : 0;
  return text.includes(':') && URL.canParse(`http://[${text}]/`) ? 6 : 0;
}
