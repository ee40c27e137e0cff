import type { StorePage } from '../../domain/store-settings.ts'
import type { Visit } from '../../http/visit.ts'
import { cutAtWord } from '../../lib/text/characters.ts'
import { renderMarkdown, textOfMarkdown } from '../../lib/text/markdown.ts'
import { Prose } from '../components/prose.tsx'
import { Layout } from '../kit/layout.tsx'

const DESCRIPTION_MAX = 160
/** The description for search engines is made from this many characters of the text. */
const BEGINNING = 1000

interface OwnPageProps {
  visit: Visit
  page: StorePage
  baseUrl: string
}

/** A page that the operators wrote, such as the imprint. */
export function OwnPage({ visit, page, baseUrl }: OwnPageProps) {
  const { slug, title, markdown } = page
  const canonical = `${baseUrl}/pages/${slug}`
  const description = cutAtWord(textOfMarkdown(markdown.slice(0, BEGINNING)), DESCRIPTION_MAX)
  return (
    <Layout {...{ visit, title, description, canonical }} isIndexed>
      <article>
        <h1 dir="auto">{title}</h1>
        <Prose html={renderMarkdown(markdown, baseUrl)} under={1} />
      </article>
    </Layout>
  )
}
