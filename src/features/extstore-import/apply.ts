import type { Transaction } from '../../db/client.ts'
import type { Deps } from '../../deps.ts'
import type { WebsiteUser } from '../../lib/actor.ts'
import type { PressKitValue } from '../../lib/press-kit.ts'
import { type GameRow, markEdited } from '../game-access/service.ts'
import { type NewImages, replaceImages } from '../images/service.ts'
import { changePage } from '../listing-check/service.ts'
import { patchListing } from '../listings/service.ts'
import { changePressKit } from '../press/service.ts'
import { linkStorePage } from '../store-links/service.ts'
import { mergeTeam } from './plan-press.ts'
import type { Plan } from './plan.ts'

/** Writes all of the plan on a locked page, or nothing: a public page takes no import that would fail its check. */
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
