import type { VNode } from 'preact'

import type { Deps } from '../../deps.ts'
import type { WebsiteUser } from '../../domain/actor.ts'
import { postPath } from '../../domain/site-urls.ts'
import { AppError } from '../../errors.ts'
import { inForm } from '../../features/catalog/downloads/apk.ts'
import type { DownloadQuery } from '../../features/catalog/downloads/model.ts'
import {
  type Downloads,
  linkForAnyone,
  linkForUser,
  parseVisit as readDownloadVisit,
  recordAttempt,
} from '../../features/catalog/downloads/service.ts'
import { BUTTONS, pressButton } from '../../features/community/follows/service.ts'
import { claimGame, joinBeta, leaveBeta } from '../../features/community/library/service.ts'
import { getPostOf, listNewsOf } from '../../features/community/posts/public-posts.ts'
import { answerReview, deleteAnswer } from '../../features/community/reviews/answers.ts'
import { AnswerInput, ReviewInput } from '../../features/community/reviews/model.ts'
import { deleteReview, loadReviewsOf, writeReview } from '../../features/community/reviews/service.ts'
import { VOTES_TO_SHOW } from '../../features/community/tags/model.ts'
import { suggestTags } from '../../features/community/tags/service.ts'
import { openPage } from '../../features/games/service.ts'
import { createCheckout } from '../../features/selling/orders/checkout.ts'
import { CheckoutInput } from '../../features/selling/orders/model.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { atAddress, type Visit } from '../../http/visit.ts'
import type { Keyring } from '../../lib/keyring.ts'
import { parsePage } from '../../lib/paging.ts'
import { noticeOf } from '../components/notice.tsx'
import { splitList } from '../kit/field-words.ts'
import { checkForm, dollars, lines, maybeText, readForm, textOf, toRefusal } from '../kit/form-state.ts'
import { getPath } from '../kit/next.ts'
import {
  type Act,
  ownPages,
  type PageContext,
  publicPages,
  type ShowPage,
  signInPathTo,
} from '../kit/pages.ts'
import type { ShowOptions } from '../kit/render.ts'
import { PostPage } from './page/posts.tsx'
import { StorePage } from './page/store-page.tsx'
import { FilesPage, NewsPage, ReviewsPage } from './page/tab-pages.tsx'
import { loadStore, type StoreCache } from './read-store.ts'
import { refusedStatus } from './refused-status.ts'
import type { StoreData } from './store-data.ts'

/** The messages shown after a form of the page succeeded. */
const NOTICES = {
  claimed: 'It is in your library now.',
  redeemed: 'Your key is redeemed. It is in your library now, and you can download it here.',
  joined: 'You joined the beta.',
  left: 'You left the beta.',
  reviewed: 'Your review is published.',
  unreviewed: 'Your review is deleted.',
  tagged: `Your tags are saved. A tag is shown once ${VOTES_TO_SHOW} players suggested it.`,
  follow: 'You follow it: you hear of its releases and posts. Choose what you hear of on the page Following.',
  unfollow: 'You no longer follow it.',
  wish: 'It is on your wishlist: you hear when it gets cheaper or is released.',
  unwish: 'It is no longer on your wishlist.',
  bug_reported: 'Thank you. The developer got your report; your library tells you when the bug is fixed.',
  reported: 'Thank you. The operators of this store will look at this page.',
}

/** The same for answers to reviews. */
const ANSWER_NOTICES = { answered: 'Your answer is published.', unanswered: 'Your answer is deleted.' }

/** Counted like the API's own writes to a listing. */
const write = () => ({ page: true, limit: 'listing_write' }) as const

/** Limits guests who press Get. */
const wishes = () => ({ limit: 'guest_get', page: true }) as const

const buys = () => ({ page: true, limit: ['checkout', 'listing_write'] }) as const

const { view } = publicPages
const { submit } = ownPages

