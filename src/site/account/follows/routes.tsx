import type { Deps } from '../../../deps.ts'
import { seesAdult, type WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import type { FollowWindow } from '../../../features/catalog/followed/model.ts'
import {
  listFollowedDevelopers,
  listFollowedGames,
  listSharedWishes,
} from '../../../features/catalog/followed/service.ts'
import { DeveloperFollowInput, GameFollowInput } from '../../../features/community/follows/model.ts'
import {
  findChoices,
  followDeveloper,
  followGame,
  pressButton,
  unfollowDeveloper,
} from '../../../features/community/follows/service.ts'
import {
  findShareUrl,
  openShared,
  shareWishlist,
  stopSharing,
} from '../../../features/community/follows/shares.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { type Page, paged, parsePage } from '../../../lib/paging.ts'
import { checked, readForm } from '../../kit/form-state.ts'
import { type Act, atPage, ownPages, type PageContext, publicPages, type ShowPage } from '../../kit/pages.ts'
import { FollowingPage } from './following-page.tsx'
import { SharedWishlistPage, WishlistPage } from './wishlist-page.tsx'

const { view, submit } = ownPages
const written = () => ({ page: true, limit: 'account_write' }) as const

const FIRST = parsePage({})
const windowOf = ({ page_size: limit, offset }: Page): FollowWindow => ({ limit, offset })

/** What a person follows and wishes, and the wishlists that others share. */
export function followPages(kit: HttpKit, deps: Deps) {
  const showFollowing: ShowPage<WebsiteUser> = async (user, context) => {
    const state = atPage(context, '/following')
    const kind = state.query.kind === 'developers' ? 'developers' : 'games'
    const page = parsePage(state.query)
    const [gamePage, developerPage] = kind === 'games' ? [page, FIRST] : [FIRST, page]
    const [games, developers] = await Promise.all([
      listFollowedGames(deps, user, 'follows', windowOf(gamePage)),
      listFollowedDevelopers(deps, user, windowOf(developerPage)),
    ])
    const lists = {
      games: paged(gamePage, games.items, games.total),
      developers: paged(developerPage, developers.items, developers.total),
    }
    return <FollowingPage {...{ state, kind, ...lists }} />
  }

  const changeGame: Act<WebsiteUser> = async (user, form, { params: { uid = '' } }) => {
    if (form.get('act') === 'stop') {
      await pressButton(deps, user, uid, 'unfollow')
      return '/following?done=stopped'
    }
    requireSave(form)
    const choices = readForm(GameFollowInput, form, { releases: checked, posts: checked, wish: leftOut })
    const known = await findChoices(deps.db, user, uid)
    await followGame(deps, user, uid, {
      ...choices,
      wish: known?.wish ?? false,
      position: known?.position ?? null,
    })
    return '/following?done=saved'
  }

  const changeDeveloper: Act<WebsiteUser> = async (user, form, { params: { uid = '' } }) => {
    if (form.get('act') === 'stop') {
      await unfollowDeveloper(deps, user, uid)
      return '/following?kind=developers&done=stopped'
    }
    requireSave(form)
    const choices = readForm(DeveloperFollowInput, form, { new_games: checked, posts: checked })
    await followDeveloper(deps, user, uid, choices)
    return '/following?kind=developers&done=saved'
  }

  const showWishlist: ShowPage<WebsiteUser> = async (user, context) => {
    const state = atPage(context, '/wishlist')
    const page = parsePage(state.query)
    const [{ items, total }, shareUrl] = await Promise.all([
      listFollowedGames(deps, user, 'wishes', windowOf(page)),
      findShareUrl(deps, user.userUid),
    ])
    return <WishlistPage {...{ state, shareUrl }} wishes={paged(page, items, total)} />
  }

  const changeWish: Act<WebsiteUser> = async (user, form, { params: { uid = '' } }) => {
    if (form.get('act') === 'remove') {
      await pressButton(deps, user, uid, 'unwish')
      return '/wishlist?done=removed'
    }
    const { position } = readForm(GameFollowInput, form, { releases: leftOut, posts: leftOut })
    const known = await findChoices(deps.db, user, uid)
    if (!known?.wish) throw new AppError('not_found')
    const { releases, posts, platforms } = known
    await followGame(deps, user, uid, { releases, posts, platforms, wish: true, position: position ?? null })
    return '/wishlist?done=moved'
  }

  const share: Act<WebsiteUser> = async ({ userUid }, form) => {
    const act = form.get('act')
    if (act === 'share') await shareWishlist(deps, userUid)
    else if (act === 'stop') await stopSharing(deps, userUid)
    else throw new AppError('invalid_request', { message: 'Choose to share it or to stop.' })
    return `/wishlist?done=${act === 'share' ? 'shared' : 'ended'}#share`
  }

  const showShared: ShowPage = async (actor, { visit, params, query }: PageContext) => {
    const { uid, person } = await openShared(deps, params.token ?? '')
    const page = parsePage(query)
    const { items, total } = await listSharedWishes(deps, uid, seesAdult(actor), windowOf(page))
    const wishes = paged(page, items, total)
    return { page: <SharedWishlistPage {...{ visit, person, wishes }} />, isSecret: true }
  }

  return createRoutes(kit, { name: 'follow-pages' })
    .get('/following', view(showFollowing), { page: true })
    .post('/following/games/:uid', submit('following', changeGame, showFollowing), written())
    .post('/following/developers/:uid', submit('following', changeDeveloper, showFollowing), written())
    .get('/wishlist', view(showWishlist), { page: true })
    .post('/wishlist/games/:uid', submit('wishlist', changeWish, showWishlist), written())
    .post('/wishlist/share', submit('share', share, showWishlist), written())
    .get('/wishlist/:token', publicPages.view(showShared), { page: true, limit: 'account_reads' })
}

const leftOut = () => undefined

function requireSave(form: URLSearchParams): void {
  if (form.get('act') !== 'save')
    throw new AppError('invalid_request', { message: 'Choose to save or to stop following.' })
}
