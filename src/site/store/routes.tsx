import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import { recordAttempt } from '../../features/catalog/downloads/attempts.ts'
import type { Downloads } from '../../features/catalog/downloads/downloads.ts'
import { linkForAnyone, linkForUser } from '../../features/catalog/downloads/service.ts'
import { readVisit as readDownloadVisit } from '../../features/catalog/downloads/visit.ts'
import { claimGame, joinBeta, leaveBeta } from '../../features/community/library/service.ts'
import { ReviewInput } from '../../features/community/reviews/model.ts'
import { deleteReview, writeReview } from '../../features/community/reviews/service.ts'
import { suggestTags } from '../../features/community/tags/service.ts'
import type { HttpKit } from '../../http/kit.ts'
import { atAddress, type Visit } from '../../http/visit.ts'
import { faultAt, findFaults, refuseNuls } from '../kit/form-check.ts'
import { show } from '../kit/render.ts'
import { requireUser } from '../kit/signed-in.ts'
import { StorePage, type StorePageProps } from './page/store-page.tsx'
import { readStore, type StoreCache } from './store-data.ts'

/** The messages shown after a form of the page succeeded. */
const NOTICES: Readonly<Record<string, string>> = {
  claimed: 'It is in your library now.',
  joined: 'You joined the beta.',
  left: 'You left the beta.',
  reviewed: 'Your review is published.',
  unreviewed: 'Your review is deleted.',
  tagged: 'Your tags are saved. A tag is shown once three players suggested it.',
  bug_reported: 'Thank you. The developer got your report; your library tells you when the bug is fixed.',
  reported: 'Thank you. The operators of this store will look at this page.',
}

/** Counted like the API's own writes to a listing. */
const write = { page: true, limit: 'listing_write' } as const

interface ResponseSettings {
  headers: Record<string, string | number>
}

/** A listing's page and the forms on it. */
export function storePages(kit: HttpKit, deps: Deps, downloads: Downloads, cache: StoreCache) {
  return new Elysia({ name: 'store-pages', prefix: '/games/:uid' })
    .use(kit)
    .get(
      '/',
      async ({ params, query, visit: sent, set }) => {
        const store = await readStore(deps, cache, sent, params.uid)
        const visit = atAddress(sent, `/games/${store.listing.vanity_name}`)
        const notice = NOTICES[query.done ?? '']
        const page = <StorePage {...{ visit, store, notice }} />
        return show(visit, set, page, notice === undefined ? { madeOf: [store] } : {})
      },
      { page: true },
    )
    .post(
      '/claim',
      async ({ params, visit, redirect }) => {
        const { item } = await claimGame(deps, requireUser(visit.actor), params.uid)
        return redirect(`/games/${item.game.vanity_name ?? params.uid}?done=claimed`, 303)
      },
      write,
    )
    .post(
      '/beta',
      async ({ params, form, visit, redirect }) => {
        const user = requireUser(visit.actor)
        const isLeaving = form.get('beta') === 'leave'
        await (isLeaving ? leaveBeta(deps, user, params.uid) : joinBeta(deps, user, params.uid))
        return redirect(`/games/${params.uid}?done=${isLeaving ? 'left' : 'joined'}`, 303)
      },
      write,
    )
    .post(
      '/review',
      async ({ params, form, visit, set, redirect }) => {
        const user = requireUser(visit.actor)
        const values = {
          rating: form.get('rating') ?? '',
          text: (form.get('text') ?? '').replaceAll('\r\n', '\n'),
        }
        const input = { rating: Number(values.rating), text: values.text }
        const faults = findFaults(ReviewInput, input, form)
        if (faults) return await refuse(visit, set, params.uid, { form: 'review', values, faults })
        await writeReview(deps.db, user, params.uid, input)
        return redirect(`/games/${params.uid}?done=reviewed#reviews`, 303)
      },
      write,
    )
    .post(
      '/review/delete',
      async ({ params, visit, redirect }) => {
        await deleteReview(deps.db, requireUser(visit.actor), params.uid)
        return redirect(`/games/${params.uid}?done=unreviewed#reviews`, 303)
      },
      write,
    )
    .post(
      '/tags',
      async ({ params, form, visit, set, redirect }) => {
        const user = requireUser(visit.actor)
        const values = { tags: form.get('tags') ?? '' }
        const tags = values.tags.split(',').filter((tag) => tag.trim() !== '')
        try {
          refuseNuls(form)
          await suggestTags(deps, user, params.uid, tags)
        } catch (error) {
          const faults = faultAt('tags', error)
          return await refuse(visit, set, params.uid, { form: 'tags', values, faults })
        }
        return redirect(`/games/${params.uid}?done=tagged#tags`, 303)
      },
      write,
    )
    .get(
      '/files/:file_uid/download',
      async ({ params, visit, redirect, set }) => {
        set.headers['cache-control'] = 'no-store'
        const { url } = await linkFor(visit, params.uid, params.file_uid)
        return redirect(url, 302)
      },
      { limit: 'signed_out_download', page: true },
    )

  /** Renders the page again with the entered values and their faults. */
  async function refuse(
    visit: Visit,
    set: ResponseSettings,
    ref: string,
    refused: NonNullable<StorePageProps['refused']>,
  ): Promise<Response> {
    const store = await readStore(deps, cache, visit, ref)
    return show(visit, set, <StorePage {...{ visit, store, refused }} />, { status: 422 })
  }

  function linkFor({ actor, request }: Visit, ref: string, fileUid: string) {
    const visit = readDownloadVisit(request.headers, deps.config.countryHeader)
    return actor.kind === 'user'
      ? recordAttempt(downloads.log, { source: 'library', fileUid, visit }, () =>
          linkForUser(downloads, actor, ref, fileUid),
        )
      : recordAttempt(downloads.log, { source: 'redirect', fileUid, visit }, () =>
          linkForAnyone(downloads, fileUid),
        )
  }
}
