import { createRoutes, type HttpKit } from '../../http/kit.ts'
import type { Document } from '../../http/openapi/types.ts'
import { atAddress, type Visit } from '../../http/visit.ts'
import { forLatest } from '../../lib/flow/memoize.ts'
import { renderText } from '../kit/html.ts'
import { Layout } from '../kit/layout.tsx'
import { show } from '../kit/render.ts'
import { Reference } from './reference.tsx'

const MAX_AGE_SECONDS = 60

/** The API reference. Rendering it takes long, so it is done once, for the first reader of each document. */
export function docsPages(kit: HttpKit, baseUrl: string, readDocument: () => Document) {
  const renderReference = forLatest((document: Document) => renderText(<Reference document={document} />))
  return createRoutes(kit, { name: 'docs-pages' }).get(
    '/docs',
    ({ visit: sent, set }) => {
      const visit = atAddress(sent, '/docs')
      const document = readDocument()
      const page = (
        <ReferencePage
          visit={visit}
          canonical={`${baseUrl}/docs`}
          description={document.info.summary}
          reference={renderReference(document)}
        />
      )
      return show(visit, set, page, { maxAge: MAX_AGE_SECONDS, cacheDeps: [document] })
    },
    { page: true },
  )
}

interface ReferencePageProps {
  visit: Visit
  canonical: string
  description: string
  /** The rendered `Reference`, which is the same for everybody. */
  reference: string
}

function ReferencePage({ visit, canonical, description, reference }: ReferencePageProps) {
  return (
    <Layout
      visit={visit}
      title="API reference"
      description={description}
      canonical={canonical}
      isIndexed
      style="docs"
      scripts={['docs']}
      head={<link rel="service-desc" type="application/json" href="/api/v1/public/openapi.json" />}
    >
      <div class="docs" dangerouslySetInnerHTML={{ __html: reference }} />
    </Layout>
  )
}
