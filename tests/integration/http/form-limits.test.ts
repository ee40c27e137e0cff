import { beforeAll, expect, test } from 'bun:test'

import { type LimitName, rowsFrom } from '../../../src/domain/limit-table.ts'
import { isListingWrite } from '../../../src/http/access/listing-writes.ts'
import { SELLING_ENV } from '../../helpers/selling/selling.ts'
import { useStore } from '../../helpers/store.ts'

const API = '/api/v1/private'
const GAME = `${API}/games/:uid`
const SAVES = '/api/v1/player/games/:game_id/saves'

/** Every form of the website, and the routes of the API that do the same; none where only the website does it. */
const TWINS: Readonly<Record<string, readonly string[]>> = {
  '/theme': [],
  '/games/:uid/report': [`POST ${GAME}/reports`],
  // For guests: it only remembers that they want the game.
  '/games/:uid/get': [],
  '/games/:uid/claim': [`POST ${GAME}/claim`],
  '/games/:uid/beta': [`POST ${GAME}/beta`, `DELETE ${GAME}/beta`],
  '/games/:uid/review': [`PUT ${GAME}/review`],
  '/games/:uid/review/delete': [`DELETE ${GAME}/review`],
  '/games/:uid/tags': [`PUT ${GAME}/tag-suggestions`],
  '/games/:uid/follow': [`PUT ${API}/follows/games/:uid`, `DELETE ${API}/follows/games/:uid`],
  '/developers/:username/follow': [
    `PUT ${API}/follows/developers/:user_uid`,
    `DELETE ${API}/follows/developers/:user_uid`,
  ],
  '/following/games/:uid': [`PUT ${API}/follows/games/:uid`, `DELETE ${API}/follows/games/:uid`],
  '/following/developers/:uid': [
    `PUT ${API}/follows/developers/:user_uid`,
    `DELETE ${API}/follows/developers/:user_uid`,
  ],
  '/wishlist/games/:uid': [`PUT ${API}/follows/games/:uid`],
  '/wishlist/share': [],
  '/notices/read': [`POST ${API}/notices/read`],
  '/account/feed': [],
  '/account/follows': [`PATCH ${API}/me`],
  '/account/notices': [`PATCH ${API}/notices/settings`],
  '/account/notices/confirm': ['ALL /api/auth/*'],
  '/games/:uid/report-bug': [`POST ${GAME}/bugs`],
  '/games/:uid/buy': [`POST ${GAME}/checkout`],
  '/orders/:uid/cancel': [],
  '/orders/:uid/refund': [`POST ${API}/orders/:uid/refund`],
  '/redeem': [`POST ${API}/redeem`],
  '/library/:uid': [
    `POST ${API}/library/:game_uid/accept`,
    `POST ${API}/library/:game_uid/restore`,
    `DELETE ${API}/library/:game_uid`,
  ],
  '/library/:uid/saves/delete': [`DELETE ${SAVES}/:slot`],
  '/library/:uid/saves/restore': [`POST ${SAVES}/:slot/restore`],
  '/library/:uid/saves/end': [`DELETE ${SAVES}/:slot`],
  '/library/:uid/saves/delete-all': [`DELETE ${SAVES}/:slot`],
  '/library/:uid/saves/browser': [`PUT ${GAME}/saves`],
  '/account/saves/delete': [],
  '/library/notices': ['POST /api/v1/games/:game_uid/bugs/notices/ack'],
  // The routes of the account library are counted by `accounts` where a credential is sent.
  '/sign-in': ['ALL /api/auth/*'],
  '/sign-up': ['ALL /api/auth/*'],
  '/setup': ['ALL /api/auth/*'],
  '/announcement/dismiss': [],
  '/sign-out': [],
  '/forgot': ['ALL /api/auth/*'],
  '/reset': ['ALL /api/auth/*'],
  '/verify': ['ALL /api/auth/*'],
  '/oauth/consent': ['ALL /api/auth/*'],
  '/approvals/:token': [`POST ${API}/approvals/:token`],
  '/account/profile': [`PATCH ${API}/me`],
  '/account/privacy': [`PATCH ${API}/me`],
  '/account/picture': [`PUT ${API}/me/picture`],
  '/account/picture/remove': [`DELETE ${API}/me/picture`],
  '/account/banner': [`PUT ${API}/me/banner`],
  '/account/banner/remove': [`DELETE ${API}/me/banner`],
  '/account/email': ['ALL /api/auth/*'],
  '/account/password': ['ALL /api/auth/*'],
  '/account/keys': [`POST ${API}/player-keys`],
  '/account/keys/:uid/delete': [`DELETE ${API}/player-keys/:uid`],
  '/account/programs/:client_id/disconnect': [`DELETE ${API}/me/programs/:client_id`],
  '/account/store/unlink': [`DELETE ${API}/me/extstore`],
  '/account/sessions/end': [],
  '/account/delete': [`DELETE ${API}/me`],
  '/second-step': ['ALL /api/auth/*'],
  '/confirm': [`POST ${API}/me/confirmation`],
  '/account/authenticator': [`POST ${API}/me/authenticator`],
  '/account/authenticator/confirm': [`POST ${API}/me/authenticator/confirm`],
  '/account/authenticator/remove': [`DELETE ${API}/me/authenticator`],
  '/account/recovery-codes': [`POST ${API}/me/recovery-codes`],
  '/account/passkeys/:uid/rename': [`PATCH ${API}/me/passkeys/:uid`],
  '/account/passkeys/:uid/remove': [`DELETE ${API}/me/passkeys/:uid`],
  '/account/connections/:provider/remove': [`DELETE ${API}/me/providers/:provider`],
  '/account/trusted-browsers/:uid/forget': [`DELETE ${API}/me/trusted-browsers/:uid`],
  '/dashboard/invites/:uid': [`POST ${API}/invites/:uid/accept`, `POST ${API}/invites/:uid/decline`],
  '/studio/new': [`POST ${API}/games`],
  '/studio/payouts/connect': [`POST ${API}/payouts/onboarding`],
  '/studio/payouts/dashboard': [`POST ${API}/payouts/dashboard`],
  '/studio/:uid/overview/visibility': [`PUT ${GAME}/visibility`],
  '/studio/:uid/overview/delete': [`DELETE ${GAME}`],
  '/studio/:uid/page': [`PATCH ${GAME}`],
  '/studio/preview': [],
  '/studio/:uid/media/cover': [`PUT ${GAME}/images/cover`],
  '/studio/:uid/media/thumbnail': [`PUT ${GAME}/images/thumbnail`],
  '/studio/:uid/media/gallery': [`POST ${GAME}/images/gallery`],
  '/studio/:uid/media/images/:image_uid/delete': [`DELETE ${GAME}/images/:image_uid`],
  '/studio/:uid/media/images/:image_uid/move': [`PUT ${GAME}/images/gallery/order`],
  '/studio/:uid/media/videos': [`POST ${GAME}/videos`],
  '/studio/:uid/media/videos/link': [`POST ${GAME}/videos`],
  '/studio/:uid/media/videos/:video_uid/delete': [`DELETE ${GAME}/videos/:video_uid`],
  '/studio/:uid/media/videos/:video_uid/move': [`PUT ${GAME}/videos/order`],
  '/studio/:uid/media/videos/:video_uid/poster': [`PUT ${GAME}/videos/:video_uid/poster`],
  '/studio/:uid/channels/promote': [`POST ${GAME}/channels/:channel/promote`],
  '/studio/:uid/channels/rollback': [`POST ${GAME}/channels/:channel/rollback`],
  '/studio/:uid/channels/approvals/:approval_uid': [`POST ${API}/approvals/:token`],
  '/studio/:uid/team/invite': [`POST ${GAME}/admins`],
  '/studio/:uid/team/:user_uid/remove': [`DELETE ${GAME}/admins/:user_uid`],
  '/studio/:uid/team/grant': [`POST ${GAME}/licenses`],
  '/studio/:uid/deploy-keys': [`POST ${GAME}/deploy-keys`],
  '/studio/:uid/publishing': [`POST ${GAME}/publishers`],
  '/studio/:uid/publishing/policy': [`PUT ${GAME}/publishing`],
  '/studio/:uid/publishing/:publisher_uid/forget': [`POST ${GAME}/publishers/:publisher_uid/forget`],
  '/studio/:uid/publishing/:publisher_uid/remove': [`DELETE ${GAME}/publishers/:publisher_uid`],
  '/studio/:uid/press': [`PUT ${GAME}/press`],
  '/studio/:uid/store-links': [`PUT ${GAME}/store-links`],
  '/studio/:uid/community-tags': [`PUT ${GAME}/community-tags/:tag`],
  '/studio/:uid/pricing/price': [`PATCH ${GAME}`],
  '/studio/:uid/pricing/editions': [`POST ${GAME}/editions`],
  '/studio/:uid/pricing/editions/:edition_uid': [`PATCH ${GAME}/editions/:edition_uid`],
  '/studio/:uid/pricing/editions/:edition_uid/delete': [`DELETE ${GAME}/editions/:edition_uid`],
  '/studio/:uid/pricing/anonymous': [`PUT ${GAME}/anonymous-downloads`],
  '/studio/:uid/keys': [`POST ${GAME}/keys`],
  '/studio/:uid/keys/:batch_uid/delete': [`DELETE ${GAME}/keys/:batch_uid`],
  '/studio/:uid/sales/:order_uid/refund': [`POST ${API}/orders/:uid/refund`],
  '/studio/:uid/compatibility': [`PATCH ${GAME}`],
  '/studio/:uid/changelog': [`POST ${GAME}/changelog`],
  '/studio/:uid/changelog/:entry_uid': [`PATCH ${GAME}/changelog/:entry_uid`],
  '/studio/:uid/changelog/:entry_uid/delete': [`DELETE ${GAME}/changelog/:entry_uid`],
  '/studio/:uid/posts/new': [`POST ${GAME}/posts`],
  '/studio/:uid/posts/:post_uid': [`PATCH ${GAME}/posts/:post_uid`],
  '/studio/:uid/posts/:post_uid/delete': [`DELETE ${GAME}/posts/:post_uid`],
  '/studio/:uid/posts/:post_uid/picture': [`PUT ${GAME}/posts/:post_uid/picture`],
  '/studio/:uid/posts/:post_uid/picture/remove': [`DELETE ${GAME}/posts/:post_uid/picture`],
  '/studio/:uid/jams/:jam_uid': [`PUT ${API}/jams/:jam/entries/:game_uid`],
  '/studio/:uid/jams/:jam_uid/withdraw': [`DELETE ${API}/jams/:jam/entries/:game_uid`],
  '/studio/:uid/jams/approvals/:approval_uid': [`POST ${API}/approvals/:token`],
  '/studio/:uid/posts/approvals/:approval_uid': [`POST ${API}/approvals/:token`],
  '/games/:uid/reviews/:review_uid/answer': [`PUT ${GAME}/reviews/:review_uid/answer`],
  '/games/:uid/reviews/:review_uid/answer/delete': [`DELETE ${GAME}/reviews/:review_uid/answer`],
  '/jams/new': [`POST ${API}/jams`],
  '/jams/:jam/enter': [`PUT ${API}/jams/:jam/entries/:game_uid`],
  '/jams/:jam/late/:code': [`PUT ${API}/jams/:jam/entries/:game_uid`],
  '/jams/:jam/join': [`POST ${API}/jams/:jam/join`],
  '/jams/:jam/leave': [`POST ${API}/jams/:jam/leave`],
  '/jams/:jam/manage': [`PATCH ${API}/jams/:jam`],
  '/jams/:jam/manage/delete': [`DELETE ${API}/jams/:jam`],
  '/jams/:jam/manage/cover': [`PUT ${API}/jams/:jam/cover`],
  '/jams/:jam/manage/cover/remove': [`DELETE ${API}/jams/:jam/cover`],
  '/jams/:jam/manage/codes': [`POST ${API}/jams/:jam/manage/codes`],
  '/jams/:jam/manage/codes/:code_uid/end': [`DELETE ${API}/jams/:jam/manage/codes/:code_uid`],
  '/jams/:jam/manage/late-links': [`POST ${API}/jams/:jam/manage/late-links`],
  '/jams/:jam/manage/late-links/:code_uid/end': [`DELETE ${API}/jams/:jam/manage/late-links/:code_uid`],
  '/jams/:jam/manage/votes/:vote/void': [`POST ${API}/jams/:jam/manage/votes/:vote_uid/void`],
  '/jams/:jam/manage/votes/:vote/restore': [`POST ${API}/jams/:jam/manage/votes/:vote_uid/restore`],
  '/jams/:jam/manage/results': [
    `POST ${API}/jams/:jam/manage/results/hold`,
    `POST ${API}/jams/:jam/manage/results/publish`,
    `POST ${API}/jams/:jam/manage/results/recount`,
  ],
  '/jams/:jam/manage/results/:game/disqualify': [
    `POST ${API}/jams/:jam/manage/entries/:game_uid/disqualify`,
    `POST ${API}/jams/:jam/manage/entries/:game_uid/readmit`,
  ],
  '/jams/:jam/manage/results/:game/prizes': [`POST ${API}/jams/:jam/manage/entries/:game_uid/prizes`],
  '/jams/:jam/rate/:game': [`PUT ${API}/jams/:jam/ratings/:game_uid`],
  '/jams/:jam/rate/:game/skip': [`POST ${API}/jams/:jam/queue/:game_uid/skip`],
  '/jams/:jam/rate/:game/cannot-run': [`POST ${API}/jams/:jam/queue/:game_uid/cannot-run`],
  '/studio/:uid/sign-in/enable': [`POST ${GAME}/steam/enable`],
  '/studio/:uid/sign-in/web-api-key': [`PUT ${GAME}/steam/web-api-key`],
  '/studio/:uid/sign-in/disable': [`POST ${GAME}/steam/disable`],
  '/studio/:uid/sign-in/auth-key': [`GET ${GAME}/steam/auth-key`],
  '/studio/:uid/sign-in/auth-key/renew': [`POST ${GAME}/steam/auth-key`],
  '/studio/:uid/sign-in/ticket-key': [`POST ${GAME}/steam/ticket-key`],
  '/studio/:uid/sign-in/unlink': [`DELETE ${GAME}/steam`],
  '/studio/:uid/sign-in/resync': [`POST ${GAME}/steam/resync`],
  '/studio/:uid/bugs/settings': [`PUT ${GAME}/bug-reporter`],
  '/studio/:uid/bugs/settings/approvals/:approval_uid': [`POST ${API}/approvals/:token`],
  '/studio/:uid/bugs/settings/key': [`POST ${GAME}/bug-reporter/signing-key`],
  '/studio/:uid/bugs/settings/test': [`POST ${GAME}/bug-reporter/test-webhook`],
  '/studio/:uid/bugs/settings/deliveries/:delivery_uid': [
    `POST ${GAME}/bug-reporter/deliveries/:delivery_uid/redeliver`,
  ],
  '/studio/:uid/bugs/:ticket_uid': [`PATCH ${GAME}/bugs/:ticket_uid`],
  '/studio/import/preview': [`POST ${API}/steam/import/preview`],
  '/studio/import': [`POST ${API}/steam/import`],
  '/studio/:uid/saves': [`PATCH ${GAME}`],
  '/studio/:uid/builds/web-player': [`PATCH ${GAME}`],
  '/studio/:uid/builds/:build_id/delete': [`DELETE ${GAME}/builds/:build_id`],
  '/studio/:uid/builds/:build_id/symbols': [`DELETE ${GAME}/symbols/:symbol_uid`],
}

