import { ASSET_TYPES } from '../../../domain/listings/listing.ts'
import { VANITY_MAX, VANITY_MIN } from '../../../features/listings/page/model.ts'
import type { Visit } from '../../../http/visit.ts'
import type { Paged } from '../../../lib/paging.ts'
import { NAME_MAX } from '../../../lib/text/names.ts'
import { pathOf } from '../../components/card.tsx'
import { CheckIcon, PictureIcon, WarningIcon } from '../../components/icons.tsx'
import { Empty, Pager } from '../../components/lists.tsx'
import { DoneNotice } from '../../components/notice.tsx'
import type { FormState } from '../../kit/form-state.ts'
import { FaultSummary, PostForm, SelectField, Submit, TextField } from '../../kit/form.tsx'
import {
  Badge,
  countText,
  Day,
  HealthBadge,
  ScanBadge,
  SYSTEM_LABELS,
  TYPE_LABELS,
} from '../../kit/labels.tsx'
import { Layout } from '../../kit/layout.tsx'
import { engineOf, scanOf } from '../builds/scan.tsx'
import { VisibilityBadge } from '../frame/studio-frame.tsx'
import type { ProjectSummary } from './summaries.ts'

const NOTICES = {
  deleted: 'The draft is deleted.',
  left: 'You are no longer on the team of that project.',
}

interface ProjectsPageProps {
  visit: Visit
  projects: Paged<ProjectSummary>
}

/** The listings a person owns or helps run, newest first. */
export function ProjectsPage({ visit, projects }: ProjectsPageProps) {
  return (
    <Layout visit={visit} title="Your projects" style="studio">
      <div class="stack">
        <div class="row between">
          <h1>Your projects</h1>
          <p class="row">
            <a class="button" href="/studio/new">
              New project
            </a>
            <a class="button second" href="/studio/import">
              Import from {visit.store.externalStore}
            </a>
            {visit.store.sells ? (
              <>
                <a class="button second" href="/studio/sales">
                  Sales
                </a>
                <a class="button second" href="/studio/payouts">
                  Payouts
                </a>
              </>
            ) : null}
          </p>
        </div>
        <DoneNotice visit={visit} notices={NOTICES} />
        {projects.total === 0 ? (
          <Empty title="No project yet">
            A project starts as a draft that only you can see. Describe it, upload a build, and publish it
            when the listing check passes.
          </Empty>
        ) : (
          <ul class="projects">
            {projects.items.map((project) => (
              <li key={project.listing.uid} class="panel">
                <ProjectRow {...project} />
              </li>
            ))}
          </ul>
        )}
        <Pager {...projects} url={visit.url} />
      </div>
    </Layout>
  )
}

function ProjectRow({ listing, report, newestBuild, band }: ProjectSummary) {
  const { name, vanity_name, cover, visibility, asset_type, role, updated_at } = listing
  return (
    <article class="project">
      {cover === null ? (
        <div class="cover no-cover">
          <PictureIcon />
        </div>
      ) : (
        <img
          class="cover"
          src={pathOf(cover.url)}
          width={cover.width}
          height={cover.height}
          alt=""
          loading="lazy"
        />
      )}
      <div>
        <h2>
          <a href={`/studio/${vanity_name}/overview`} dir="auto">
            {name}
          </a>
        </h2>
        <p class="quiet small">
          {TYPE_LABELS[asset_type]}, {role === 'owner' ? 'yours' : 'you help run it'}, edited{' '}
          <Day at={updated_at} />
        </p>
      </div>
      <dl class="project-facts">
        <div>
          <dt>Visibility</dt>
          <dd>
            <VisibilityBadge visibility={visibility} />
          </dd>
        </div>
        <div>
          <dt>Check</dt>
          <dd>{report === undefined ? null : <CheckBadge errors={report.errors.length} />}</dd>
        </div>
        <div>
          <dt>Newest build</dt>
          <dd>
            {newestBuild === undefined ? (
              <span class="quiet">None yet</span>
            ) : (
              <>
                {newestBuild.version} {SYSTEM_LABELS[newestBuild.os]}{' '}
                <ScanBadge scan={scanOf(newestBuild.files)} engine={engineOf(newestBuild.files)} />
              </>
            )}
          </dd>
        </div>
        <div>
          <dt>Health</dt>
          <dd>
            <HealthBadge band={band} />
          </dd>
        </div>
      </dl>
    </article>
  )
}

function CheckBadge({ errors }: { errors: number }) {
  if (errors === 0) {
    return (
      <Badge tone="good" icon={CheckIcon}>
        Passes
      </Badge>
    )
  }
  return (
    <Badge tone="warn" icon={WarningIcon}>
      {countText(errors, 'thing')} to fix
    </Badge>
  )
}

const TYPES = ASSET_TYPES.map((type) => [type, TYPE_LABELS[type]] as const)

export function NewProjectPage({ visit, form }: { visit: Visit; form: FormState }) {
  return (
    <Layout visit={visit} title="New project" style="studio" scripts={['studio']}>
      <div class="studio-start stack">
        <h1>New project</h1>
        <p class="lead">It starts as a draft that only you can see. Everything can be changed later.</p>
        <FaultSummary form={form} />
        <PostForm action="/studio/new" class="form panel">
          <TextField form={form} name="name" label="Name" limit={NAME_MAX} />
          <SelectField
            form={form}
            name="asset_type"
            label="Type"
            value="game"
            options={TYPES}
            hint="Tools, mods and plugins belong to a game or application, which you name on the page tab."
          />
          <TextField
            form={form}
            name="vanity_name"
            label="Address"
            placeholder="my-game"
            hint={`The end of /games/… in the address: ${VANITY_MIN} to ${VANITY_MAX} of a-z, 0-9 and -. Left empty it is made from the name, if that has such letters.`}
          />
          <p class="row">
            <Submit>Create project</Submit>
            <a class="button plain" href="/studio">
              Cancel
            </a>
          </p>
        </PostForm>
      </div>
    </Layout>
  )
}
