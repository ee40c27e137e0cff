import type { Visibility } from '../../../domain/visibility.ts'
import type { ChildCard } from '../../../features/catalog/pages/browse-model.ts'
import type { Listing, PublicFile } from '../../../features/catalog/pages/listing-model.ts'
import type { Review, ReviewPage } from '../../../features/community/reviews/model.ts'
import type { PlatformHealth } from '../../../features/telemetry/health/service.ts'

/** The visitor's relation to the listing. */
export interface Standing {
  role: 'owner' | 'admin' | null
  hasLicense: boolean
  isInBeta: boolean
  review: Review | null
  playMinutes: number
  /** The tags the visitor suggested. */
  suggested: readonly string[]
}

export const STRANGER: Standing = {
  role: null,
  hasLicense: false,
  isInBeta: false,
  review: null,
  playMinutes: 0,
  suggested: [],
}

/** Everything a store page shows. */
export interface StoreData {
  listing: Listing
  visibility: Visibility
  standing: Standing
  reviews: ReviewPage
  /** The number of ratings per star, one star first. */
  histogram: readonly number[]
  health: readonly PlatformHealth[]
  betaFiles: readonly PublicFile[]
  /** Why there is nothing to download; null if there is, or never was. */
  pending: 'scanning' | 'refused' | null
  children: { items: readonly ChildCard[]; total: number }
  /** Whether the bug reporter is on. */
  takesBugs: boolean
  /** Minutes of play time required to suggest tags. */
  tagMinutes: number
}
