import { countBlanks, LEGAL_PAGES } from '../../../domain/legal-pages.ts'
import {
  PAGE_SLUG_MAX,
  PAGE_TEXT_MAX,
  PAGE_TITLE_MAX,
  PAGES_MAX,
  type StorePage,
} from '../../../domain/store-settings.ts'
import { Prose } from '../../components/prose.tsx'
import { AreaField, FieldGroup, PostForm, Submit, TextField } from '../../kit/form.tsx'
import { Badge, countText } from '../../kit/labels.tsx'
import { formOf, type PageState } from '../../kit/pages.ts'
import { OperateFrame } from '../operate-frame.tsx'

/** Warns operators if the text still has blanks to fill in, because visitors see them too. */
function Blanks({ markdown }: { markdown: string }) {
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
                <strong dir="auto">{title}</strong>
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

interface PageEditorProps {
  state: PageState
  revision: number
  /** The saved page, or a new one. */
  page: StorePage
  /** The slug before the change; empty for a new page. */
  was: string
  /** The text as HTML, while it is previewed. */
  preview?: string
}

export function PageEditor({ state, revision, page, was, preview }: PageEditorProps) {
  const form = formOf(state, 'page')
  return (
    <OperateFrame
      state={state}
      tab="/operate/settings"
      title={was === '' ? 'A new page' : `Edit ${page.title}`}
    >
      <PostForm action="/operate/settings/page" class="form page-editor">
        <input type="hidden" name="was" value={was} />
        <input type="hidden" name="revision" value={String(revision)} />
        <TextField
          {...{ form, name: 'title', label: 'Title', value: page.title, limit: PAGE_TITLE_MAX }}
          required
        />
        <TextField
          {...{ form, name: 'slug', label: 'Address', value: page.slug, limit: PAGE_SLUG_MAX }}
          hint="What follows /pages/: letters a to z, digits and dashes."
          required
        />
        <AreaField
          {...{ form, name: 'markdown', label: 'Text', value: page.markdown, rows: 18, limit: PAGE_TEXT_MAX }}
          hint="Markdown. HTML is shown as text, pictures become links, and /pages/terms leads to that page."
        />
        <Blanks markdown={form.values.get('markdown') ?? page.markdown} />
        <div class="row">
          <Submit name="do" value="save">
            Save
          </Submit>
          <Submit look="second" name="do" value="preview">
            Preview
          </Submit>
          <a class="button second" href="/operate/settings#pages">
            Cancel
          </a>
        </div>
      </PostForm>
      {was === '' ? null : (
        <PostForm action="/operate/settings/page/delete" class="act">
          <input type="hidden" name="was" value={was} />
          <Submit look="danger">Delete this page</Submit>
        </PostForm>
      )}
      {preview === undefined ? null : (
        <section class="panel" aria-labelledby="page-preview">
          <h2 id="page-preview">Preview</h2>
          <Prose html={preview} under={2} />
        </section>
      )}
    </OperateFrame>
  )
}
