import type { Visit } from '../../../http/visit.ts'
import { FollowButtons } from '../../components/follows/follow-buttons.tsx'
import type { StoreData } from '../store-data.ts'

/** The wishlist is for what costs something or is not released yet, and for what is on it already. */
export function StoreFollow({ visit, store }: { visit: Visit; store: StoreData }) {
  const { listing, standing } = store
  const { games, wishes } = visit.followed
  if (standing.role !== null) return null
  const isWished = wishes.has(listing.uid)
  const isAwaited = !listing.price.free || listing.status !== 'released'
  const canWish = isWished || (isAwaited && !standing.hasLicense)
  return (
    <FollowButtons
      visit={visit}
      action={`/games/${listing.vanity_name}/follow`}
      name={listing.name}
      isFollowed={games.has(listing.uid)}
      isWished={canWish ? isWished : null}
    />
  )
}
