import { countBlanks, LEGAL_PAGES } from '../../../domain/legal-pages.ts'
import { PAGES_MAX, type StorePage } from '../../../domain/store-settings.ts'
import { Badge } from '../../components/badge.tsx'
import { FieldGroup } from '../../kit/field-group.tsx'
import { countText } from '../../kit/labels.ts'

/** A page with blanks is shown to visitors as it is, so operators are warned. */
export function Blanks({ markdown }: { markdown: string }) {
  const count = countBlanks(markdown)
  if (count === 0) return null
  return (
    <p class="small">
      <Badge tone="warn">{countText(count, 'blank')} to fill</Badge> Replace each text in square brackets, or
      delete it.
    </p>
  )
}

export function PagesGroup({ pages }: { pages: readonly StorePage[] }) {
  const missing = Object.entries(LEGAL_PAGES).filter(([slug]) => pages.every((page) => page.slug !== slug))
  return (
    <FieldGroup
      id="pages"
      title="Pages"
      hint={`Up to ${PAGES_MAX} texts of your own. Each has a link at the end of every page; the sign-up names terms and privacy.`}
    >
      {pages.length === 0 ? null : (
        <ul class="records">
          {pages.map(({ slug, title, markdown }) => (
            <li key={slug}>
              <div>
                <strong>{title}</strong>
                <p class="quiet small">
                  /pages/{slug}, {countText(markdown.length, 'character')}
                </p>
                <Blanks markdown={markdown} />
              </div>
              <div class="row">
                <a class="button second" href={`/pages/${slug}`}>
                  Open<span class="visually-hidden"> {title}</span>
                </a>
                <a class="button second" href={`/operate/settings/page?slug=${slug}`}>
                  Edit<span class="visually-hidden"> {title}</span>
                </a>
              </div>
            </li>
          ))}
        </ul>
      )}
      {pages.length >= PAGES_MAX ? null : (
        <p class="row">
          {missing.map(([slug, title]) => (
            <a key={slug} class="button second" href={`/operate/settings/page?new=${slug}`}>
              Write {title}
            </a>
          ))}
          <a class="button second" href="/operate/settings/page">
            Write another page
          </a>
        </p>
      )}
    </FieldGroup>
  )
}
