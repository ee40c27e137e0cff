import type { Deps } from '../../deps.ts'
import type { OperatorPost } from '../../features/operate/moderation/model.ts'
import { getOperatorPost, restorePostOf, takeDownPostOf } from '../../features/operate/moderation/posts.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { Notice } from '../components/notice.tsx'
import { PersonName } from '../components/person.tsx'
import { Prose } from '../components/prose.tsx'
import { PostForm, Submit } from '../kit/form.tsx'
import { Badge, countText, Moment } from '../kit/labels.tsx'
import { atPage, type PageState } from '../kit/pages.ts'
import { OperateFrame } from './operate-frame.tsx'
import {
  ConfirmPage,
  type OperatorAct,
  operatorAct,
  type OperatorPage,
  operatorPages,
  parseReason,
} from './operator-form.tsx'

const NOTICES = {
  'taken-down': 'The post is taken down, and the owner of the page is mailed the reason.',
  restored: 'The post is back as it was.',
}

/** A post of a listing, which operators can take down without its page. */
export function operatePostPages(kit: HttpKit, deps: Deps) {
  const { view, submit } = operatorPages(deps)

  const showPost: OperatorPage = async (_, context) => {
    const post = await getOperatorPost(deps.db, context.params.uid ?? '')
    return <PostPage state={atPage(context, `/operate/posts/${post.uid}`)} post={post} />
  }

  const showTakeDown: OperatorPage = async (_, state) => {
    const { uid, title, listing, owner } = await getOperatorPost(deps.db, state.params.uid ?? '')
    const path = `/operate/posts/${uid}`
    return (
      <ConfirmPage
        {...{ state, tab: '/operate/listings', back: path, action: `${path}/take-down` }}
        title={`Take down ${title}`}
        act="Take down"
      >
        <p>
          The post <strong>{title}</strong> of <strong>{listing.name}</strong> by <PersonName {...owner} />{' '}
          will be missing for everyone but those who work on the page. You can undo this.
        </p>
      </ConfirmPage>
    )
  }

  const takeDown: OperatorAct = async (operator, form, { params: { uid = '' } }) => {
    await takeDownPostOf(deps, operator, uid, parseReason(form))
    return `/operate/posts/${uid}?done=taken-down`
  }

  const restore: OperatorAct = async (operator, _, { params: { uid = '' } }) => {
    await restorePostOf(deps, operator, uid)
    return `/operate/posts/${uid}?done=restored`
  }

  return createRoutes(kit, { name: 'operate-post-pages' })
    .get('/posts/:uid', view(showPost), { operatorPage: true })
    .get('/posts/:uid/take-down', view(showTakeDown), { operatorPage: true })
    .post('/posts/:uid/take-down', submit('take-down', takeDown, showTakeDown), operatorAct())
    .post('/posts/:uid/restore', submit('restore', restore, showPost), operatorAct())
}

function PostPage({ state, post }: { state: PageState; post: OperatorPost }) {
  const { uid, title, html, listing, owner, taken_down, open_reports } = post
  return (
    <OperateFrame state={state} tab="/operate/listings" title={title} notices={NOTICES}>
      <div class="operate-head">
        <div>
          <p class="quiet">
            Post of <a href={`/operate/listings/${listing.uid}`}>{listing.name}</a> by{' '}
            <a href={`/operate/accounts?q=${owner.uid}`}>
              <PersonName {...owner} />
            </a>
          </p>
          <p class="chips">
            {taken_down ? <Badge tone="bad">taken down</Badge> : <Badge>{post.state}</Badge>}{' '}
            {open_reports > 0 ? <Badge tone="warn">{countText(open_reports, 'report')}</Badge> : null}
          </p>
        </div>
        <div class="act">
          {taken_down ? (
            <PostForm action={`/operate/posts/${uid}/restore`} class="act">
              <Submit look="second">Undo take-down</Submit>
            </PostForm>
          ) : (
            <a class="button danger" href={`/operate/posts/${uid}/take-down`}>
              Take down
            </a>
          )}
        </div>
      </div>
      {taken_down ? (
        <Notice tone="warn">
          Taken down <Moment at={taken_down.at} />. The owner reads: “{taken_down.reason}”
        </Notice>
      ) : null}
      <section class="panel" aria-labelledby="text">
        <h2 id="text">Text</h2>
        <Prose html={html} under={2} />
      </section>
    </OperateFrame>
  )
}
