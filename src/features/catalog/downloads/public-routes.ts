import type { Anonymous, Player } from '../../../domain/actor.ts'
import { Envelope, ok } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { inForm } from './apk.ts'
import { DownloadLink, DownloadQuery } from './model.ts'
import { DOWNLOAD_REFUSALS, fileInPath, recordRefusals } from './refusals.ts'
import { type Downloads, linkForAnyone, linkForInstaller, parseVisit, recordAttempt } from './service.ts'

const description =
  'Stable files of free projects with anonymous downloads; with a player’s key or token that has the scope `player:install`, what they own too.'
const REDIRECT = { description: '`Location` is a link to the file, valid for five minutes.' }

/** For everyone, without an account; and for players with a key. */
export function publicDownloadRoutes(kit: HttpKit, downloads: Downloads) {
  const { deps, log } = downloads

  function link(
    source: 'signed_out' | 'redirect',
    fileUid: string,
    { actor, request, query }: { actor: Anonymous | Player; request: Request; query: DownloadQuery },
  ) {
    const visit = parseVisit(request.headers, deps.config.countryHeader)
    const isInstaller = actor.kind === 'player' && actor.scopes.includes('player:install')
    return recordAttempt(log, { source, fileUid, visit }, () =>
      inForm(
        downloads,
        query,
        fileUid,
        isInstaller ? linkForInstaller(downloads, actor, fileUid) : linkForAnyone(downloads, fileUid),
      ),
    )
  }

  return createRoutes(kit, {
    name: 'public-downloads',
    prefix: '/api/v1/public/downloads',
    tags: ['Downloads'],
  })
    .get(
      '/:file_uid',
      async ({ actor, params, query, request, set }) => {
        set.headers['cache-control'] = 'no-store'
        return ok(await link('signed_out', params.file_uid, { actor, request, query }))
      },
      {
        onFailure: recordRefusals(downloads, 'signed_out', fileInPath),
        limit: 'signed_out_download',
        visitor: 'download',
        query: DownloadQuery,
        response: Envelope(DownloadLink),
        summary: 'A link to a file, valid for five minutes',
        fails: DOWNLOAD_REFUSALS,
        detail: { description },
      },
    )
    .get(
      '/:file_uid/redirect',
      async ({ actor, params, query, request, set, redirect }) => {
        set.headers['cache-control'] = 'no-store'
        const { url } = await link('redirect', params.file_uid, { actor, request, query })
        return redirect(url, 302)
      },
      {
        onFailure: recordRefusals(downloads, 'redirect', fileInPath),
        limit: 'signed_out_download',
        visitor: 'download',
        query: DownloadQuery,
        summary: 'Redirect to a file',
        fails: DOWNLOAD_REFUSALS,
        detail: { description, responses: { 302: REDIRECT } },
      },
    )
}
