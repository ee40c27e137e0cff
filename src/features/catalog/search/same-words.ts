import type { Deps } from '../../../deps.ts'
import { readSameWords, type SameWords } from '../../../domain/listings/everyday-words.ts'
import { settingsOf } from '../../settings/reader.ts'

/** The words that mean the same in this store; the same object until the setting changes. */
export function createSameWordsReader(deps: Deps): () => SameWords {
  const settings = settingsOf(deps)
  let known: { groups: readonly (readonly string[])[]; sameWords: SameWords } | null = null
  return () => {
    const groups = settings.storefront().settings.synonyms
    if (known?.groups !== groups) known = { groups, sameWords: readSameWords(groups) }
    return known.sameWords
  }
}
