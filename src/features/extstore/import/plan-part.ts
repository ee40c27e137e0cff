import type { PressKitValue } from '../../../domain/listings/press-kit.ts'
import type { ListingPatch } from '../../listings/page/model.ts'
import type { Skipped } from './model.ts'

/** A part of a plan: the fields to write, and the fields that are skipped. */
export interface Part {
  patch?: ListingPatch
  press?: Partial<PressKitValue>
  storeLink?: string
  /** URLs at the store, for the report. */
  images?: { cover: string; thumbnail: string; gallery: string[] }
  skipped?: Skipped[]
}

export function skip(field: string, reason: string): Part {
  return { skipped: [{ field, reason }] }
}
