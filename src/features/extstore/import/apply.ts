import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import type { PressKitValue } from '../../../domain/listings/press-kit.ts'
import { type GameRow, markEdited } from '../../games/service.ts'
import { changePage } from '../../listings/check/service.ts'
import { type NewImages, replaceImages } from '../../listings/images/service.ts'
import { patchListing } from '../../listings/page/service.ts'
import { changePressKit } from '../../listings/press/service.ts'
import { linkStorePage } from '../../listings/store-links/service.ts'
import { mergeTeam } from './plan-press.ts'
import type { Plan } from './plan.ts'

/** All or nothing, on a locked page: an import that makes a public page fail its check is rolled back. */
export async function applyPlan(
  deps: Deps,
  tx: Transaction,
  user: WebsiteUser,
  game: GameRow,
  appId: number,
  plan: Plan,
  images: NewImages | null,
): Promise<void> {
  await changePage(tx, game, async () => {
    await patchListing(tx, user, game, plan.patch)
    if (images) await replaceImages(deps, tx, game.uid, images)
    if (Object.keys(plan.press).length > 0) {
      await changePressKit(tx, game.uid, (kit) => mergeKit(kit, plan.press))
    }
    if (plan.storeLink !== null) await linkStorePage(tx, game, appId)
  })
  await markEdited(tx, game.uid)
}

function mergeKit(current: PressKitValue, { team, ...rest }: Partial<PressKitValue>): PressKitValue {
  return { ...current, ...rest, ...(team && { team: mergeTeam(current.team, team) }) }
}
