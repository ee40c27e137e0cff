import { jamPath } from '../../domain/site-urls.ts'
import type { JamCode } from '../../features/jams/codes/model.ts'
import type { OwnJam } from '../../features/jams/jams/model.ts'
import type { Visit } from '../../http/visit.ts'
import type { Paged } from '../../lib/paging.ts'
import { Pager } from '../components/lists.tsx'
import { SecretPage } from '../components/secret-page.tsx'
import { FaultSummary, FieldGroup, FileField, PostForm, Submit, TextField } from '../kit/form.tsx'
import { Badge, Moment } from '../kit/labels.tsx'
import { Layout } from '../kit/layout.tsx'
import { formOf, type PageProps, type PageState } from '../kit/pages.ts'
import {
  EndField,
  EnteringGroup,
  PeopleGroup,
  TextArea,
  TextGroup,
  TimesGroup,
  VotingField,
  VotingGroup,
} from './jam-form.tsx'
import type { JamProps, ShownJam } from './jam-frame.tsx'
import { ManageFrame } from './manage-frame.tsx'

export function NewJamPage({ state }: { state: PageState }) {
  const form = formOf(state, 'jam')
  const { refused, visit } = state
  return (
    <Layout visit={visit} title="New jam" style="jams">
      <div class="jam">
        <p class="small">
          <a href="/jams">← Jams</a>
        </p>
        <h1>New jam</h1>
        <FaultSummary form={refused?.form} />
        <form class="form jam-form" method="post" action="/jams/new" noValidate>
          <TextGroup {...{ form, jam: null }} />
          <TimesGroup {...{ form, jam: null }} />
          <EnteringGroup {...{ form, jam: null }} />
          <VotingGroup {...{ form, jam: null }} />
          <PeopleGroup {...{ form, jam: null }} />
          <div class="row">
            <Submit>Make the jam</Submit>
          </div>
        </form>
      </div>
    </Layout>
  )
}

const NOTICES = {
  saved: 'The jam is saved.',
  pictured: 'The cover is saved.',
  unpictured: 'The cover is removed.',
}

const STALE = 412

/** The fields of a jam; after the start only those that may still change. */
export function ManagePage({ state, shown }: PageProps<{ shown: ShownJam<OwnJam> }>) {
  const { visit, refused } = state
  const { jam, revision } = shown
  const form = formOf(state, 'jam')
  const base = jamPath(jam.slug, 'manage')
  const isStale = refused?.status === STALE
  const hasStarted = jam.visibility !== 'draft' && jam.state !== 'coming'
  const based = isStale ? null : form.values.get('revision')
  return (
    <ManageFrame {...{ visit, shown, section: 'Jam', notices: NOTICES }}>
      <FaultSummary form={refused?.form} />
      {isStale ? <Conflict jam={jam} path={base} /> : null}
      <form class="form jam-form" method="post" action={base} noValidate>
        <input type="hidden" name="revision" value={based ?? String(revision)} />
        <input type="hidden" name="form" value={hasStarted ? 'started' : 'whole'} />
        {hasStarted ? (
          <FieldGroup
            id="about"
            title="What can still change"
            hint="The jam has started: its text, cover, hosts and judges can change, and its ends move later. Each change is listed on its page."
          >
            <TextArea {...{ form, jam }} />
            <div class="jam-pair">
              {jam.state === 'running' ? <EndField {...{ form, jam }} /> : null}
              {jam.voting_ends_at === null || jam.state === 'past' ? null : (
                <VotingField {...{ form, jam }} />
              )}
            </div>
          </FieldGroup>
        ) : (
          <>
            <TextGroup {...{ form, jam }} />
            <TimesGroup {...{ form, jam }} />
            <EnteringGroup {...{ form, jam }} />
            <VotingGroup {...{ form, jam }} />
          </>
        )}
        <PeopleGroup {...{ form, jam }} />
        <div class="row">
          <Submit>Save</Submit>
        </div>
      </form>
      <CoverForms {...{ state, jam }} />
      <DangerZone jam={jam} />
    </ManageFrame>
  )
}

function Conflict({ jam, path }: { jam: OwnJam; path: string }) {
  return (
    <section class="panel stack" aria-labelledby="conflict-heading">
      <h2 id="conflict-heading">Their version</h2>
      <p class="quiet small">
        Another host saved the jam meanwhile. Saving now replaces their version with yours, which is still in
        the form.
      </p>
      <h3 dir="auto">{jam.title}</h3>
      <pre class="jam-version" tabIndex={0}>
        {jam.text === '' ? '(no text)' : jam.text}
      </pre>
      <p>
        <a class="button second" href={path}>
          Take theirs
        </a>
      </p>
    </section>
  )
}

