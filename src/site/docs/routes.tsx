import { Elysia } from 'elysia'

import type { HttpKit } from '../../http/kit.ts'
import type { Document } from '../../http/openapi/types.ts'
import { atAddress } from '../../http/visit.ts'
import { forLatest } from '../../lib/flow/for-latest.ts'
import { renderBounded } from '../kit/page-size.ts'
import { show } from '../kit/render.ts'
import { ReferencePage } from './reference-page.tsx'
import { Reference } from './reference.tsx'

const MAX_AGE_SECONDS = 60

/** The API reference. Rendering it takes long, so it is done once, for the first reader of each document. */
export function docsPages(kit: HttpKit, baseUrl: string, readDocument: () => Document) {
  const renderReference = forLatest((document: Document) => renderBounded(<Reference document={document} />))
  return new Elysia({ name: 'docs-pages' }).use(kit).get(
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
      return show(visit, set, page, { maxAge: MAX_AGE_SECONDS, madeOf: [document] })
    },
    { page: true },
  )
}
