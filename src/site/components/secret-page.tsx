import type { ComponentChildren } from 'preact'

import type { Visit } from '../../http/visit.ts'
import { Layout } from '../kit/layout.tsx'
import { Message } from '../kit/outcome.tsx'

interface SecretPageProps {
  visit: Visit
  title: string
  /** What to do with it, and that it is not shown again. */
  warning: string
  /** The address of the form that created the secret. */
  back: string
  children: ComponentChildren
}

/** Shows a new secret alone on a page, because it is never shown again. */
export function SecretPage({ visit, title, warning, back, children }: SecretPageProps) {
  return (
    <Layout visit={visit} title={title} scripts={['copy']}>
      <div class="panel small-page secret-page">
        <h1>{title}</h1>
        <Message class="notice warn" role="status">
          <p>{warning}</p>
        </Message>
        {children}
        <a class="button second" href={back}>
          Done
        </a>
      </div>
    </Layout>
  )
}
