import type { Deps } from '../../../deps.ts'
import { startPage } from '../../../domain/legal-pages.ts'
import { STORE_IMAGES } from '../../../domain/store-settings.ts'
import { AppError } from '../../../errors.ts'
import { receiveStoreImage, removeStoreImage } from '../../../features/operate/settings/images.ts'
import { changeSettings, getSettings, previewSettings } from '../../../features/operate/settings/service.ts'
import { SettingsPatch } from '../../../features/settings/model.ts'
import { createFronts } from '../../../features/settings/storefront.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { renderMarkdown } from '../../../lib/text/markdown.ts'
import { checkForm, textOf } from '../../kit/form-state.ts'
import { atPage, type PageContext } from '../../kit/pages.ts'
import {
  moveIssues,
  type OperatorAct,
  operatorAct,
  type OperatorPage,
  operatorPages,
} from '../operator-form.tsx'
import { parseGroup, parseSettingsForm, resetGroup } from './settings-form.ts'
import { SettingsPage } from './settings-page.tsx'
import { PageEditor } from './store-pages.tsx'

const PATH = '/operate/settings'
const uploads = () => ({ rawBody: true, operatorPage: true, limit: 'operator' }) as const

/** The pages for the settings of the store. */
export function storeSettingsPages(kit: HttpKit, deps: Deps) {
  const { view, submit } = operatorPages(deps)
  const show: OperatorPage = async (_, context) => (
    <SettingsPage state={withGroup(atPage(context, PATH))} now={await getSettings(deps)} />
  )

  const save: OperatorAct = async (operator, form, context) => {
    const group = parseGroup(form)
    const isReset = form.get('do') === 'default'
    const patch = isReset ? resetGroup(group) : parseSettingsForm(form)
    if (form.get('do') === 'preview') return await preview(patch, context)
    await changeSettings(deps, operator, patch, revisionOf(form))
    return `${PATH}?done=${isReset ? 'default' : 'saved'}#${group}`
  }

  async function preview(patch: SettingsPatch, context: PageContext) {
    const { before, after } = await previewSettings(deps, patch)
    const { announcing: store } = createFronts(deps.config, after)
    const visit = { ...context.visit, store }
    const state = entered({ ...context, visit }, parseGroup(context.form))
    return { page: <SettingsPage {...{ state, now: before, preview: after }} />, visit, status: 200 }
  }

  const showEditor: OperatorPage = async (_, context) => {
    const { settings, revision } = await getSettings(deps)
    const was = context.refused?.form.values.get('was') ?? context.query.slug ?? ''
    const known = settings.pages.find(({ slug }) => slug === was)
    if (was !== '' && !known) throw new AppError('not_found')
    const page = known ?? startPage(context.query.new ?? '', settings.name)
    return <PageEditor {...{ state: atPage(context, `${PATH}/page`), revision, page, was }} />
  }

  const savePage: OperatorAct = async (operator, form, context) => {
    const { settings, revision } = await getSettings(deps)
    const was = textOf(form, 'was')
    const page = {
      slug: textOf(form, 'slug').trim(),
      title: textOf(form, 'title'),
      markdown: textOf(form, 'markdown').replaceAll('\r\n', '\n'),
    }
    if (form.get('do') === 'preview') {
      const state = entered(context, 'page')
      const preview = renderMarkdown(page.markdown, deps.config.baseUrl)
      return { page: <PageEditor {...{ state, revision, page, was, preview }} />, status: 200 }
    }
    const at = settings.pages.findIndex(({ slug }) => slug === was)
    const index = was === '' || at === -1 ? settings.pages.length : at
    const patch = { pages: settings.pages.toSpliced(index, 1, page) }
    try {
      checkForm(SettingsPatch, patch)
      await changeSettings(deps, operator, patch, revisionOf(form))
    } catch (error) {
      throw moveIssues(error, ({ path, message }) => ({
        path: path.replace(`pages.${index}.`, ''),
        message: message.replace(/^pages\[\d+\]\./, ''),
      }))
    }
    return `${PATH}?done=page#pages`
  }

  const deletePage: OperatorAct = async (operator, form) => {
    const { settings, revision } = await getSettings(deps)
    const pages = settings.pages.filter(({ slug }) => slug !== textOf(form, 'was'))
    await changeSettings(deps, operator, { pages }, (current) => {
      if (current !== revision) throw new AppError('stale')
    })
    return `${PATH}?done=page-deleted#pages`
  }

  const pages = createRoutes(kit, { name: 'store-settings-pages', prefix: '/settings' })
    .get('', view(show), { operatorPage: true })
    .post('', submit('settings', save, show), operatorAct())
    .get('/page', view(showEditor), { operatorPage: true })
    .post('/page', submit('page', savePage, showEditor), operatorAct())
    .post('/page/delete', submit('page', deletePage, show), operatorAct())
  for (const name of STORE_IMAGES) {
    const upload: OperatorAct = async (operator, _, context) => {
      await receiveStoreImage(deps, operator, name, context)
      return `${PATH}?done=image#images`
    }
    const remove: OperatorAct = async (operator) => {
      await removeStoreImage(deps, operator, name)
      return `${PATH}?done=image-removed#images`
    }
    pages
      .post(`/images/${name}`, submit(name, upload, show), uploads())
      .post(`/images/${name}/delete`, submit(name, remove, show), operatorAct())
  }
  return pages
}

/** Throws `stale` if somebody else has saved since the form was opened. */
function revisionOf(form: URLSearchParams): (revision: number) => void {
  return (revision) => {
    if (form.has('revision') && textOf(form, 'revision') !== String(revision)) throw new AppError('stale')
  }
}

/** Shows the entries of one form again, without faults. */
function entered(context: PageContext, name: string): PageContext {
  const refused = { name, form: { values: context.form, faults: [] }, status: 200 }
  return atPage({ ...context, refused }, PATH)
}

/** All groups are sent to one address, so the form to show a rejection at is found by the group in it. */
function withGroup(context: PageContext): PageContext {
  const { refused } = context
  if (refused?.name !== 'settings') return context
  return { ...context, refused: { ...refused, name: parseGroup(refused.form.values) } }
}