/** A listing's page and the forms on it. */
export function storePages(kit: HttpKit, deps: Deps, downloads: Downloads, cache: StoreCache) {
  const kept = createWishes(deps.keyring, deps.config.baseUrl.startsWith('https:'))

  const showStore: ShowPage = async (_, { params, visit: sent, refused }) => {
    const store = await loadStore(deps, cache, sent, params.uid ?? '')
    const visit = atAddress(sent, `/games/${store.listing.vanity_name}`)
    const notice = noticeOf(sent, NOTICES)
    const isNewest = sent.url.searchParams.get('done') === 'claimed'
    const page = <StorePage {...{ visit, store, notice, refused }} asksToConfirm={isNewest} />
    const reuse: Pick<ShowOptions, 'cacheDeps'> = notice === undefined ? { cacheDeps: [store] } : {}
    return { page, visit, ...reuse, ...refusedStatus(refused), formTargets: deps.payments?.pageOrigins ?? [] }
  }

  /** A tab beside the page, whose frame shows the same listing. */
  const tab = (tail: string, show: (store: StoreData, context: PageContext) => VNode | Promise<VNode>) =>
    view(async (_, context) => {
      const store = await loadStore(deps, cache, context.visit, context.params.uid ?? '')
      const address = `/games/${store.listing.vanity_name}/${tail}${context.visit.url.search}`
      return await show(store, { ...context, visit: atAddress(context.visit, address) })
    })

  const showReviews: ShowPage = async (_, { params, visit: sent, query, refused }) => {
    const store = await loadStore(deps, cache, sent, params.uid ?? '')
    const visit = atAddress(sent, `/games/${store.listing.vanity_name}/reviews${sent.url.search}`)
    const reviews = await loadReviewsOf(deps, store.listing.uid, parsePage(query))
    const notice = noticeOf(sent, ANSWER_NOTICES)
    const refusedAnswer = refused && { reviewUid: params.review_uid ?? '', form: refused.form }
    const page = <ReviewsPage {...{ visit, store, reviews, notice, refusedAnswer }} />
    return { page, visit, ...refusedStatus(refused) }
  }

  const showNews = (kind: 'posts' | 'changelog') =>
    tab(kind, async (store, { visit, query }) => {
      const parts = kind === 'posts' ? (['posts', 'releases'] as const) : (['releases'] as const)
      const news = await listNewsOf(deps, visit.actor, toGame(store), parts, parsePage(query))
      return <NewsPage {...{ visit, store, news, kind }} />
    })

  const showPost: ShowPage = async (_, { visit: sent, params: { uid = '', slug = '' } }) => {
    const store = await loadStore(deps, cache, sent, uid)
    const post = await getPostOf(deps, sent.actor, toGame(store), slug)
    const visit = atAddress(sent, postPath(store.listing.vanity_name, post.slug))
    return <PostPage {...{ visit, store, post }} />
  }

  const showFiles = tab('files', (store, { visit }) => <FilesPage {...{ visit, store }} />)

  const buy: Act<WebsiteUser> = async (user, form, { params: { uid = '' } }) =>
    (await createCheckout(deps, user, uid, parsePurchase(form))).url

  const claim: Act<WebsiteUser> = async (user, _, { params: { uid = '' } }) => {
    const { item } = await claimGame(deps, user, uid)
    return `/games/${item.game.vanity_name ?? uid}?done=claimed`
  }

  /** Get without being signed in: a cookie remembers the game until the visitor returns from the sign-in. */
  const wish: Act = async (actor, _, { params: { uid = '' }, set }) => {
    const { game } = await openPage(deps.db, actor.kind === 'user' ? actor : null, uid)
    set.headers['set-cookie'] = kept.write(game)
    const path = getPath(game.vanityName)
    return actor.kind === 'user' ? path : signInPathTo(path)
  }

  const fulfil: ShowPage = async (actor, context) => {
    const { params, request, set } = context
    const { game } = await openPage(deps.db, actor.kind === 'user' ? actor : null, params.uid ?? '')
    const page = `/games/${game.vanityName}`
    if (actor.kind !== 'user' || !kept.isWished(request.headers.get('cookie'), game.uid)) return page
    set.headers['set-cookie'] = kept.end(game)
    try {
      await claimGame(deps, actor, game.uid)
    } catch (error) {
      return await showStore(actor, {
        ...context,
        refused: toRefusal('claim', error, new URLSearchParams()),
      })
    }
    return `${page}?done=claimed`
  }

  const changeBeta: Act<WebsiteUser> = async (user, form, { params: { uid = '' } }) => {
    const isLeaving = form.get('beta') === 'leave'
    await (isLeaving ? leaveBeta(deps, user, uid) : joinBeta(deps, user, uid))
    return `/games/${uid}?done=${isLeaving ? 'left' : 'joined'}`
  }

  const review: Act<WebsiteUser> = async (user, form, { params: { uid = '' } }) => {
    const text = textOf(form, 'text').replaceAll('\r\n', '\n')
    const input = { rating: Number(textOf(form, 'rating')), text }
    checkForm(ReviewInput, input)
    await writeReview(deps, user, uid, input)
    return `/games/${uid}?done=reviewed#reviews`
  }

  const unreview: Act<WebsiteUser> = async (user, _, { params: { uid = '' } }) => {
    await deleteReview(deps, user, uid)
    return `/games/${uid}?done=unreviewed#reviews`
  }

  const follow: Act<WebsiteUser> = async (user, form, { params: { uid = '' } }) => {
    const button = BUTTONS.find((known) => known === form.get('act'))
    if (button === undefined) throw new AppError('invalid_request', { message: 'Choose what to do with it.' })
    await pressButton(deps, user, uid, button)
    return `/games/${uid}?done=${button}`
  }

  const answer: Act<WebsiteUser> = async (user, form, { params: { uid = '', review_uid = '' } }) => {
    await answerReview(deps, user, uid, review_uid, readForm(AnswerInput, form, { text: lines }))
    return `/games/${uid}/reviews?done=answered#review-${review_uid}`
  }

  const unanswer: Act<WebsiteUser> = async (user, _, { params: { uid = '', review_uid = '' } }) => {
    await deleteAnswer(deps, user, uid, review_uid)
    return `/games/${uid}/reviews?done=unanswered#review-${review_uid}`
  }

  const suggest: Act<WebsiteUser> = async (user, form, { params: { uid = '' } }) => {
    await suggestTags(deps, user, uid, splitList(textOf(form, 'tags')))
    return `/games/${uid}?done=tagged#tags`
  }

  const pages = createRoutes(kit, { name: 'store-pages', prefix: '/games/:uid' })
  if (deps.payments) pages.post('/buy', submit('buy', buy, showStore), buys())
  return pages
    .get('/', view(showStore), { page: true })
    .get('/reviews', view(showReviews), { page: true })
    .post('/reviews/:review_uid/answer', submit('answer', answer, showReviews), write())
    .post('/reviews/:review_uid/answer/delete', submit('unanswer', unanswer, showReviews), write())
    .get('/posts', showNews('posts'), { page: true })
    .get('/posts/:slug', view(showPost), { page: true })
    .get('/changelog', showNews('changelog'), { page: true })
    .get('/files', showFiles, { page: true })
    .post('/claim', submit('claim', claim, showStore), write())
    .get('/get', view(fulfil), wishes())
    .post('/get', publicPages.submit('claim', wish, showStore), wishes())
    .post('/beta', submit('beta', changeBeta, showStore), write())
    .post('/follow', submit('follow', follow, showStore), write())
    .post('/review', submit('review', review, showStore), write())
    .post('/review/delete', submit('unreview', unreview, showStore), write())
    .post('/tags', submit('tags', suggest, showStore), write())
    .get(
      '/files/:file_uid/download',
      async ({ params, query, visit, redirect, set }) => {
        set.headers['cache-control'] = 'no-store'
        const form = query['as'] === 'apk' ? ({ as: 'apk' } as const) : {}
        const { url } = await linkFor(visit, params.uid, params.file_uid, form)
        return redirect(url, 302)
      },
      { limit: 'signed_out_download', page: true },
    )

  function linkFor({ actor, request }: Visit, ref: string, fileUid: string, form: DownloadQuery) {
    const visit = readDownloadVisit(request.headers, deps.config.countryHeader)
    const [source, link] =
      actor.kind === 'user'
        ? (['library', () => linkForUser(downloads, actor, ref, fileUid)] as const)
        : (['redirect', () => linkForAnyone(downloads, fileUid)] as const)
    return recordAttempt(downloads.log, { source, fileUid, visit }, () =>
      inForm(downloads, form, fileUid, link()),
    )
  }
}

