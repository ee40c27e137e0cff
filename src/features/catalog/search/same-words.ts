import type { Config } from '../../../config/config.ts'
import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { readSameWords, type SameWords } from '../../../domain/listings/everyday-words.ts'
import { settingsOf } from '../../settings/reader.ts'
import { loadSettings } from '../../settings/service.ts'

/** For another engine, which has to be told. */
export async function loadSameWords(config: Config, db: Db): Promise<SameWords> {
  return readSameWords((await loadSettings({ config }, db)).settings.synonyms)
}

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
