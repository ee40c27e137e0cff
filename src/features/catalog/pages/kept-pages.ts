import type { PreparedAnswer } from '../../../http/prepared.ts'

export interface KeptPage {
  uid: string
  /** What the page looked like to the database. */
  state: string
  answer: PreparedAnswer
  keptAt: number
}

export interface Bounds {
  pages: number
  characters: number
}

/** Pages by the name they were asked for. Past its bounds the oldest goes first. */
export class KeptPages {
  private readonly pages = new Map<string, KeptPage>()
  private characters = 0

  constructor(private readonly bounds: Bounds) {}

  get(ref: string): KeptPage | undefined {
    return this.pages.get(ref)
  }

  set(ref: string, page: KeptPage): void {
    this.drop(ref)
    this.pages.set(ref, page)
    this.characters += page.answer.body.length
    for (const oldest of this.pages.keys()) {
      if (this.pages.size <= this.bounds.pages && this.characters <= this.bounds.characters) return
      this.drop(oldest)
    }
  }

  /** A listing is known by its uid and by its name. */
  dropListing(uid: string): void {
    for (const [ref, page] of this.pages) if (page.uid === uid) this.drop(ref)
  }

  clear(): void {
    this.pages.clear()
    this.characters = 0
  }

  private drop(ref: string): void {
    const page = this.pages.get(ref)
    if (!page) return
    this.pages.delete(ref)
    this.characters -= page.answer.body.length
  }
}
