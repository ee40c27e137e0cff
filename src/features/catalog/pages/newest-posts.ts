import type { Deps } from '../../../deps.ts'
import { memoize } from '../../../lib/flow/memoize.ts'
import { listPostsAnywhere, type PostOfGame } from '../../community/posts/public-posts.ts'
import { type PostBrief, toBrief } from '../../community/posts/responses.ts'
import { hasTagOf, type LoadCards } from './cards.ts'
import type { Card } from './model.ts'

const SHOWN = 6
/** More than are shown, because some are of listings that this visitor does not see. */
const READ = 24
const LIFETIME_MS = 500

/** A post beside the listing that it is about. */
export interface PostWithCard {
  card: Card
  post: PostBrief
}

/** The newest posts, without listings that have one of these tags. */
type LoadNewestPosts = (hiddenTags: readonly string[]) => Promise<PostWithCard[]>

/**
 * For the home page. Read at most twice a second; posts that stayed as they were stay the same objects, as the cache
 * of pages compares them. Cards are confirmed before every use, so those of hidden listings vanish at once.
 */
export function createNewestPosts(deps: Deps, loadCards: LoadCards): LoadNewestPosts {
  let known = new Map<string, { gameUid: string; brief: PostBrief }>()
  const read = memoize(LIFETIME_MS, async () => {
    const found = await listPostsAnywhere(deps, null, null, READ)
    known = new Map(found.map((one) => [one.post.uid, keepKnown(one)]))
    return [...known.values()]
  })

  function keepKnown({ post, game }: PostOfGame) {
    const brief = toBrief(post)
    const before = known.get(post.uid)
    return before && Bun.deepEquals(before.brief, brief) ? before : { gameUid: game.uid, brief }
  }

  return async (hiddenTags) => {
    const posts = await read()
    const cards = await loadCards([...new Set(posts.map(({ gameUid }) => gameUid))])
    const seen = new Map(
      cards.filter((card) => !card.adult && !hasTagOf(card, hiddenTags)).map((card) => [card.uid, card]),
    )
    const rows = posts.flatMap(({ gameUid, brief }) => {
      const card = seen.get(gameUid)
      return card ? [{ card, post: brief }] : []
    })
    return rows.slice(0, SHOWN)
  }
}
