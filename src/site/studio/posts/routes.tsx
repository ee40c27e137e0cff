import type { Deps } from '../../../deps.ts'
import type { PostState } from '../../../domain/posts.ts'
import { AppError } from '../../../errors.ts'
import { listApprovals } from '../../../features/agents/approvals.ts'
import { PostInput, type PostPatch } from '../../../features/community/posts/model.ts'
import {
  createPost,
  deletePost,
  editPost,
  getPost,
  listPosts,
  parsePostState,
  removePicture,
  uploadPicture,
} from '../../../features/community/posts/service.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { parsePage } from '../../../lib/paging.ts'
import { checked, lines, readForm, textOf, utcTime } from '../../kit/form-state.ts'
import { decideIn, decides } from '../channels/approvals.tsx'
import { changes, projectPages, type ShowTab, type TabAct, tabPath } from '../frame/studio-frame.tsx'
import { PostEditor } from './post-editor.tsx'
import { PostsTab } from './posts-tab.tsx'

const uploads = () => ({ rawBody: true, page: true, limit: ['image_upload', 'listing_write'] }) as const

/** What each button of the editor makes of the post; Save leaves its state as it is. */
const STATES: Readonly<Record<string, PostState | undefined>> = {
  publish: 'published',
  schedule: 'scheduled',
  withdraw: 'draft',
}

const DONE: Readonly<Record<string, string>> = {
  publish: 'published',
  schedule: 'scheduled',
  withdraw: 'withdrawn',
}

/** The posts of a listing: the list by state, and the editor of each. */
export function postsTabRoutes(kit: HttpKit, deps: Deps) {
  const { view, submit } = projectPages(deps)

  const showTab: ShowTab = async (project, state) => {
    const { user, listing } = project
    const shown = parsePostState(state.query.state)
    const [posts, approvals] = await Promise.all([
      listPosts(deps, user, listing.uid, shown, parsePage(state.query)),
      listApprovals(deps, user, listing.uid, 'post'),
    ])
    return <PostsTab {...{ project, state, posts, approvals }} />
  }

  const showNew: ShowTab = (project, state) => <PostEditor {...{ project, state }} edited={null} />

  const showPost: ShowTab = async (project, state) => {
    const edited = await getPost(deps, project.user, project.listing.uid, state.params.post_uid ?? '')
    return <PostEditor {...{ project, state, edited }} />
  }

  const create: TabAct = async (project, form) => {
    const { post } = await createPost(deps, project.user, project.listing.uid, parsePost(form))
    return editorPath(project, post.uid, form)
  }

  /** Refused if somebody else changed the post since the form was opened; what was typed is shown again. */
  const save: TabAct = async (project, form, { params: { post_uid = '' } }) => {
    const { user, listing } = project
    await editPost(deps, user, listing.uid, post_uid, parsePost(form), (revision) => {
      if (form.has('revision') && textOf(form, 'revision') !== String(revision)) throw new AppError('stale')
    })
    return editorPath(project, post_uid, form)
  }

  const remove: TabAct = async (project, _, { params }) => {
    await deletePost(deps, project.user, project.listing.uid, params.post_uid ?? '')
    return tabPath(project, 'posts', 'deleted')
  }

  const savePicture: TabAct = async (project, _, context) => {
    const { post_uid = '' } = context.params
    await uploadPicture(deps, project.user, project.listing.uid, post_uid, context)
    return `${tabPath(project, `posts/${post_uid}`, 'pictured')}#picture`
  }

  const deletePicture: TabAct = async (project, _, { params: { post_uid = '' } }) => {
    await removePicture(deps, project.user, project.listing.uid, post_uid)
    return `${tabPath(project, `posts/${post_uid}`, 'unpictured')}#picture`
  }

  return createRoutes(kit, { name: 'studio-posts', prefix: '/studio/:uid/posts' })
    .get('', view(showTab), { page: true })
    .get('/new', view(showNew), { page: true })
    .post('/new', submit('post', create, showNew), changes())
    .get('/:post_uid', view(showPost), { page: true })
    .post('/:post_uid', submit('post', save, showPost), changes())
    .post('/:post_uid/delete', submit('delete', remove, showPost), changes())
    .post('/:post_uid/picture', submit('picture', savePicture, showPost), uploads())
    .post('/:post_uid/picture/remove', submit('picture', deletePicture, showPost), changes())
    .post('/approvals/:approval_uid', submit('approval', decideIn(deps, 'posts'), showTab), decides())
}

function parsePost(form: URLSearchParams): PostPatch & { title: string } {
  return readForm(PostInput, form, {
    title: textOf,
    markdown: lines,
    publish_at: utcTime,
    pinned: checked,
    send_to_followers: checked,
    state: () => STATES[textOf(form, 'act')],
  })
}

function editorPath(project: Parameters<TabAct>[0], uid: string, form: URLSearchParams): string {
  return tabPath(project, `posts/${uid}`, DONE[textOf(form, 'act')] ?? 'saved')
}
