import { Elysia } from 'elysia'

import type { HttpKit } from '../../http/kit.ts'
import type { Document } from '../../http/openapi/types.ts'
import { atAddress } from '../../http/visit.ts'
import { renderBounded } from '../kit/page-size.ts'
import { show } from '../kit/render.ts'
import { ReferencePage } from './reference-page.tsx'
import { Reference } from './reference.tsx'

const MAX_AGE_SECONDS = 60

/** The API reference. Rendering it takes long, so it is done once, for the first reader. */
export function docsPages(kit: HttpKit, baseUrl: string, readDocument: () => Document) {
  let reference: string | undefined
  return new Elysia({ name: 'docs-pages' }).use(kit).get(
    '/docs',
    ({ visit: sent, set }) => {
      const visit = atAddress(sent, '/docs')
      const document = readDocument()
      reference ??= renderBounded(<Reference document={document} />)
      const page = (
        <ReferencePage
          visit={visit}
          canonical={`${baseUrl}/docs`}
          description={document.info.summary}
          reference={reference}
        />
      )
      return show(visit, set, page, { maxAge: MAX_AGE_SECONDS, madeOf: [document] })
    },
    { page: true },
  )
}
