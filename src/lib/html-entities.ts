const NAMED = new Map(
  Object.entries({
    ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u{a0}', shy: '\u{ad}' },
    ...{ copy: '©', reg: '®', trade: '™', deg: '°', sect: '§', para: '¶', middot: '·', bull: '•' },
    ...{ hellip: '…', ndash: '–', mdash: '—', lsquo: '‘', rsquo: '’', sbquo: '‚' },
    ...{ ldquo: '“', rdquo: '”', bdquo: '„', laquo: '«', raquo: '»', lsaquo: '‹', rsaquo: '›' },
    ...{ euro: '€', pound: '£', yen: '¥', cent: '¢', times: '×', divide: '÷', plusmn: '±', frac12: '½' },
    ...{ iexcl: '¡', iquest: '¿', larr: '←', rarr: '→', uarr: '↑', darr: '↓', hearts: '♥', infin: '∞' },
    ...{ agrave: 'à', aacute: 'á', acirc: 'â', atilde: 'ã', auml: 'ä', aring: 'å', aelig: 'æ' },
    ...{ Agrave: 'À', Aacute: 'Á', Acirc: 'Â', Atilde: 'Ã', Auml: 'Ä', Aring: 'Å', AElig: 'Æ' },
    ...{ egrave: 'è', eacute: 'é', ecirc: 'ê', euml: 'ë', Egrave: 'È', Eacute: 'É', Ecirc: 'Ê' },
    ...{
      igrave: 'ì',
      iacute: 'í',
      icirc: 'î',
      iuml: 'ï',
      ntilde: 'ñ',
      Ntilde: 'Ñ',
      ccedil: 'ç',
      Ccedil: 'Ç',
    },
    ...{ ograve: 'ò', oacute: 'ó', ocirc: 'ô', otilde: 'õ', ouml: 'ö', Ouml: 'Ö', oslash: 'ø', Oslash: 'Ø' },
    ...{ ugrave: 'ù', uacute: 'ú', ucirc: 'û', uuml: 'ü', Uuml: 'Ü', szlig: 'ß', yacute: 'ý', yuml: 'ÿ' },
  }),
)
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z][a-z\d]{1,7}));/gi
const UNKNOWN = '\u{fffd}'

/** `&amp;` and the like as the characters they stand for. What is not known stays as it is. */
export function decodeEntities(text: string): string {
  return text.replace(ENTITY, (entity, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED.get(name) ?? entity
    return fromCodePoint(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal))
  })
}

function fromCodePoint(code: number): string {
  const isCharacter = code > 0 && code <= 0x10_ff_ff && (code < 0xd8_00 || code > 0xdf_ff)
  return isCharacter ? String.fromCodePoint(code) : UNKNOWN
}
