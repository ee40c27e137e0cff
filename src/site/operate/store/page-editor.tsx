import {
  PAGE_SLUG_MAX,
  PAGE_TEXT_MAX,
  PAGE_TITLE_MAX,
  type StorePage,
} from '../../../domain/store-settings.ts'
import { Prose } from '../../components/prose.tsx'
import { AreaField, TextField } from '../../kit/controls.tsx'
import { PostForm, Submit } from '../../kit/form.tsx'
import { formOf, type PageState } from '../../kit/pages.ts'
import { OperateFrame } from '../operate-frame.tsx'
import { Blanks } from './pages-group.tsx'

interface PageEditorProps {
  state: PageState
  revision: number
  /** The page as it is, or a new one. */
  page: StorePage
  /** Its slug before the change; empty for a new page. */
  was: string
  /** The text as HTML, if it is previewed. */
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
