import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { FIELD_NAMES, type FieldName, type Texts } from './listing-form.ts'

/** A field that differs between the saved page and the form. */
export interface Difference {
  name: FieldName
  theirs: string
  mine: string
  /** Whether the form left it alone: then their version is taken. */
  isTheirs: boolean
}

export interface Merged {
  texts: Texts
  differences: Difference[]
}

/** What the form started from, small enough for a hidden field: a hash of each text. */
export function writeBase(texts: Texts): string {
  return FIELD_NAMES.map((name) => hashOf(texts[name])).join(' ')
}

/** Whether nothing that the form shows was saved since it was opened. */
export function isUntouched(base: string, theirs: Texts): boolean {
  return base === writeBase(theirs)
}

/** Takes their version of every field that the form did not change, and the form's of all others. */
export function merge(base: string, theirs: Texts, mine: Texts): Merged {
  const hashes = base.split(' ')
  const differences = FIELD_NAMES.flatMap((name, index) => {
    if (theirs[name] === mine[name]) return []
    const isTheirs = hashes[index] === hashOf(mine[name])
    const isMineAlone = hashes[index] === hashOf(theirs[name])
    return isMineAlone ? [] : [{ name, theirs: theirs[name], mine: mine[name], isTheirs }]
  })
  const taken = differences.filter(({ isTheirs }) => isTheirs).map(({ name }) => [name, theirs[name]])
  return { texts: { ...mine, ...(Object.fromEntries(taken) as Partial<Texts>) }, differences }
}

function hashOf(text: string): string {
  return sha256Hex(text).slice(0, 8)
}
