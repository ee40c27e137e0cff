import { Elysia } from 'elysia'

import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { recordAttempt } from './attempts.ts'
import { type Downloads } from './downloads.ts'
import { DownloadLink } from './model.ts'
import { fileInPath, recordRefusals } from './refusals.ts'
import { linkForAnyone } from './service.ts'
import { readVisit } from './visit.ts'

const tags = ['Downloads']
const refusals = failsWith('sign_in_to_download', 'still_scanning', 'link_not_signed')
const REDIRECT = { description: '`Location` is a link to the file, valid for five minutes.' }

/** For everyone, without an account. */
export function publicDownloadRoutes(kit: HttpKit, downloads: Downloads) {
  const { deps, log } = downloads

  function link(source: 'signed_out' | 'redirect', fileUid: string, { headers }: Request) {
    const visit = readVisit(headers, deps.config.countryHeader)
    return recordAttempt(log, { source, fileUid, visit }, () => linkForAnyone(downloads, fileUid))
  }

  return new Elysia({ name: 'public-downloads', prefix: '/api/v1/public/downloads' })
    .use(kit)
    .get(
      '/:file_uid',
      async ({ params, request, set }) => {
        set.headers['cache-control'] = 'no-store'
        return ok(await link('signed_out', params.file_uid, request))
      },
      {
        onFailure: recordRefusals(downloads, 'signed_out', fileInPath),
        limit: 'signed_out_download',
        visitor: true,
        response: Envelope(DownloadLink),
        detail: { tags, summary: 'A link to a file, valid for five minutes', ...refusals },
      },
    )
    .get(
      '/:file_uid/redirect',
      async ({ params, request, set, redirect }) => {
        set.headers['cache-control'] = 'no-store'
        const { url } = await link('redirect', params.file_uid, request)
        return redirect(url, 302)
      },
      {
        onFailure: recordRefusals(downloads, 'redirect', fileInPath),
        limit: 'signed_out_download',
        visitor: true,
        detail: { tags, summary: 'Redirect to a file', responses: { 302: REDIRECT }, ...refusals },
      },
    )
}
