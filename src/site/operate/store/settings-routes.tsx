import { Elysia } from 'elysia'

import { startPage } from '../../../domain/legal-pages.ts'
import { STORE_IMAGES } from '../../../domain/store-settings.ts'
import { AppError, invalidFields } from '../../../errors.ts'
import type { Operate } from '../../../features/operate/operate.ts'
import { receiveStoreImage, removeStoreImage } from '../../../features/operate/settings/images.ts'
import { changeSettings, getSettings, previewSettings } from '../../../features/operate/settings/service.ts'
import { SettingsPatch } from '../../../features/settings/model.ts'
import { createFronts } from '../../../features/settings/storefront.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { renderMarkdown } from '../../../lib/text/markdown.ts'
import { checkForm, textOf } from '../../kit/form-state.ts'
import { atPage, type PageContext } from '../../kit/pages.ts'
import { type OperatorAct, operatorAct, type OperatorPage, operatorPages } from '../operator-form.ts'
import { PageEditor } from './page-editor.tsx'
import { readGroup, readSettingsForm, resetGroup } from './settings-form.ts'
import { SettingsPage } from './settings-page.tsx'

const PATH = '/operate/settings'
const uploads = () => ({ rawBody: true, operatorPage: true, limit: 'operator' }) as const

/** How the store is called, looks and behaves. */
export function storeSettingsPages(kit: HttpKit, operate: Operate) {
  const { view, submit } = operatorPages(operate)
  const show: OperatorPage = async (_, context) => (
    <SettingsPage state={withGroup(atPage(context, PATH))} now={await getSettings(operate)} />
  )

  const save: OperatorAct = async (operator, form, context) => {
    const group = readGroup(form)
    const isReset = form.get('do') === 'default'
    const patch = isReset ? resetGroup(group) : readSettingsForm(form)
    if (form.get('do') === 'preview') return await preview(patch, context)
    await changeSettings(operate, operator, patch, revisionOf(form))
    return `${PATH}?done=${isReset ? 'default' : 'saved'}#${group}`
  }

  async function preview(patch: SettingsPatch, context: PageContext) {
    const { before, after } = await previewSettings(operate, patch)
    const { announcing: store } = createFronts(operate.deps.config, after)
    const visit = { ...context.visit, store }
    const state = entered({ ...context, visit }, readGroup(context.form))
    return { page: <SettingsPage {...{ state, now: before, preview: after }} />, visit, status: 200 }
  }

  const showEditor: OperatorPage = async (_, context) => {
    const { settings, revision } = await getSettings(operate)
    const was = context.refused?.form.values.get('was') ?? context.query.slug ?? ''
    const known = settings.pages.find(({ slug }) => slug === was)
    if (was !== '' && !known) throw new AppError('not_found')
    const page = known ?? startPage(context.query.new ?? '', settings.name)
    return <PageEditor {...{ state: atPage(context, `${PATH}/page`), revision, page, was }} />
  }

  const savePage: OperatorAct = async (operator, form, context) => {
    const { settings, revision } = await getSettings(operate)
    const was = textOf(form, 'was')
    const page = {
      slug: textOf(form, 'slug').trim(),
      title: textOf(form, 'title'),
      markdown: textOf(form, 'markdown').replaceAll('\r\n', '\n'),
    }
    if (form.get('do') === 'preview') {
      const state = entered(context, 'page')
      const preview = renderMarkdown(page.markdown, operate.deps.config.baseUrl)
      return { page: <PageEditor {...{ state, revision, page, was, preview }} />, status: 200 }
    }
    const at = settings.pages.findIndex(({ slug }) => slug === was)
    const index = was === '' || at === -1 ? settings.pages.length : at
    const patch = { pages: settings.pages.toSpliced(index, 1, page) }
    try {
      checkForm(SettingsPatch, patch)
      await changeSettings(operate, operator, patch, revisionOf(form))
    } catch (error) {
      throw atFields(error, `pages.${index}.`)
    }
    return `${PATH}?done=page#pages`
  }

  const deletePage: OperatorAct = async (operator, form) => {
    const { settings, revision } = await getSettings(operate)
    const pages = settings.pages.filter(({ slug }) => slug !== textOf(form, 'was'))
    await changeSettings(operate, operator, { pages }, (current) => {
      if (current !== revision) throw new AppError('stale')
    })
    return `${PATH}?done=page-deleted#pages`
  }

  const pages = new Elysia({ name: 'store-settings-pages', prefix: '/settings' })
    .use(kit)
    .get('', view(show), { operatorPage: true })
    .post('', submit('settings', save, show), operatorAct())
    .get('/page', view(showEditor), { operatorPage: true })
    .post('/page', submit('page', savePage, showEditor), operatorAct())
    .post('/page/delete', submit('page', deletePage, show), operatorAct())
  for (const name of STORE_IMAGES) {
    const upload: OperatorAct = async (operator, _, context) => {
      await receiveStoreImage(operate, operator, name, context)
      return `${PATH}?done=image#images`
    }
    const remove: OperatorAct = async (operator) => {
      await removeStoreImage(operate, operator, name)
      return `${PATH}?done=image-removed#images`
    }
    pages
      .post(`/images/${name}`, submit(name, upload, show), uploads())
      .post(`/images/${name}/delete`, submit(name, remove, show), operatorAct())
  }
  return pages
}

/** A form was made from one revision; another one means that somebody else saved meanwhile. */
function revisionOf(form: URLSearchParams): (revision: number) => void {
  return (revision) => {
    if (form.has('revision') && textOf(form, 'revision') !== String(revision)) throw new AppError('stale')
  }
}

/** The page with what was entered into one form, and no faults. */
function entered(context: PageContext, name: string): PageContext {
  const refused = { name, form: { values: context.form, faults: [] }, status: 200 }
  return atPage({ ...context, refused }, PATH)
}

/** All groups are sent to one address; a rejected one is shown at its own form. */
function withGroup(context: PageContext): PageContext {
  const { refused } = context
  if (refused?.name !== 'settings') return context
  return { ...context, refused: { ...refused, name: readGroup(refused.form.values) } }
}

/** The faults of one page at the fields of its form. */
function atFields(error: unknown, prefix: string): unknown {
  const issues: unknown = error instanceof AppError ? error.data?.issues : undefined
  if (!Array.isArray(issues)) return error
  const named = (issues as { path: string; message: string }[]).map(({ path, message }) => ({
    path: path.startsWith(prefix) ? path.slice(prefix.length) : path,
    message: message.replace(/^pages\[\d+\]\./, ''),
  }))
  return invalidFields(named)
}
