import type { Deps } from '../../deps.ts'
import type { WebsiteUser } from '../../domain/actor.ts'
import { jamPath } from '../../domain/site-urls.ts'
import { AppError } from '../../errors.ts'
import { JamCodeInput, LateLinkInput } from '../../features/jams/codes/model.ts'
import { createCode, createLateLink, endCode, listCodes } from '../../features/jams/codes/service.ts'
import { removeCover, uploadCover } from '../../features/jams/jams/cover.ts'
import { deleteJam, editJam, getOwnJam } from '../../features/jams/jams/service.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { parsePage } from '../../lib/paging.ts'
import { type FieldReader, readForm, textOf, utcTime } from '../kit/form-state.ts'
import { type Act, atPage, ownPages, type PageContext, type ShowPage } from '../kit/pages.ts'
import { openShownJam, openWholeJam, type ShownJam } from './jam-frame.tsx'
import { CodesPage, LateLinksPage, ManagePage, NewCodePage } from './manage-pages.tsx'
import { parseJamPatch, placeCriteria } from './parse-jam-form.ts'

const { view, submit } = ownPages
const written = () => ({ page: true, limit: 'account_write' }) as const
const uploads = () => ({ rawBody: true, page: true, limit: 'image_upload' }) as const

type HostPage = ShowPage<WebsiteUser>
type HostAct = Act<WebsiteUser>

/** The same answer as for a jam that is not there, for everyone who does not run it. */
export async function openManaged(deps: Deps, context: PageContext): Promise<ShownJam> {
  return requireManager(await openShownJam(deps, context))
}

function requireManager<Shown extends ShownJam>(shown: Shown): Shown {
  if (!shown.mayManage) throw new AppError('not_found')
  return shown
}

/** The pages with which hosts run a jam. */
export function jamManagePages(kit: HttpKit, deps: Deps) {
  const baseOf = ({ jam }: ShownJam) => jamPath(jam.slug, 'manage')

  const showManage: HostPage = async (_, context) => {
    const shown = requireManager(await openWholeJam(deps, context))
    return <ManagePage {...{ state: atPage(context, baseOf(shown)), shown }} />
  }

  const save: HostAct = async (user, form, { params: { jam: ref = '' } }) => {
    const { jam } = await getOwnJam(deps, user, ref)
    const revision = Number(textOf(form, 'revision'))
    try {
      const patch = parseJamPatch(form, jam)
      const edited = await editJam(deps, user, jam.uid, patch, (current) => {
        if (current !== revision) throw new AppError('stale')
      })
      return `${jamPath(edited.jam.slug, 'manage')}?done=saved`
    } catch (error) {
      throw placeCriteria(error, form)
    }
  }

  const setCover: HostAct = async (user, _, context) => {
    const { slug } = await uploadCover(deps, user, context.params['jam'] ?? '', context)
    return `${jamPath(slug, 'manage')}?done=pictured#cover`
  }

  const clearCover: HostAct = async (user, _, { params: { jam = '' } }) => {
    const { slug } = await removeCover(deps, user, jam)
    return `${jamPath(slug, 'manage')}?done=unpictured#cover`
  }

  const remove: HostAct = async (user, _, { params: { jam = '' } }) => {
    await deleteJam(deps, user, jam)
    return '/jams?done=deleted'
  }

  const showCodes: HostPage = async (user, context) => {
    const shown = await openManaged(deps, context)
    const state = atPage(context, `${baseOf(shown)}/codes`)
    const codes = await listCodes(deps, user, shown.jam.uid, false, parsePage(state.query))
    return <CodesPage {...{ state, shown, codes }} />
  }

  const showLateLinks: HostPage = async (user, context) => {
    const shown = await openManaged(deps, context)
    const state = atPage(context, `${baseOf(shown)}/late-links`)
    const codes = await listCodes(deps, user, shown.jam.uid, true, parsePage(state.query))
    return <LateLinksPage {...{ state, shown, codes }} />
  }

  const makeCode: HostAct = async (user, form, { visit, params: { jam = '' } }) => {
    const made = await createCode(deps, user, jam, readForm(JamCodeInput, form, { expires_at: maybeTime }))
    const back = `${jamPath(jam, 'manage')}/codes`
    return {
      page: <NewCodePage {...{ visit, title: 'New code', secret: made.code, back }} />,
      isSecret: true,
    }
  }

  const makeLateLink: HostAct = async (user, form, { visit, params: { jam = '' } }) => {
    const input = readForm(LateLinkInput, form, { expires_at: maybeTime })
    const made = await createLateLink(deps, user, jam, input)
    const back = `${jamPath(jam, 'manage')}/late-links`
    return {
      page: <NewCodePage {...{ visit, title: 'New late link', secret: made.url, back }} />,
      isSecret: true,
    }
  }

  const end =
    (isLate: boolean): HostAct =>
    async (user, _, { params: { jam = '', code_uid = '' } }) => {
      await endCode(deps, user, jam, isLate, code_uid)
      return `${jamPath(jam, 'manage')}/${isLate ? 'late-links' : 'codes'}?done=ended`
    }

  return createRoutes(kit, { name: 'jam-manage-pages', prefix: '/jams/:jam/manage' })
    .get('', view(showManage), { page: true })
    .post('', submit('jam', save, showManage), written())
    .post('/cover', submit('cover', setCover, showManage), uploads())
    .post('/cover/remove', submit('cover', clearCover, showManage), written())
    .post('/delete', submit('delete', remove, showManage), written())
    .get('/codes', view(showCodes), { page: true })
    .post('/codes', submit('code', makeCode, showCodes), written())
    .post('/codes/:code_uid/end', submit('end', end(false), showCodes), written())
    .get('/late-links', view(showLateLinks), { page: true })
    .post('/late-links', submit('late', makeLateLink, showLateLinks), written())
    .post('/late-links/:code_uid/end', submit('end', end(true), showLateLinks), written())
}

/** A day and a time of UTC; empty leaves it out. */
const maybeTime: FieldReader = (form, name) => utcTime(form, name) ?? undefined
