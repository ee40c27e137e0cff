import type { TakeDown, Visibility } from '../../domain/listings/visibility.ts'
import type { UnscannedBuild } from '../../features/builds/channels/stable-files.ts'
import type { ChildCard, Listing, PublicFile } from '../../features/catalog/pages/model.ts'
import type { PostBrief } from '../../features/community/posts/responses.ts'
import type { Review } from '../../features/community/reviews/model.ts'
import type { RatedReviews } from '../../features/community/reviews/service.ts'
import type { JamOfGame } from '../../features/jams/entries/list.ts'
import type { Placing } from '../../features/jams/results/service.ts'
import type { PlatformHealth } from '../../features/telemetry/health/service.ts'

/** The visitor's relation to the listing. */
export interface VisitorRelation {
  role: 'owner' | 'admin' | null
  hasLicense: boolean
  isInBeta: boolean
  review: Review | null
  playMinutes: number
  /** The tags the visitor suggested. */
  suggested: readonly string[]
  /** The editions the visitor holds; null is the listing itself. */
  held: readonly (string | null)[]
}

export const GUEST: VisitorRelation = {
  role: null,
  hasLicense: false,
  isInBeta: false,
  review: null,
  playMinutes: 0,
  suggested: [],
  held: [],
}

/** Everything a store page shows. */
export interface StoreData {
  listing: Listing
  visibility: Visibility
  /** Set while the operators have taken the page down; only its owner and they open it. */
  takenDown: TakeDown | null
  standing: VisitorRelation
  reviews: RatedReviews
  /** The pinned post and the newest ones. */
  posts: readonly PostBrief[]
  health: readonly PlatformHealth[]
  /** Its places in jams, the best first. */
  placings: readonly Placing[]
  betaFiles: readonly PublicFile[]
  /** Builds that cannot be downloaded because of the scan. */
  unscanned: readonly UnscannedBuild[]
  children: { items: readonly ChildCard[]; total: number }
  /** Whether the bug reporter is on. */
  acceptsBugReports: boolean
  /** Whether it can be bought; null in a store that sells nothing. */
  sale: { isForSale: boolean } | null
  /** The public jams that it was entered into. */
  jams: readonly JamOfGame[]
  /** Minutes of play time required to suggest tags. */
  tagMinutes: number
}
