import type { AppError } from '../../errors.ts'
import type { Visit } from '../../http/visit.ts'
import { Layout } from './layout.tsx'

const TITLES: Readonly<Record<number, string>> = {
  401: 'Please sign in',
  403: 'This is not for you',
  404: 'There is no such page',
  429: 'That was a lot at once',
  503: 'Back in a moment',
}

/** The error page. A hidden page and a missing one look the same. */
export function FailurePage({ visit, error }: { visit: Visit; error: AppError }) {
  const title = TITLES[error.status] ?? (error.status >= 500 ? 'Something went wrong' : 'That did not work')
  return (
    <Layout visit={visit} title={title}>
      <div class="empty">
        <h1>{title}</h1>
        <p role="alert">{adviceFor(error)}</p>
        <p class="row">
          <a class="button" href="/">
            To the start page
          </a>
          <a class="button second" href="/search">
            Browse everything
          </a>
        </p>
      </div>
    </Layout>
  )
}

function adviceFor(error: AppError): string {
  if (error.status === 404) return 'The address may be mistyped, or the page was removed or hidden.'
  if (error.status === 429) {
    return `Wait ${error.headers['retry-after'] ?? 'a few'} seconds, then load the page again.`
  }
  return error.message
}
