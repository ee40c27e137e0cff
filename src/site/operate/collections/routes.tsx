import type { Deps } from '../../../deps.ts'
import { listMembers } from '../../../features/catalog/collections/edit.ts'
import { CollectionPatch } from '../../../features/catalog/collections/model.ts'
import { loadCovers } from '../../../features/listings/images/service.ts'
import {
  changeCollection,
  createCollection,
  deleteCollection,
  getCollection,
  listCollections,
} from '../../../features/operate/collections/service.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { isUid } from '../../../lib/ids.ts'
import { checked, maybeText, readForm, textOf, typed, utcTime } from '../../kit/form-state.ts'
import { atPage, type PageState } from '../../kit/pages.ts'
import {
  moveIssues,
  type OperatorAct,
  operatorAct,
  type OperatorPage,
  operatorPages,
} from '../operator-form.tsx'
import { CollectionEditor, OperateCollectionsPage, type PicturedMember, PLACE } from './collection-pages.tsx'

const PATH = '/operate/collections'

/** The operators' pages for collections of listings. */
export function operateCollectionPages(kit: HttpKit, deps: Deps) {
  const { view, submit } = operatorPages(deps)
  const showAll: OperatorPage = async (_, context) => (
    <OperateCollectionsPage state={atPage(context, PATH)} collections={await listCollections(deps)} />
  )

  const showNew: OperatorPage = async (_, context) => (
    <CollectionEditor
      state={atPage(context, `${PATH}/new`)}
      collection={null}
      members={await loadMembers(context, [])}
    />
  )

  const showOne: OperatorPage = async (_, context) => {
    const collection = await getCollection(deps, context.params.uid ?? '')
    const members = await loadMembers(context, collection.games)
    return (
      <CollectionEditor {...{ state: atPage(context, `${PATH}/${collection.uid}`), collection, members }} />
    )
  }

  /** The listings of a rejected form in their order, otherwise the saved ones. */
  async function loadMembers({ refused }: PageState, saved: readonly string[]): Promise<PicturedMember[]> {
    const uids = refused?.name === 'collection' ? listPlaced(refused.form.values) : saved
    const members = await listMembers(deps.db, uids)
    const covers = await loadCovers(deps, uids)
    return members.map((member) => {
      const { cover = null, thumbnail = null } = covers.get(member.uid) ?? {}
      return { ...member, picture: thumbnail ?? cover }
    })
  }

  const save =
    (isNew: boolean): OperatorAct =>
    async (operator, form, { params }) => {
      try {
        const sent = parseCollectionForm(form)
        if (isNew) await createCollection(deps, operator, sent)
        else await changeCollection(deps, operator, params.uid ?? '', sent)
      } catch (error) {
        throw toFields(form, error)
      }
      return `${PATH}?done=saved`
    }

  const remove: OperatorAct = async (operator, _, { params }) => {
    await deleteCollection(deps, operator, params.uid ?? '')
    return `${PATH}?done=deleted`
  }

  return createRoutes(kit, { name: 'operate-collection-pages', prefix: '/collections' })
    .get('', view(showAll), { operatorPage: true })
    .get('/new', view(showNew), { operatorPage: true })
    .post('/new', submit('collection', save(true), showNew), operatorAct())
    .get('/:uid', view(showOne), { operatorPage: true })
    .post('/:uid', submit('collection', save(false), showOne), operatorAct())
    .post('/:uid/delete', submit('delete', remove, showOne), operatorAct())
}

/** The most listings that a rejected form shows again; a collection has fewer. */
const PLACED_MAX = 100

/** Reads the form by the rules of the API. */
function parseCollectionForm(form: URLSearchParams): CollectionPatch {
  return readForm(CollectionPatch, form, {
    title: typed,
    slug: maybeText,
    text: () => textOf(form, 'text').replaceAll(/\s+/g, ' '),
    games: () => [...parsePlaces(form), ...parseAdded(form)],
    on_home: checked,
    from: utcTime,
    until: utcTime,
  })
}

/** Sorts the listings by their entered place; equal ones keep their order, those without one are left out. */
function parsePlaces(form: URLSearchParams): string[] {
  return [...form]
    .filter(([name, value]) => name.startsWith(PLACE) && Number(value) > 0)
    .toSorted(([, a], [, b]) => Number(a) - Number(b))
    .map(([name]) => name.slice(PLACE.length))
}

/** The listings that the form has a place for, also those left out, which come last. */
function listPlaced(form: URLSearchParams): string[] {
  const kept = parsePlaces(form)
  const all = [...form.keys()]
    .filter((name) => name.startsWith(PLACE))
    .map((name) => name.slice(PLACE.length))
  return [...new Set([...kept, ...all])].filter(isUid).slice(0, PLACED_MAX)
}

/** One listing per line, as a name or as the address of its page. */
function parseAdded(form: URLSearchParams): string[] {
  return textOf(form, 'add')
    .split(/[\s,]+/)
    .map((line) => line.replace(/^https?:\/\/[^/]+\/games\//, '').replace(/[/?#].*$/, ''))
    .filter((line) => line !== '')
}

/** Shows issues of single listings at the field `add`, with the listing as the form named it. */
function toFields(form: URLSearchParams, error: unknown): unknown {
  const refs = [...parsePlaces(form), ...parseAdded(form)]
  return moveIssues(error, (issue) => {
    const [field, index] = issue.path.split('.')
    if (field !== 'games') return issue
    if (index === undefined) return { ...issue, path: 'add' }
    return { path: 'add', message: `${refs[Number(index)]} is no public listing.` }
  })
}
