import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { DESCRIPTION_MAX } from '../../../features/listings/page/model.ts'
import { editListing } from '../../../features/listings/page/service.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { renderMarkdown } from '../../../lib/text/markdown.ts'
import { Prose } from '../../components/prose.tsx'
import { textOf } from '../../kit/form-state.ts'
import { renderHtml } from '../../kit/html.ts'
import { requireUser } from '../../kit/pages.ts'
import { changes, projectPages, type ShowTab, type TabAct, tabPath } from '../frame/studio-frame.tsx'
import { isUntouched, locate, parsePatch, textsOf, textsOfForm } from './listing-form.ts'
import { PageTab } from './page-tab.tsx'

/** The editor of the store page. */
export function pageRoutes(kit: HttpKit, deps: Deps) {
  const { view, submit } = projectPages(deps)
  const showTab: ShowTab = (project, state) => <PageTab {...{ project, state }} />

  /** Saves what differs from the current page, unless somebody else changed it since the form was opened. */
  const save: TabAct = async (project, form) => {
    const { user, listing, revision } = project
    const current = textsOf(listing)
    const isFresh =
      textOf(form, 'revision') === String(revision) || isUntouched(textOf(form, 'base'), current)
    if (form.has('revision') && !isFresh) throw new AppError('stale')
    const patch = parsePatch(textsOfForm(form, current), current)
    try {
      const saved = await editListing(deps, user, listing.uid, patch, (now) => {
        if (now !== revision) throw new AppError('stale')
      })
      return tabPath({ ...project, ...saved }, 'page', 'saved')
    } catch (error) {
      throw locate(error, patch)
    }
  }

  return createRoutes(kit, { name: 'studio-page', prefix: '/studio' })
    .get('/:uid/page', view(showTab), { page: true })
    .post('/:uid/page', submit('page', save, showTab), changes())
    .post(
      '/preview',
      ({ visit, form, set }) => {
        requireUser(visit.actor)
        const html = renderMarkdown(textOf(form, 'text').slice(0, DESCRIPTION_MAX))
        set.headers['content-type'] = 'text/html; charset=utf-8'
        set.headers['cache-control'] = 'no-store'
        return new Response(renderHtml(<Prose html={html} under={2} />))
      },
      { page: true, limit: 'markdown_preview' },
    )
}