interface Route {
  access: unknown
  limits: readonly string[]
  /** Whether it needs a fresh confirmation, and a second factor where the policy asks for one. */
  proof: { fresh: unknown; secondFactor: unknown }
}

const server = useStore(SELLING_ENV)
let routes: Map<string, Route>
beforeAll(async () => {
  routes = new Map(
    server.app.routes.map(({ method, path, hooks }) => {
      const detail: Record<string, unknown> = hooks.detail ?? {}
      const named = (detail['x-limits'] ?? []) as LimitName[]
      const rows: LimitName[] = isListingWrite(method, path) ? [...named, 'listing_write'] : named
      const limits = rows.flatMap(rowsFrom)
      const proof = { fresh: detail['x-fresh'], secondFactor: detail['x-second-factor'] }
      return [`${method} ${path}`, { access: detail['x-access'], limits, proof }]
    }),
  )
})

test('every form of the website is named here', () => {
  const forms = [...routes].filter(([route, { access }]) => route.startsWith('POST ') && access === 'page')
  expect(forms.map(([route]) => route.slice('POST '.length)).toSorted()).toEqual(
    Object.keys(TWINS).toSorted(),
  )
})

/** Refunds in the studio need one that their route does not: buyers call it too, and the service asks all others. */
test('a form needs every proof that the same call of the API needs', () => {
  for (const [form, twins] of Object.entries(TWINS)) {
    for (const twin of twins) {
      const needed = Object.entries(routes.get(twin)?.proof ?? {}).filter(([, proof]) => proof !== undefined)
      expect({ form, ...routes.get(`POST ${form}`)?.proof }).toMatchObject({
        form,
        ...Object.fromEntries(needed),
      })
    }
  }
})

test('a form is counted by every row that counts the same call of the API', () => {
  for (const [form, twins] of Object.entries(TWINS)) {
    for (const twin of twins) {
      const wanted = routes.get(twin)
      expect({ twin, isThere: wanted !== undefined }).toEqual({ twin, isThere: true })
      expect({ form, limits: routes.get(`POST ${form}`)?.limits }).toEqual({
        form,
        limits: expect.arrayContaining([...(wanted?.limits ?? [])]),
      })
    }
  }
})
