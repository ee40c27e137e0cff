import { attachmentDisposition } from '../../../clients/objects/content-disposition.ts'
import { openBody } from '../../../clients/objects/open-body.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { savesPath } from '../../../domain/site-urls.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { loadWebUse, saveChoice, withdrawChoice } from '../../../features/saves/access/service.ts'
import {
  deleteAllSaves,
  deleteSavesOf,
  type KeptSaves,
  openArchive,
  openKept,
} from '../../../features/saves/library/service.ts'
import {
  binSave,
  findSave,
  listRevisions,
  listSavesOf,
  purgeRevision,
  purgeSlot,
  restoreSave,
} from '../../../features/saves/slots/service.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { parsePage } from '../../../lib/paging.ts'
import { textOf } from '../../kit/form-state.ts'
import { type Act, atPage, ownPages, type PageState, requireUser, type ShowPage } from '../../kit/pages.ts'
import { sectionPath } from '../account-frame.tsx'
import { SavesPage, type ShownHistory } from './saves-page.tsx'
import { WEB_CHOICES, type WebChoice } from './web-use.tsx'

const { view, submit } = ownPages
const written = () => ({ page: true, limit: 'save_write' }) as const
const read = () => ({ page: true, limit: 'library' }) as const

/** The saves of a game, as their player sees, downloads and deletes them. */
export function savePages(kit: HttpKit, deps: Deps) {
  const open = (user: WebsiteUser, { uid = '' }: Readonly<Record<string, string>>) =>
    openKept(deps, user, uid)

  const loadHistory = async (
    kept: KeptSaves,
    { visit, query, refused }: PageState,
  ): Promise<ShownHistory | null> => {
    const slot = refused ? null : visit.url.searchParams.get('slot')
    if (slot === null) return null
    return { slot, revisions: await listRevisions(deps.db, kept, slot, parsePage(query)) }
  }

  const showSaves: ShowPage<WebsiteUser> = async (user, context) => {
    const kept = await open(user, context.params)
    const state = atPage(context, savesPath(kept.ref))
    const [web, list, bin, history] = await Promise.all([
      loadWebUse(deps, kept),
      listSavesOf(deps, kept, false),
      listSavesOf(deps, kept, true),
      loadHistory(kept, state),
    ])
    return <SavesPage {...{ state, kept, web, list, bin: bin.slots, history }} />
  }

  const remove: Act<WebsiteUser> = async (user, form, { params }) => {
    const kept = await open(user, params)
    await binSave(deps, kept, textOf(form, 'slot'), null)
    return `${savesPath(kept.ref)}?done=deleted`
  }

  const restore: Act<WebsiteUser> = async (user, form, { params }) => {
    const kept = await open(user, params)
    const revision = form.get('revision') ?? undefined
    await restoreSave(deps, kept, textOf(form, 'slot'), revision)
    return `${savesPath(kept.ref)}?done=${revision === undefined ? 'back' : 'restored'}`
  }

  const end: Act<WebsiteUser> = async (user, form, { params }) => {
    const kept = await open(user, params)
    const [slot, revision] = [textOf(form, 'slot'), form.get('revision')]
    if (revision === null) await purgeSlot(deps, kept, slot)
    else await purgeRevision(deps, kept, slot, revision)
    return `${savesPath(kept.ref)}?done=ended`
  }

  const removeAll: Act<WebsiteUser> = async (user, form, { params }) => {
    const kept = await open(user, params)
    requireSure(form)
    await deleteSavesOf(deps, kept)
    return `${savesPath(kept.ref)}?done=all`
  }

  const chooseWeb: Act<WebsiteUser> = async (user, form, { params }) => {
    const kept = await open(user, params)
    const choice = requireChoice(textOf(form, 'choice'))
    if (choice === 'yes') await saveChoice(deps, user, kept.gameUid, true)
    else await withdrawChoice(deps, kept, choice === 'no' ? false : null)
    return `${savesPath(kept.ref)}?done=${choice}`
  }

  return createRoutes(kit, { name: 'save-pages', prefix: '/library/:uid/saves' })
    .get('', view(showSaves), { page: true })
    .get(
      '/file',
      async ({ visit, params, set }) => {
        const kept = await open(requireUser(visit.actor), params)
        const slot = visit.url.searchParams.get('slot') ?? ''
        const revision = visit.url.searchParams.get('revision') ?? undefined
        const found = await findSave(deps.db, kept, slot, revision)
        set.headers['content-type'] = 'application/octet-stream'
        set.headers['content-length'] = String(found.size)
        set.headers['content-disposition'] = attachmentDisposition(slot)
        return new Response(await openBody(deps.objects, found.objectKey))
      },
      read(),
    )
    .get(
      '/all.zip',
      async ({ visit, params, set }) => {
        const kept = await open(requireUser(visit.actor), params)
        const archive = await openArchive(deps, kept)
        set.headers['content-type'] = 'application/zip'
        set.headers['content-disposition'] = attachmentDisposition(`${kept.name} saves.zip`)
        return new Response(archive)
      },
      read(),
    )
    .post('/delete', submit('saves', remove, showSaves), written())
    .post('/restore', submit('saves', restore, showSaves), written())
    .post('/end', submit('saves', end, showSaves), written())
    .post('/browser', submit('saves', chooseWeb, showSaves), { page: true, limit: 'listing_write' })
    .post('/delete-all', submit('saves', removeAll, showSaves), written())
}

/** Deletes all saves of an account; its form stands among the data of the account. */
export function createSavesDeletion(deps: Deps): Act<WebsiteUser> {
  return async ({ userUid }, form) => {
    requireSure(form)
    await deleteAllSaves(deps, userUid)
    return sectionPath('saves', 'saves-deleted')
  }
}

/** What a player can decide about a game in the browser. */
function requireChoice(text: string): WebChoice {
  const choice = WEB_CHOICES.find((one) => one === text)
  if (choice !== undefined) return choice
  throw invalidField('choice', `must be one of: ${WEB_CHOICES.join(', ')}.`)
}

function requireSure(form: URLSearchParams): void {
  if (form.has('sure')) return
  throw new AppError('invalid_request', { message: 'Tick the box first: nothing brings deleted saves back.' })
}
