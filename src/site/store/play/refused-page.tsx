import type { AppError } from '../../../errors.ts'
import type { GameRow } from '../../../features/games/service.ts'
import type { Visit } from '../../../http/visit.ts'
import { Layout } from '../../kit/layout.tsx'
import { signInPath } from '../../kit/signed-in.ts'

interface RefusedPageProps {
  visit: Visit
  game: GameRow
  error: AppError
}

/** Says why the game cannot be played, and leads to where that can be changed. */
export function RefusedPage({ visit, game, error }: RefusedPageProps) {
  const [href, label] = wayOut({ visit, game, error }) ?? []
  const page = `/games/${game.vanityName}`
  return (
    <Layout visit={visit} title={`Play ${game.name}`}>
      <div class="empty">
        <h1>{game.name} cannot be played here yet</h1>
        <p role="alert">{error.message}</p>
        <p class="row center">
          {href === undefined ? null : (
            <a class="button" href={href}>
              {label}
            </a>
          )}
          <a class={href === undefined ? 'button' : 'button second'} href={page}>
            To the page of the game
          </a>
        </p>
      </div>
    </Layout>
  )
}

function wayOut({ visit, game, error }: RefusedPageProps): [href: string, label: string] | null {
  const { actor, url } = visit
  if (error.kind === 'sign_in_to_download') return [signInPath(visit), 'Sign in']
  if (error.kind === 'still_scanning') return [url.pathname + url.search, 'Try again']
  if (game.adult && actor.kind === 'user' && !actor.adultContent) return ['/account', 'Open your account']
  return null
}
