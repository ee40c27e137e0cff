import type { Visit } from '../../http/visit.ts'
import { Layout } from '../kit/layout.tsx'

interface ReferencePageProps {
  visit: Visit
  canonical: string
  description: string
  /** The rendered `Reference`, which is the same for everybody. */
  reference: string
}

export function ReferencePage({ visit, canonical, description, reference }: ReferencePageProps) {
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
