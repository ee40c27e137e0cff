import type { Visibility } from '../../../domain/visibility.ts'
import type { ListingSummary } from '../../../features/listings/page/model.ts'
import type { Visit } from '../../../http/visit.ts'
import type { Paged } from '../../../lib/paging.ts'
import { pathOf } from '../../components/card.tsx'
import { PictureIcon } from '../../components/icons.tsx'
import { dateText, TYPE_LABELS } from '../../labels.ts'
import { Layout } from '../../layout.tsx'

const VISIBILITY_LABELS: Readonly<Record<Visibility, string>> = {
  draft: 'Draft',
  owner: 'Only you',
  invisible: 'With the link',
  public: 'Public',
}

/** The listings a person owns or helps run, newest first. */
export function ProjectsPage({ visit, projects }: { visit: Visit; projects: Paged<ListingSummary> }) {
  return (
    <Layout visit={visit} title="Your projects">
      <div class="stack">
        <h1>Your projects</h1>
        <p class="quiet">
          Projects are created, edited and published through the <a href="/docs">API</a>.
        </p>
        {projects.items.length === 0 ? (
          <div class="empty">
            <h2>No project yet</h2>
            <p>Create one with POST /api/v1/private/games; it starts as a draft that only you can see.</p>
          </div>
        ) : (
          <ul class="cards">
            {projects.items.map((project) => (
              <li key={project.uid}>
                <Project project={project} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </Layout>
  )
}

function Project({ project }: { project: ListingSummary }) {
  const { name, vanity_name, cover, visibility, asset_type, role, updated_at } = project
  return (
    <article class="card">
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
      <div class="body">
        <h2 class="card-title">
          <a href={`/games/${vanity_name}`}>{name}</a>
        </h2>
        <p class="quiet small">
          {TYPE_LABELS[asset_type]}, {role === 'owner' ? 'yours' : 'you help run it'}
        </p>
        <div class="facts">
          <span class={visibility === 'public' ? 'badge good' : 'badge'}>
            {VISIBILITY_LABELS[visibility]}
          </span>
          <span class="quiet">{dateText(updated_at)}</span>
        </div>
      </div>
    </article>
  )
}
