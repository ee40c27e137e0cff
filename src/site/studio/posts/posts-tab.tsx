import { postPath } from '../../../domain/site-urls.ts'
import type { Approval } from '../../../features/agents/approvals.ts'
import type { Post } from '../../../features/community/posts/model.ts'
import type { Paged } from '../../../lib/paging.ts'
import { Pager } from '../../components/lists.tsx'
import { FaultSummary } from '../../kit/form.tsx'
import { Badge, Moment } from '../../kit/labels.tsx'
import { POST_KIND_LABELS } from '../../listing/page/posts.tsx'
import { States } from '../../operate/operate-frame.tsx'
import { Approvals } from '../channels/approvals.tsx'
import { StudioPage, type TabProps } from '../frame/studio-frame.tsx'

const STATES = { all: 'All', draft: 'Drafts', scheduled: 'Scheduled', published: 'Published' }

const NOTICES = {
  deleted: 'The post is deleted.',
  approve: 'The post is published.',
  reject: 'The post stays a draft.',
}

interface PostsTabProps extends TabProps {
  posts: Paged<Post>
  approvals: readonly Approval[]
}

export function PostsTab({ project, state, posts, approvals }: PostsTabProps) {
  const { visit, refused } = state
  const { vanity_name } = project.listing
  return (
    <StudioPage
      {...{ visit, project }}
      tab="posts"
      lead="Write to your players: news, updates and events. Followers are told once, when a post is published."
      notices={NOTICES}
      scripts={['studio']}
    >
      <FaultSummary form={refused?.form} />
      <p>
        <a class="button" href={`/studio/${vanity_name}/posts/new`}>
          Write a post
        </a>
      </p>
      <Approvals {...{ project, approvals }} tab="posts" />
      <States visit={visit} name="state" values={STATES} />
      {posts.items.length === 0 ? (
        <p class="quiet">No posts here yet.</p>
      ) : (
        <ul class="records panel">
          {posts.items.map((post) => (
            <li key={post.uid}>
              <PostEntry {...{ post, vanityName: vanity_name }} />
            </li>
          ))}
        </ul>
      )}
      <Pager {...posts} url={visit.url} />
    </StudioPage>
  )
}

function PostEntry({ post, vanityName }: { post: Post; vanityName: string }) {
  const { uid, slug, title, kind, pinned } = post
  const isOpen = post.state === 'published' && post.taken_down === null
  return (
    <>
      <div>
        <strong>
          <a href={`/studio/${vanityName}/posts/${uid}`} dir="auto">
            {title}
          </a>
        </strong>{' '}
        <PostBadges post={post} /> {pinned ? <Badge tone="good">pinned</Badge> : null}
        <p class="quiet small">
          {POST_KIND_LABELS[kind]}, <PostTime post={post} />
        </p>
      </div>
      {isOpen ? (
        <a class="button second" href={postPath(vanityName, slug)}>
          Open<span class="visually-hidden"> {title}</span>
        </a>
      ) : null}
    </>
  )
}

const TONES = { draft: 'none', scheduled: 'warn', published: 'good' } as const

export function PostBadges({ post: { state, taken_down } }: { post: Post }) {
  return (
    <>
      <Badge tone={TONES[state]}>{state}</Badge>{' '}
      {taken_down === null ? null : <Badge tone="bad">taken down</Badge>}
    </>
  )
}

function PostTime({ post: { state, publish_at, published_at, updated_at } }: { post: Post }) {
  if (state === 'scheduled' && publish_at !== null) {
    return (
      <>
        to be published <Moment at={publish_at} />
      </>
    )
  }
  if (state === 'published' && published_at !== null) {
    return (
      <>
        published <Moment at={published_at} />
      </>
    )
  }
  return (
    <>
      changed <Moment at={updated_at} />
    </>
  )
}
