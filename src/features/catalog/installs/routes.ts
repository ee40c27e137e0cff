import { Envelope, ok, Paged } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { parsePage } from '../../../lib/paging.ts'
import { CONTENTS_RESPONSE, respondContents } from '../../builds/contents/model.ts'
import { LibraryItem, LibraryQuery } from '../../community/library/model.ts'
import { claimGame, parseLibraryFilter } from '../../community/library/service.ts'
import { DownloadLink } from '../downloads/model.ts'
import { DOWNLOAD_REFUSALS, fileInPath, recordRefusals } from '../downloads/refusals.ts'
import { type Downloads, linkForInstaller, parseVisit, recordAttempt } from '../downloads/service.ts'
import { BuildsQuery, DownloadQuery, InstallableItem, InstallBuilds } from './model.ts'
import { listInstallable, loadInstallBuilds, loadInstallContents } from './service.ts'

const SCOPE = 'player:install'

/** For launchers and `shelf get`. */
export function installRoutes(kit: HttpKit, downloads: Downloads) {
  const { deps, log } = downloads
  return createRoutes(kit, { name: 'installs', prefix: '/api/v1/player', tags: ['Installing'] })
    .get(
      '/library',
      async ({ actor, query }) =>
        ok(await listInstallable(deps, actor, parsePage(query), parseLibraryFilter(query))),
      {
        limit: 'install',
        player: SCOPE,
        query: LibraryQuery,
        response: Envelope(Paged(InstallableItem)),
        summary: 'What the player owns, with the files that can be installed',
      },
    )
    .get(
      '/games/:game_id/builds',
      async ({ actor, params, query }) => ok(await loadInstallBuilds(deps, actor, params.game_id, query)),
      {
        limit: 'install',
        visitor: SCOPE,
        query: BuildsQuery,
        response: Envelope(InstallBuilds),
        summary: 'The newest files of a listing for each platform, on one channel',
        mayMove: true,
        fails: ['sign_in_to_download', 'forbidden'],
      },
    )
    .get(
      '/files/:file_uid/download',
      async ({ actor, params, query, request, set }) => {
        set.headers['cache-control'] = 'no-store'
        const { file_uid: fileUid } = params
        const reason = query.for ?? 'install'
        const link = () => linkForInstaller(downloads, actor, fileUid)
        if (reason === 'continue') return ok(await link())
        const visit = parseVisit(request.headers, deps.config.countryHeader)
        return ok(await recordAttempt(log, { source: reason, fileUid, visit }, link))
      },
      {
        onFailure: recordRefusals(downloads, 'install', fileInPath),
        limit: 'install',
        visitor: SCOPE,
        query: DownloadQuery,
        response: Envelope(DownloadLink),
        summary: 'A link to a file, valid for five minutes',
        description:
          'The link answers a single `Range`, and `If-Range` with the `ETag` of an earlier answer.',
        fails: DOWNLOAD_REFUSALS,
      },
    )
    .get(
      '/files/:file_uid/contents',
      async ({ actor, params }) =>
        respondContents(await loadInstallContents(downloads, actor, params.file_uid)),
      {
        limit: 'install_contents',
        visitor: SCOPE,
        summary: 'The files inside a zip and their parts, in one compact document',
        fails: DOWNLOAD_REFUSALS,
        detail: { responses: { 200: CONTENTS_RESPONSE } },
      },
    )
    .post(
      '/games/:game_id/claim',
      async ({ actor, params, status }) => {
        const { item, isNew } = await claimGame(deps, actor, params.game_id)
        return status(isNew ? 201 : 200, ok(item))
      },
      {
        limit: 'install',
        player: SCOPE,
        response: { 200: Envelope(LibraryItem), 201: Envelope(LibraryItem) },
        summary: 'Add a free listing to the library of the player',
        fails: 'buy_to_download',
      },
    )
}
