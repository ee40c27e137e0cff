import { namesOfLanguage } from '../../../src/domain/listings/languages.ts'
import type { SearchDocument } from '../../../src/domain/listings/search-document.ts'
import { wordsOf } from '../../../src/lib/text/search-words.ts'

/** The tags and languages of these documents, for reading the words of a search. */
export function knownWordsOf(documents: readonly SearchDocument[]) {
  const tags = new Set(documents.flatMap((document) => document.tags))
  const languages = [...new Set(documents.flatMap((document) => document.languages))]
  return {
    isTag: (slug: string) => tags.has(slug),
    languagesNamed: (words: readonly string[]) =>
      languages.filter((tag) =>
        namesOfLanguage(tag).some((name) => wordsOf(name).join(' ') === words.join(' ')),
      ),
  }
}
