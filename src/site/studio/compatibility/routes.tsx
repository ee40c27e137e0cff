import type { Deps } from '../../../deps.ts'
import type { OperatingSystem } from '../../../domain/builds/platforms.ts'
import { ENGINE_RANGES_MAX } from '../../../domain/listings/engine-range.ts'
import { MODDING_TYPES } from '../../../domain/listings/listing.ts'
import { AppError, invalidFields, type Issue } from '../../../errors.ts'
import { checkModCompat } from '../../../features/builds/comparison/service.ts'
import { ListingPatch } from '../../../features/listings/page/model.ts'
import { editListing } from '../../../features/listings/page/service.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { checkForm, textOf } from '../../kit/form-state.ts'
import { changes, projectPages, type ShowTab, type TabAct, tabPath } from '../frame/studio-frame.tsx'
import { CompatibilityPage } from './compatibility-page.tsx'

/** The tab for the versions of engines and parents that a listing works with. */
export function compatRoutes(kit: HttpKit, deps: Deps) {
  const { view, submit } = projectPages(deps)
  const showTab: ShowTab = async (project, state) => {
    const { user, listing } = project
    const isMod = MODDING_TYPES.includes(listing.asset_type)
    const compat = isMod ? await checkModCompat(deps, user, listing.uid) : null
    return <CompatibilityPage {...{ project, state, compat }} />
  }

  const save: TabAct = async (project, form) => {
    const rows = parseRows(form)
    const patch = { engine_compat: rows.map(({ range }) => range) }
    try {
      checkForm(ListingPatch, patch)
      await editListing(deps, project.user, project.listing.uid, patch, () => {})
    } catch (error) {
      throw placeRows(
        error,
        rows.map(({ row }) => row),
      )
    }
    return tabPath(project, 'compatibility', 'saved')
  }

  return createRoutes(kit, { name: 'studio-compatibility', prefix: '/studio/:uid/compatibility' })
    .get('', view(showTab), { page: true })
    .post('', submit('compat', save, showTab), changes())
}

/** Rows of the table without any entry are left out. */
function parseRows(form: URLSearchParams) {
  return Array.from({ length: ENGINE_RANGES_MAX }, (_, row) => row).flatMap((row) => {
    const text = (name: string) => textOf(form, `engine_compat.${row}.${name}`).trim()
    const [engine, renderer, platform] = [text('engine'), text('renderer'), text('platform')]
    const [min_version, max_version] = [text('min_version'), text('max_version')]
    if (engine + renderer + min_version + max_version === '') return []
    const range = {
      engine,
      min_version,
      max_version,
      ...(renderer === '' ? {} : { renderer }),
      ...(platform === '' ? {} : { platform: platform as OperatingSystem }),
    }
    return [{ row, range }]
  })
}

/** Maps indexes of ranges in issues back to rows of the table, which may have empty rows between them. */
function placeRows(error: unknown, rows: readonly number[]): unknown {
  if (!(error instanceof AppError) || !Array.isArray(error.data?.issues)) return error
  const issues = (error.data.issues as Issue[]).map(({ path, message }) => ({
    path: path.replace(/^engine_compat\.(\d+)/, (_, index) => `engine_compat.${rows[Number(index)]}`),
    message,
  }))
  return invalidFields(issues, { kind: error.kind })
}
