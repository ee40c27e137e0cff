import { NOTHING_FOLLOWED } from '../../../domain/follows.ts'
import { createContext, useContext } from '../../kit/html.ts'
import { Badge } from '../../kit/labels.tsx'

/** What the visitor of this page follows. */
export const FollowedContext = createContext(NOTHING_FOLLOWED)

/** Tells on a card that the visitor follows or wishes the listing. */
export function FollowedMarks({ uid }: { uid: string }) {
  const { games, wishes } = useContext(FollowedContext)
  if (!games.has(uid) && !wishes.has(uid)) return null
  return (
    <p class="marks">
      {games.has(uid) ? <Badge>Following</Badge> : null}
      {wishes.has(uid) ? <Badge>On your wishlist</Badge> : null}
    </p>
  )
}
