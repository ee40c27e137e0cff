import { POST_KINDS, POST_TEXT_MAX, POST_TITLE_MAX, type PostState } from '../../../domain/posts.ts'
import { postPath } from '../../../domain/site-urls.ts'
import type { Post } from '../../../features/community/posts/model.ts'
import type { RevisedPost } from '../../../features/community/posts/service.ts'
import { renderMarkdown } from '../../../lib/text/markdown.ts'
import { pathOf } from '../../components/card.tsx'
import { Notice } from '../../components/notice.tsx'
import { Prose } from '../../components/prose.tsx'
import type { FormState } from '../../kit/form-state.ts'
import {
  AreaField,
  Check,
  FaultSummary,
  FieldGroup,
  FileField,
  PostForm,
  SelectField,
  Submit,
  TextField,
} from '../../kit/form.tsx'
import { Moment } from '../../kit/labels.tsx'
import { formOf, type PageProps, type PageState } from '../../kit/pages.ts'
import { POST_KIND_LABELS } from '../../listing/page/posts.tsx'
import { StudioPage, type TabProps } from '../frame/studio-frame.tsx'
import { PostBadges } from './posts-tab.tsx'

const NOTICES = {
  saved: 'The post is saved.',
  published: 'The post is published.',
  scheduled: 'The post is scheduled.',
  withdrawn: 'The post is a draft again; nobody else can read it.',
  pictured: 'The picture is saved.',
  unpictured: 'The picture is removed.',
}

const KINDS = POST_KINDS.map((kind) => [kind, POST_KIND_LABELS[kind]] as const)

interface PostEditorProps extends TabProps {
  /** null for a new post. */
  edited: RevisedPost | null
}

export function PostEditor({ project, state, edited }: PostEditorProps) {
  const { visit, query, refused } = state
  const post = edited?.post ?? null
  const base = `/studio/${project.listing.vanity_name}/posts`
  const form = formOf(state, 'post')
  const isSaved = query.done !== undefined && refused === undefined
  return (
    <StudioPage {...{ visit, project }} tab="posts" notices={NOTICES} scripts={['studio', 'editor']}>
      <p class="small">
        <a href={base}>← All posts</a>
      </p>
      {post === null ? null : <PostStatus post={post} vanityName={project.listing.vanity_name} />}
      <FaultSummary form={refused?.form} />
      {isStale(state) && post !== null ? <Conflict post={post} path={`${base}/${post.uid}`} /> : null}
      <form
        class="form editor"
        method="post"
        action={`${base}/${post?.uid ?? 'new'}`}
        noValidate
        data-editor={post?.uid ?? `post-of-${project.listing.uid}`}
        data-state={isSaved ? 'saved' : refused === undefined ? 'opened' : 'refused'}
      >
        {edited === null ? null : (
          <input
            type="hidden"
            name="revision"
            value={
              isStale(state)
                ? String(edited.revision)
                : (form.values.get('revision') ?? String(edited.revision))
            }
          />
        )}
        <TextFields {...{ form, post }} />
        <FieldGroup id="publication" title="Publication">
          <TextField
            {...{ form, name: 'publish_at', label: 'Publish at (UTC)', type: 'datetime-local' }}
            value={post?.publish_at?.slice(0, 16) ?? ''}
            hint="Needed to schedule the post."
          />
          <Check
            name="pinned"
            label="Pin to the store page"
            checked={isTicked(form, 'pinned', post?.pinned ?? false)}
            hint="One post is pinned; another one that was is no longer."
          />
          <SendField {...{ form, post }} />
        </FieldGroup>
        <div class="save-bar">
          <Buttons state={post?.state ?? 'draft'} />
          <p class="small quiet" role="status" data-save-state />
        </div>
      </form>
      {post === null ? (
        <p class="quiet small">Save the post first to add a picture.</p>
      ) : (
        <>
          <PictureForms post={post} action={`${base}/${post.uid}/picture`} state={state} />
          <PostForm action={`${base}/${post.uid}/delete`} class="">
            <Submit look="plain">Delete post</Submit>
          </PostForm>
        </>
      )}
    </StudioPage>
  )
}

const STALE = 412

/** After a stale save the form holds what was typed, and the next one replaces the version of the others. */
function isStale({ refused }: PageState): boolean {
  return refused?.status === STALE
}

