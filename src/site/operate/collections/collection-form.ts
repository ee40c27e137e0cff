import { AppError, invalidFields, type Issue } from '../../../errors.ts'
import { CollectionPatch } from '../../../features/catalog/collections/model.ts'
import { isUid } from '../../../lib/ids.ts'
import { checkForm, textOf } from '../../kit/form-state.ts'
import { readTime } from '../store/settings-form.ts'

const PLACE = 'place.'
/** What a rejected form shows again; more than a collection can have. */
const PLACED_MAX = 100
export const placeOf = (uid: string) => PLACE + uid

/** Reads the form by the rules of the API. */
export function readCollectionForm(form: URLSearchParams): CollectionPatch {
  const slug = textOf(form, 'slug').trim()
  const patch = {
    title: textOf(form, 'title'),
    ...(slug !== '' && { slug }),
    text: textOf(form, 'text').replaceAll(/\s+/g, ' '),
    games: [...readPlaces(form), ...readAdded(form)],
    on_home: form.get('on_home') === 'true',
    from: readTime(form, 'from'),
    until: readTime(form, 'until'),
  }
  checkForm(CollectionPatch, patch)
  return patch
}

/** Each listing has a place; those without one are left out, and equal ones stay in their order. */
function readPlaces(form: URLSearchParams): string[] {
  return [...form]
    .filter(([name, value]) => name.startsWith(PLACE) && Number(value) > 0)
    .toSorted(([, a], [, b]) => Number(a) - Number(b))
    .map(([name]) => name.slice(PLACE.length))
}

/** The listings that the form has a place for, also those left out, which come last. */
export function listPlaced(form: URLSearchParams): string[] {
  const kept = readPlaces(form)
  const all = [...form.keys()]
    .filter((name) => name.startsWith(PLACE))
    .map((name) => name.slice(PLACE.length))
  return [...new Set([...kept, ...all])].filter(isUid).slice(0, PLACED_MAX)
}

/** One listing a line; a whole address of a page is taken too. */
function readAdded(form: URLSearchParams): string[] {
  return textOf(form, 'add')
    .split(/[\s,]+/)
    .map((line) => line.replace(/^https?:\/\/[^/]+\/games\//, '').replace(/[/?#].*$/, ''))
    .filter((line) => line !== '')
}

/** A fault of one listing is shown at the field that names it. */
export function toFields(form: URLSearchParams, error: unknown): unknown {
  const issues: unknown = error instanceof AppError ? error.data?.issues : undefined
  if (!(error instanceof AppError) || !Array.isArray(issues)) return error
  const refs = [...readPlaces(form), ...readAdded(form)]
  const shown = (issues as Issue[]).map((issue) => {
    const [field, index] = issue.path.split('.')
    if (field !== 'games') return issue
    if (index === undefined) return { ...issue, path: 'add' }
    return { path: 'add', message: `${refs[Number(index)]} is no public listing.` }
  })
  return invalidFields(shown, { kind: error.kind })
}
