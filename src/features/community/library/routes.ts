import type { Deps } from '../../../deps.ts'
import { done, Envelope, listOf, Nothing, ok, Paged } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { parsePage } from '../../../lib/paging.ts'
import { LibraryItem, LibraryQuery, License, LicenseInput } from './model.ts'
import {
  acceptLicense,
  claimGame,
  grantLicense,
  joinBeta,
  leaveBeta,
  listLibrary,
  listLicenses,
  parseLibraryFilter,
  setHidden,
} from './service.ts'

export function libraryRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'library', prefix: '/api/v1/private', tags: ['Library'] })
    .get(
      '/library',
      async ({ actor, query }) =>
        ok(await listLibrary(deps, actor, parsePage(query), parseLibraryFilter(query))),
      {
        website: true,
        query: LibraryQuery,
        response: Envelope(Paged(LibraryItem)),
        summary: 'The licences of the account, newest first unless sorted otherwise',
      },
    )
    .post(
      '/library/:game_uid/accept',
      async ({ actor, params }) => ok(await acceptLicense(deps, actor, params.game_uid)),
      {
        website: true,
        limit: 'library',
        response: Envelope(LibraryItem),
        summary: 'Accept a licence that the owner of a listing gave you',
        fails: 'forbidden',
      },
    )
    .post(
      '/library/:game_uid/restore',
      async ({ actor, params }) => ok(await setHidden(deps, actor, params.game_uid, false)),
      {
        website: true,
        limit: 'library',
        response: Envelope(LibraryItem),
        summary: 'Bring a licence back into the library',
      },
    )
    .delete(
      '/library/:game_uid',
      async ({ actor, params }) => await done(setHidden(deps, actor, params.game_uid, true)),
      {
        website: true,
        limit: 'library',
        response: Nothing,
        summary: 'Take a licence out of the library; it stays valid',
        description: 'Declines a gift that waits to be accepted.',
      },
    )
    .post(
      '/games/:uid/claim',
      async ({ actor, params, status }) => {
        const { item, isNew } = await claimGame(deps, actor, params.uid)
        return status(isNew ? 201 : 200, ok(item))
      },
      {
        website: true,
        response: { 200: Envelope(LibraryItem), 201: Envelope(LibraryItem) },
        summary: 'Add a free listing, public or invisible, to the library',
      },
    )
    .post('/games/:uid/beta', async ({ actor, params }) => ok(await joinBeta(deps, actor, params.uid)), {
      website: true,
      response: Envelope(LibraryItem),
      summary: 'Join the beta',
    })
    .delete('/games/:uid/beta', async ({ actor, params }) => await done(leaveBeta(deps, actor, params.uid)), {
      website: true,
      response: Nothing,
      summary: 'Leave the beta',
    })
    .get(
      '/games/:uid/licenses',
      async ({ actor, params, query }) => ok(await listLicenses(deps, actor, params.uid, parsePage(query))),
      {
        website: true,
        ...listOf(License),
        summary: 'The licences of the listing, newest first',
      },
    )
    .post(
      '/games/:uid/licenses',
      async ({ actor, params, body, status }) => {
        const { license, isNew } = await grantLicense(deps, actor, params.uid, body.username)
        return status(isNew ? 201 : 200, ok(license))
      },
      {
        website: true,
        body: LicenseInput,
        response: { 200: Envelope(License), 201: Envelope(License) },
        summary: 'Give a user a licence',
      },
    )
}
