import type { AppError } from '../../errors.ts'
import { sendPage } from '../../http/output/pages.ts'
import { readEncoding } from '../../http/server/compression.ts'
import { recallActor } from '../../http/server/request-facts.ts'
import { readVisit } from '../../http/visit.ts'
import { FailurePage } from './failure-page.tsx'
import { renderPage } from './render.ts'

/** The error page. The actor is known unless the request failed before authentication. */
export function showFailure(
  error: AppError,
  request: Request,
  headers: Record<string, string | number>,
): Response {
  const actor = recallActor(request)
  const visit = readVisit(request, actor?.kind === 'user' ? actor : { kind: 'anonymous' })
  const page = renderPage(<FailurePage visit={visit} error={error} />, readEncoding(request.headers))
  return sendPage(page, request, headers, { maxAge: null, status: error.status })
}
