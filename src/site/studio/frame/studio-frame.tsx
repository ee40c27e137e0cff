import type { ComponentChildren } from 'preact'

import type { Visibility } from '../../../domain/listings/visibility.ts'
import type { Visit } from '../../../http/visit.ts'
import { Badge } from '../../components/badge.tsx'
import { pathOf } from '../../components/card.tsx'
import { PictureIcon } from '../../components/icons.tsx'
import { DoneNotice, type Notices } from '../../components/notice.tsx'
import { Layout, type PageFacts } from '../../kit/layout.tsx'
import type { Project } from './project.ts'
import { labelOf, type Tab, TAB_GROUPS } from './tabs.ts'

export const VISIBILITY_LABELS: Readonly<Record<Visibility, string>> = {
  draft: 'Draft',
  owner: 'Only the owner',
  invisible: 'With the link',
  public: 'Public',
}

interface StudioPageProps {
  visit: Visit
  project: Project
  /** The path of the current tab. */
  tab: string
  /** What the tab is for, in a sentence. */
  lead?: ComponentChildren
  notices?: Notices
  scripts?: PageFacts['scripts']
  children: ComponentChildren
}

/** The frame of a project: which one it is, and its tabs. */
export function StudioPage({ visit, project, tab, lead, notices = {}, scripts, children }: StudioPageProps) {
  const label = labelOf(tab)
  return (
    <Layout
      visit={visit}
      title={`${label} · ${project.listing.name}`}
      style="studio"
      {...(scripts && { scripts })}
    >
      <div class="studio">
        <ProjectHead project={project} />
        <nav class="studio-tabs" aria-label="Project">
          <TabLinks {...{ visit, project, tab }} />
        </nav>
        <details class="tab-menu">
          <summary>{label}</summary>
          <nav aria-label="Project">
            <TabLinks {...{ visit, project, tab }} />
          </nav>
        </details>
        <div class="tab-body">
          <header class="stack">
            <h1>{label}</h1>
            {lead === undefined ? null : <p class="lead">{lead}</p>}
          </header>
          <DoneNotice visit={visit} notices={notices} />
          {children}
        </div>
      </div>
    </Layout>
  )
}

function ProjectHead({ project: { listing } }: { project: Project }) {
  const { name, cover, visibility, vanity_name } = listing
  return (
    <header class="project-head">
      {cover === null ? (
        <div class="cover no-cover">
          <PictureIcon />
        </div>
      ) : (
        <img class="cover" src={pathOf(cover.url)} width={cover.width} height={cover.height} alt="" />
      )}
      <div>
        <p class="project-name">{name}</p>
        <p class="row small">
          <VisibilityBadge visibility={visibility} />
          <a href={`/games/${vanity_name}`}>Open the store page</a>
          <a href="/studio">All projects</a>
        </p>
      </div>
    </header>
  )
}

export function VisibilityBadge({ visibility }: { visibility: Visibility }) {
  return <Badge tone={visibility === 'public' ? 'good' : 'none'}>{VISIBILITY_LABELS[visibility]}</Badge>
}

function TabLinks({ visit, project, tab }: Pick<StudioPageProps, 'visit' | 'project' | 'tab'>) {
  const isShown = ({ isOfSelling }: Tab) => visit.store.sells || isOfSelling === undefined
  return (
    <>
      {TAB_GROUPS.map((group) => (
        <div key={group.label}>
          <p class="tab-group">{group.label}</p>
          <ul class="tab-links">
            {group.tabs.filter(isShown).map(({ path, label }) => (
              <li key={path}>
                <a
                  href={`/studio/${project.listing.vanity_name}/${path}`}
                  aria-current={path === tab ? 'page' : undefined}
                >
                  {label}
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </>
  )
}
