/**
 * RFC 6266: an ASCII name for old clients and the real one as UTF-8. Clients disagree on quotes, backslashes,
 * percent signs and control characters, so the ASCII name omits them.
 */
export function attachmentDisposition(filename: string): string {
  const name = filename.toWellFormed()
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]|["\\%/]/gu, '_')
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeExtended(name)}`
}

/** RFC 5987 allows fewer characters than encodeURIComponent leaves unescaped. */
function encodeExtended(value: string): string {
  return encodeURIComponent(value).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}
