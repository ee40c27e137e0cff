import { createLabelReader } from '../../../domain/play-origins.ts'
import { AppError } from '../../../errors.ts'
import { createOriginHeaders } from './headers.ts'
import { refusalPage } from './pages.ts'
import type { PlayServer } from './server.ts'

interface Sockets {
  requestIP(request: Request): { address: string } | null
}

/**
 * Separates the origins of games from the store. Only the Host header counts: it is part of every cache's key, while a
 * visitor could send any X-Forwarded-Host.
 */
export function createPlayHosts(
  { playUrl, baseUrl }: { playUrl: string | null; baseUrl: string },
  play: PlayServer | null,
  sockets: Sockets,
) {
  const readLabel = playUrl === null ? () => null : createLabelReader(playUrl)
  const headers = createOriginHeaders(baseUrl)
  return {
    labelOf: (request: Request) => readLabel(request.headers.get('host')),
    answer(request: Request, label: string): Response | Promise<Response> {
      if (play) return play.answer(request, label, () => sockets.requestIP(request)?.address)
      return new Response(refusalPage(request, new AppError('not_found'), baseUrl), {
        status: 404,
        headers: headers.page(),
      })
    },
  }
}