function CoverForms({ state, jam }: { state: PageState; jam: OwnJam }) {
  const action = `${jamPath(jam.slug, 'manage')}/cover`
  return (
    <FieldGroup id="cover" title="Cover">
      <PostForm action={action} encType="multipart/form-data">
        <FileField
          {...{ form: formOf(state, 'cover'), scope: 'cover', name: 'file' }}
          label={jam.cover === null ? 'Cover' : 'Another cover'}
          accept="image/png,image/jpeg,image/webp"
          hint="A PNG, JPEG or WebP image of up to 16 MB, cropped to 16:9."
        />
        <Submit look="second">Upload cover</Submit>
      </PostForm>
      {jam.cover === null ? null : (
        <PostForm action={`${action}/remove`} class="">
          <Submit look="plain">Remove cover</Submit>
        </PostForm>
      )}
    </FieldGroup>
  )
}

function DangerZone({ jam }: { jam: OwnJam }) {
  const canDelete = jam.visibility === 'draft' || jam.entries === 0
  return (
    <FieldGroup id="danger" title="Delete">
      {canDelete ? (
        <>
          <p class="quiet small">Its page, its participants and its codes are deleted with it.</p>
          <PostForm action={`${jamPath(jam.slug, 'manage')}/delete`} class="">
            <Submit look="danger">Delete this jam</Submit>
          </PostForm>
        </>
      ) : (
        <p class="quiet small">The jam has entries, so it stays.</p>
      )}
    </FieldGroup>
  )
}

interface CodesProps extends JamProps {
  codes: Paged<JamCode>
}

const CODE_NOTICES = { ended: 'It no longer works.' }

export function CodesPage({ state, shown, codes }: CodesProps) {
  const { visit, refused } = state
  const form = formOf(state, 'code')
  const action = `${jamPath(shown.jam.slug, 'manage')}/codes`
  return (
    <ManageFrame {...{ visit, shown, section: 'Codes', notices: CODE_NOTICES }}>
      <FaultSummary form={refused?.form} />
      {shown.jam.entry === 'open' ? (
        <p class="quiet">Everyone can join this jam. Codes count once only those with a code can.</p>
      ) : null}
      <FieldGroup id="code" title="Make a code" hint="For those you want to take part.">
        <PostForm action={action}>
          <LabelField form={form} />
          <TextField
            {...{ form, name: 'uses', label: 'People it admits', value: '1', inputMode: 'numeric' }}
          />
          <TextField
            {...{ form, name: 'expires_at', label: 'Valid until (UTC)', type: 'datetime-local' }}
            hint="Empty: for a year."
          />
          <Submit>Make a code</Submit>
        </PostForm>
      </FieldGroup>
      <CodeList {...{ codes, action }} />
      <Pager {...codes} url={visit.url} />
    </ManageFrame>
  )
}

export function LateLinksPage({ state, shown, codes }: CodesProps) {
  const { visit, refused } = state
  const form = formOf(state, 'late')
  const action = `${jamPath(shown.jam.slug, 'manage')}/late-links`
  return (
    <ManageFrame {...{ visit, shown, section: 'Late links', notices: CODE_NOTICES }}>
      <FaultSummary form={refused?.form} />
      <FieldGroup
        id="late"
        title="Give a late link"
        hint="Lets one person enter one listing after the end. That you gave one is listed under Changes."
      >
        <PostForm action={action}>
          <LabelField form={form} />
          <TextField
            {...{ form, name: 'expires_at', label: 'Valid until (UTC)', type: 'datetime-local' }}
            hint="Empty: for a day."
          />
          <Submit>Make a late link</Submit>
        </PostForm>
      </FieldGroup>
      <CodeList {...{ codes, action }} />
      <Pager {...codes} url={visit.url} />
    </ManageFrame>
  )
}

function LabelField({ form }: { form: ReturnType<typeof formOf> }) {
  return (
    <TextField {...{ form, name: 'label', label: 'Label' }} hint="For hosts only, such as whom it is for." />
  )
}

function CodeList({ codes, action }: { codes: Paged<JamCode>; action: string }) {
  if (codes.items.length === 0) return null
  return (
    <ul class="records panel">
      {codes.items.map(({ uid, hint, label, uses, used, expires_at, created_at }) => (
        <li key={uid}>
          <div>
            <strong dir="auto">{label === '' ? `${hint}…` : label}</strong>{' '}
            {used >= uses ? (
              <Badge tone="good">used</Badge>
            ) : Date.parse(expires_at) <= Date.now() ? (
              <Badge tone="warn">expired</Badge>
            ) : null}
            <p class="quiet small">
              {hint}…, {used} of {uses} used, made <Moment at={created_at} />, valid until{' '}
              <Moment at={expires_at} />
            </p>
          </div>
          <PostForm action={`${action}/${uid}/end`} class="">
            <Submit look="second">
              End<span class="visually-hidden"> {label === '' ? hint : label}</span>
            </Submit>
          </PostForm>
        </li>
      ))}
    </ul>
  )
}

interface NewCodeProps {
  visit: Visit
  title: string
  secret: string
  back: string
}

export function NewCodePage({ visit, title, secret, back }: NewCodeProps) {
  return (
    <SecretPage {...{ visit, title, back }} warning="Copy it now: it is not shown again.">
      <p>
        <code class="secret">{secret}</code>
      </p>
    </SecretPage>
  )
}
