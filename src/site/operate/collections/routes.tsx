import { Elysia } from 'elysia'

import { listMembers } from '../../../features/catalog/collections/edit.ts'
import { readCovers } from '../../../features/listings/images/service.ts'
import {
  changeCollection,
  createCollection,
  deleteCollection,
  getCollection,
  listCollections,
} from '../../../features/operate/collections/service.ts'
import type { Operate } from '../../../features/operate/operate.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { atPage, type PageState } from '../../kit/pages.ts'
import { type OperatorAct, operatorAct, type OperatorPage, operatorPages } from '../operator-form.ts'
import { CollectionEditor, type PicturedMember } from './collection-editor.tsx'
import { listPlaced, readCollectionForm, toFields } from './collection-form.ts'
import { OperateCollectionsPage } from './collections-page.tsx'

const PATH = '/operate/collections'

/** Rows of listings that operators put together. */
export function operateCollectionPages(kit: HttpKit, operate: Operate) {
  const { view, submit } = operatorPages(operate)
  const showAll: OperatorPage = async (_, context) => (
    <OperateCollectionsPage state={atPage(context, PATH)} collections={await listCollections(operate)} />
  )

  const showNew: OperatorPage = async (_, context) => (
    <CollectionEditor
      state={atPage(context, `${PATH}/new`)}
      collection={null}
      members={await readMembers(context, [])}
    />
  )

  const showOne: OperatorPage = async (_, context) => {
    const collection = await getCollection(operate, context.params.uid ?? '')
    const members = await readMembers(context, collection.games)
    return (
      <CollectionEditor {...{ state: atPage(context, `${PATH}/${collection.uid}`), collection, members }} />
    )
  }

  /** A rejected form keeps the listings that were chosen, in their order. */
  async function readMembers({ refused }: PageState, saved: readonly string[]): Promise<PicturedMember[]> {
    const { deps } = operate
    const uids = refused?.name === 'collection' ? listPlaced(refused.form.values) : saved
    const members = await listMembers(deps.db, uids)
    const covers = await readCovers(deps, uids)
    return members.map((member) => {
      const { cover = null, thumbnail = null } = covers.get(member.uid) ?? {}
      return { ...member, picture: thumbnail ?? cover }
    })
  }

  const save =
    (isNew: boolean): OperatorAct =>
    async (operator, form, { params }) => {
      try {
        const sent = readCollectionForm(form)
        if (isNew) await createCollection(operate, operator, sent)
        else await changeCollection(operate, operator, params.uid ?? '', sent)
      } catch (error) {
        throw toFields(form, error)
      }
      return `${PATH}?done=saved`
    }

  const remove: OperatorAct = async (operator, _, { params }) => {
    await deleteCollection(operate, operator, params.uid ?? '')
    return `${PATH}?done=deleted`
  }

  return new Elysia({ name: 'operate-collection-pages', prefix: '/collections' })
    .use(kit)
    .get('', view(showAll), { operatorPage: true })
    .get('/new', view(showNew), { operatorPage: true })
    .post('/new', submit('collection', save(true), showNew), operatorAct())
    .get('/:uid', view(showOne), { operatorPage: true })
    .post('/:uid', submit('collection', save(false), showOne), operatorAct())
    .post('/:uid/delete', submit('delete', remove, showOne), operatorAct())
}
