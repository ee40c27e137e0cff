import type { IndexedDocument } from '../../../../db/schema/search.ts'
import type { SearchPackage } from '../../../../domain/listings/search-document.ts'
import { wordsOf } from '../../../../lib/text/search-words.ts'
import type { PackageFilter, PackageSort } from '../../search-engine.ts'
import type { Bitset } from '../index/bitset.ts'
import { jsonSection, type NextSection, readJson, type Section } from '../snapshots/snapshot-file.ts'

interface Entry extends SearchPackage {
  uid: string
  license: string
  published: number
  /** The words that searches look at, each after a space. */
  words: string
}

type Compare = (left: Entry, right: Entry) => number

const COMPARE: Readonly<Record<PackageSort['by'], Compare>> = {
  released: (left, right) => left.released_at - right.released_at,
  published: (left, right) => left.published - right.published,
  title: (left, right) => compareTexts(left.title, right.title),
  license: (left, right) =>
    compareTexts(left.license, right.license) || compareTexts(left.title, right.title),
  rating: (left, right) => left.rating - right.rating,
}

/** The editor packages by document id: few among all listings, so each search scans them. */
export class Packages {
  readonly #entries = new Map<number, Entry>()

  /** Returns whether the package changed. */
  set(id: number, uid: string, document: IndexedDocument | null): boolean {
    const before = this.#entries.get(id)
    if (!document?.package) return this.#entries.delete(id)
    const { title, author } = document.package
    const entry = {
      ...document.package,
      uid,
      title: title.toLowerCase(),
      license: document.license_kind ?? '',
      published: document.published_at,
      words: [title, author, ...document.tags]
        .flatMap(wordsOf)
        .map((word) => ` ${word}`)
        .join(''),
    }
    this.#entries.set(id, entry)
    return !Bun.deepEquals(before, entry)
  }

  find({ ownedUids, author, words }: PackageFilter, found: Bitset): Bitset {
    const owned = new Set(ownedUids)
    for (const [id, entry] of this.#entries) {
      const isAllowed = entry.open || owned.has(entry.uid)
      const isBy = author === null || entry.author === author
      if (isAllowed && isBy && words.every((word) => entry.words.includes(` ${word}`))) found.add(id)
    }
    return found
  }

  save(): Section[] {
    return [jsonSection([...this.#entries])]
  }

  async restore(next: NextSection): Promise<void> {
    for (const [id, entry] of await readJson<[number, Entry][]>(next)) this.#entries.set(id, entry)
  }

  /** The listing that was created last comes first among equals, in both directions. */
  sort(ids: Iterable<number>, { by, descending }: PackageSort): number[] {
    const compare = COMPARE[by]
    const sign = descending ? -1 : 1
    return [...ids]
      .flatMap((id) => {
        const entry = this.#entries.get(id)
        return entry ? [{ id, entry }] : []
      })
      .sort((a, b) => sign * compare(a.entry, b.entry) || compareTexts(b.entry.uid, a.entry.uid))
      .map(({ id }) => id)
  }
}

function compareTexts(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
