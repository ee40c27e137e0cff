import type { Deps } from '../../../deps.ts'
import { listSuggestedTags, setTagHidden } from '../../../features/community/tags/service.ts'
import { getPressKit, savePressKit } from '../../../features/listings/press/service.ts'
import { getStoreLinks, saveStoreLinks } from '../../../features/listings/store-links/service.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { parsePage } from '../../../lib/paging.ts'
import { placeLines, textOf } from '../../kit/form-state.ts'
import { changes, projectPages, type ShowTab, type TabAct, tabPath } from '../frame/studio-frame.tsx'
import { parseKit } from './press-form.ts'
import { CommunityTagsPage, PressTab, StoreLinksPage } from './press-tab.tsx'

/** Press kit, links to other stores, and the tags that players suggest. */
export function listingSettingsRoutes(kit: HttpKit, deps: Deps) {
  const { view, submit } = projectPages(deps)
  const showPress: ShowTab = async (project, state) => {
    const pressKit = await getPressKit(deps, project.user, project.listing.uid)
    return <PressTab {...{ project, state, pressKit }} baseUrl={deps.config.baseUrl} />
  }

  const savePress: TabAct = async (project, form) => {
    try {
      await savePressKit(deps, project.user, project.listing.uid, parseKit(form))
    } catch (error) {
      throw placeLines(error)
    }
    return tabPath(project, 'press', 'saved')
  }

  const showLinks: ShowTab = async (project, state) => {
    const links = await getStoreLinks(deps, project.user, project.listing.uid)
    return <StoreLinksPage {...{ project, state, links }} />
  }

  const saveLinks: TabAct = async (project, form) => {
    const { user, listing } = project
    const { stores } = await getStoreLinks(deps, user, listing.uid)
    const sent = stores.flatMap(({ platform }) => {
      const url = textOf(form, platform).trim()
      return url === '' ? [] : [{ platform, url }]
    })
    try {
      await saveStoreLinks(deps, user, listing.uid, { store_links: sent })
    } catch (error) {
      throw placeLines(error, (index) => sent[index]?.platform)
    }
    return tabPath(project, 'store-links', 'saved')
  }

  const showTags: ShowTab = async (project, state) => {
    const tags = await listSuggestedTags(deps.db, project.user, project.listing.uid, parsePage(state.query))
    return <CommunityTagsPage {...{ project, state, tags }} tagMinutes={deps.config.tagMinPlayMinutes} />
  }

  const hideTag: TabAct = async (project, form) => {
    const hidden = form.get('hidden') === 'true'
    await setTagHidden(deps, project.user, project.listing.uid, textOf(form, 'tag'), hidden)
    return tabPath(project, 'community-tags', hidden ? 'hidden' : 'shown')
  }

  return createRoutes(kit, { name: 'studio-settings', prefix: '/studio/:uid' })
    .get('/press', view(showPress), { page: true })
    .post('/press', submit('press', savePress, showPress), changes())
    .get('/store-links', view(showLinks), { page: true })
    .post('/store-links', submit('links', saveLinks, showLinks), changes())
    .get('/community-tags', view(showTags), { page: true })
    .post('/community-tags', submit('tag', hideTag, showTags), changes())
}
