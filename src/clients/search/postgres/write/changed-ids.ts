import { Bitset } from '../index/bitset.ts'

/** A small set of document ids that is often looked up and sometimes listed. */
export class ChangedIds {
  readonly ids: number[] = []
  readonly members = new Bitset()

  add(id: number): void {
    if (this.members.has(id)) return
    this.members.add(id)
    this.ids.push(id)
  }

  has(id: number): boolean {
    return this.members.has(id)
  }
}