const toGame = ({ listing: { uid, vanity_name, adult } }: StoreData) => ({
  uid,
  vanityName: vanity_name,
  adult,
})

/** The amount is typed in dollars, where the buyer may choose it. */
const parsePurchase = (form: URLSearchParams) =>
  readForm(CheckoutInput, form, {
    edition_uid: maybeText,
    amount_cents: (sent, name) => (sent.has(name) ? dollars(sent, name) : undefined),
  })

/** Long enough to make an account, also at a provider. */
const WISH_SECONDS = 3600
const COOKIE = 'get'
/** Browsers send one cookie; further ones are ignored, to bound the cost of checking signatures. */
const TRIED_MAX = 4

/**
 * A signed cookie that records that a guest pressed Get; it is only sent to the path that finishes it.
 * Without the cookie that path does nothing, so that no foreign link can add a game to a library.
 */
function createWishes(keyring: Keyring, isSecure: boolean) {
  const cookie = (value: string, vanityName: string, seconds: number) =>
    `${COOKIE}=${value}; Path=${getPath(vanityName)}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  const message = (gameUid: string, until: string) => `get ${gameUid} ${until}`

  return {
    /** The value of `Set-Cookie`. */
    write({ uid, vanityName }: { uid: string; vanityName: string }): string {
      const until = String(Date.now() + WISH_SECONDS * 1000)
      return cookie(`${until}.${keyring.sign(message(uid, until))}`, vanityName, WISH_SECONDS)
    },

    end: ({ vanityName }: { vanityName: string }): string => cookie('', vanityName, 0),

    isWished(cookies: string | null, gameUid: string): boolean {
      const values = (cookies ?? '').split(';').flatMap((text) => {
        const [name, value = ''] = text.trim().split('=', 2)
        return name === COOKIE ? [value] : []
      })
      return values.slice(0, TRIED_MAX).some((value) => {
        const [until = '', signature = ''] = value.split('.')
        return Number(until) > Date.now() && keyring.verify(message(gameUid, until), signature)
      })
    },
  }
}
