/**
 * Letters that look like others, as people would mistake them: of Cyrillic, Greek and Armenian, and Latin ones with
 * strokes. Unicode's table of confusables has thousands more, nearly all of which NFKD already turns into plain ones.
 */
const LOOKS: readonly [looks: string, like: string][] = [
  ['АВСЕНІЈКМОРЅТУХавсенһіјкморѕтухԁԛԝѵӏгпь', 'ABCEHIJKMOPSTYXabcehhijkmopstyxdqwvlrnb'],
  ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαβικνορτυχγω', 'ABEZHIKMNOPTYXabikvoptuxyw'],
  ['օոսհզյցք', 'onuhqjgp'],
  ['ıłøđħɡɑʟ', 'llodhgal'],
]
const PLAIN: ReadonlyMap<string, string> = new Map(
  LOOKS.flatMap(([looks, like]) => {
    const letters = Array.from(like)
    return Array.from(looks).map((letter, index) => [letter, letters[index] ?? letter] as const)
  }),
)

/** What remains alike among lower-case letters and digits, in this order. Postgres applies the same to usernames. */
export const FOLDS = [
  ['-', ''],
  ['0', 'o'],
  ['1', 'l'],
  ['i', 'l'],
  ['5', 's'],
  ['rn', 'm'],
  ['vv', 'w'],
] as const

/** The same text for names that look alike; may be empty. Marks, spaces and invisible characters do not count. */
export function skeletonOf(name: string): string {
  const plain = Array.from(
    name.normalize('NFKD').replace(/\p{M}/gu, ''),
    (letter) => PLAIN.get(letter) ?? letter,
  )
  const letters = plain
    .join('')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
  return FOLDS.reduce((text, [from, to]) => text.replaceAll(from, to), letters)
}