function Conflict({ post, path }: { post: Post; path: string }) {
  return (
    <section class="panel stack" aria-labelledby="conflict-heading">
      <h2 id="conflict-heading">Their version</h2>
      <p class="quiet small">Saving now replaces it with yours, which is still in the form.</p>
      <h3 dir="auto">{post.title}</h3>
      <pre class="version">{post.markdown === '' ? '(empty)' : post.markdown}</pre>
      <p>
        <a class="button second" href={path}>
          Take theirs
        </a>
      </p>
    </section>
  )
}

function PostStatus({ post, vanityName }: { post: Post; vanityName: string }) {
  const { slug, state, taken_down, publish_at, sent_at } = post
  return (
    <>
      {taken_down === null ? null : (
        <Notice tone="bad">
          <strong>The operators of this store took this post down.</strong> Their reason: {taken_down.reason}
        </Notice>
      )}
      <p class="row">
        <PostBadges post={post} />
        {state === 'published' && taken_down === null ? (
          <a href={postPath(vanityName, slug)}>Open the post</a>
        ) : null}
        {state === 'scheduled' && publish_at !== null ? <Moment at={publish_at} /> : null}
        {sent_at === null ? null : (
          <span class="quiet small">
            Followers were told <Moment at={sent_at} />
          </span>
        )}
      </p>
    </>
  )
}

interface FieldsProps {
  form: FormState
  post: Post | null
}

function TextFields({ form, post }: FieldsProps) {
  const text = form.values.get('markdown') ?? post?.markdown ?? ''
  return (
    <FieldGroup id="text" title="Text">
      <div class="pair">
        <TextField
          {...{ form, name: 'title', label: 'Title', limit: POST_TITLE_MAX }}
          value={post?.title ?? ''}
        />
        <SelectField
          {...{ form, name: 'kind', label: 'Kind', options: KINDS }}
          value={post?.kind ?? 'news'}
        />
      </div>
      <div class="beside" data-preview-of="markdown">
        <AreaField
          {...{ form, name: 'markdown', label: 'Text (Markdown)', limit: POST_TEXT_MAX, rows: 18 }}
          value={post?.markdown ?? ''}
        />
        <section aria-label="Preview" class="preview" tabIndex={0}>
          <p class="tab-group">Preview</p>
          <div data-preview>
            <Prose html={renderMarkdown(text)} under={2} />
          </div>
        </section>
      </div>
    </FieldGroup>
  )
}

function SendField({ form, post }: FieldsProps) {
  if (post?.sent_at)
    return <input type="hidden" name="send_to_followers" value={String(post.send_to_followers)} />
  return (
    <Check
      name="send_to_followers"
      label="Send to followers"
      checked={isTicked(form, 'send_to_followers', post?.send_to_followers ?? true)}
      hint="When it is published, once; later changes are not sent."
    />
  )
}

/** A rejected form shows what was ticked. */
function isTicked(form: FormState, name: string, current: boolean): boolean {
  return form.values.size === 0 ? current : form.values.has(name)
}

/** Save comes first: it is what Enter does. */
function Buttons({ state }: { state: PostState }) {
  return (
    <div class="row">
      <Submit look={state === 'published' ? '' : 'second'} name="act" value="save">
        Save
      </Submit>
      {state === 'published' ? null : (
        <Submit name="act" value="publish">
          Publish
        </Submit>
      )}
      {state === 'draft' ? (
        <Submit look="second" name="act" value="schedule">
          Schedule
        </Submit>
      ) : (
        <Submit look="plain" name="act" value="withdraw">
          Back to draft
        </Submit>
      )}
    </div>
  )
}

function PictureForms({ post, action, state }: PageProps<{ post: Post; action: string }>) {
  const { picture } = post
  const field = { form: formOf(state, 'picture'), scope: 'picture' }
  return (
    <FieldGroup id="picture" title="Picture">
      {picture === null ? null : (
        <img
          {...{
            class: 'post-picture',
            src: pathOf(picture.url),
            width: picture.width,
            height: picture.height,
          }}
          alt="The picture of this post"
        />
      )}
      <PostForm action={action} encType="multipart/form-data">
        <FileField
          {...{ ...field, name: 'file', label: picture === null ? 'Picture' : 'Another picture' }}
          accept="image/png,image/jpeg,image/webp"
          hint="A PNG, JPEG or WebP image of up to 16 MB, shown above the text."
        />
        <Submit look="second">Upload picture</Submit>
      </PostForm>
      {picture === null ? null : (
        <PostForm action={`${action}/remove`} class="">
          <Submit look="plain">Remove picture</Submit>
        </PostForm>
      )}
    </FieldGroup>
  )
}
